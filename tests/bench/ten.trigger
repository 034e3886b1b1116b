# Ten triggers that never fire on a load of block requests: what they cost is what evaluating them costs.
DEFINE TRIGGER a1 ON RequestEnd R IF R.AvgLatency(-1min,now) > 20 * R.AvgLatency(-2min,-1min) AND R.Count(-1min,now) >= 20
DEFINE TRIGGER a2 ON RequestEnd R IF R.Latency > 1000 * R.AvgLatency(-1min,now)
DEFINE TRIGGER a3 ON Always A IF A.Throughput(-10s,now) > 200 * A.Throughput(-20s,-10s)
DEFINE TRIGGER a4 ON Always A IF 200 * A.Throughput(-10s,now) < A.Throughput(-20s,-10s)
DEFINE TRIGGER a5 ON RequestEnd R IF R.Percentile(Latency, 99, -1min, now) > 10
DEFINE TRIGGER a6 ON RequestEnd R IF R.Latency > 10 AND R.dev = '7:0'
DEFINE TRIGGER a7 ON RequestEnd R IF R.rwbs LIKE 'W*' AND R.Max(Latency, -10s, now) > 100
DEFINE TRIGGER a8 ON RequestEnd R IF R.Std(Latency, -10s, now) > 100
DEFINE TRIGGER a9 ON RequestStart R IF R.Count(-1s, now) > 10000000
DEFINE TRIGGER a10 ON RequestEnd R IF R.RetValue < 0
