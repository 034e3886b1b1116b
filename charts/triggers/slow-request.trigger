# A request took twice as long as those of the last minute on average.
DEFINE TRIGGER slow-request
ON RequestEnd R
IF R.Latency > 2 * R.AvgLatency(-1min, now)
