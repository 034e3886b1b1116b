# Twice as many requests in the last minute as in the minute before. What an idle server gets first is no spike.
DEFINE TRIGGER throughput-spike
ON Always A
IF A.Throughput(-1min, now) > 2 * A.Throughput(-2min, -1min)
  AND A.Count(-2min, -1min) >= 20
