# Half as many requests in the last minute as in the minute before, or fewer.
DEFINE TRIGGER throughput-drop
ON Always A
IF 2 * A.Throughput(-1min, now) < A.Throughput(-2min, -1min)
  AND A.Count(-2min, -1min) >= 20
