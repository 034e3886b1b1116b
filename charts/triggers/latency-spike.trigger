# Requests of the last minute took twice as long on average as those of the minute before. The mean of a few is no spike.
DEFINE TRIGGER latency-spike
ON RequestEnd R
IF R.AvgLatency(-1min, now) > 2 * R.AvgLatency(-2min, -1min)
  AND R.Count(-1min, now) >= 20 AND R.Count(-2min, -1min) >= 20
LOG RequestActivity A, Top(5) Methods M
  WITH M.ToLog=args, retValues
  AND MatchSamplingProb = 1
  AND UnmatchSamplingProb = 0.3
UNTIL (10 Match,10 Unmatch) OR 5 Minutes
