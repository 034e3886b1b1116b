# Ten exceptions of one name at least in the last minute, and twice as many as in the minute before.
DEFINE TRIGGER exception-spike
ON Exception E
IF E.Count(-1min, now) >= 10
  AND E.Throughput(-1min, now) >= 2 * E.Throughput(-2min, -1min)
