DEFINE TRIGGER T
ON RequestEnd R
IF R.URL LIKE 'http:*GetGlobalFeed*'
  AND R.AvgLatency(-1min, now) > 2 * R.
   AvgLatency(-2min, -1min)
LOG RequestActivity A, Top(5) Methods M
  WITH M.ToLog=args, retValues
  AND MatchSamplingProb = 1
  AND UnmatchSamplingProb = 0.3
UNTIL (10 Match,10 Unmatch) OR 5 Minutes
