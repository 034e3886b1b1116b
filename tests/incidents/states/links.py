"""links.py SLOW FAST < records: redis-benchmark's requests to each peer, and who is blamed most for their time: for SLOW it must be the network."""
import shlex, sys
from collections import Counter

spans, blames = {}, {}
for line in sys.stdin:
    kind, _, rest = line.partition(" ")
    if kind in ("span", "blame"):
        record = dict(word.split("=", 1) for word in shlex.split(rest))
        if kind == "span":
            spans[record["id"]] = record
        elif record["graph"] != "total":
            blames.setdefault(record["graph"], Counter())[record["name"]] += float(record["score"])
first = {}
for peer in sys.argv[1:]:
    calls = [s for s in spans.values() if s["kind"] == "client" and s["service"] == "redis-benchmark" and s["peer"] == peer]
    times, score = sorted(float(s["ts"]) - float(s["start"]) for s in calls), Counter()
    for call in calls:
        score += blames.get(call["id"], Counter())
    volume = sum(int(s["bytes_in"]) + int(s["bytes_out"]) for s in calls)
    if not calls or not score:
        sys.exit(f"{peer}: {len(calls)} requests, no blame")
    first[peer], most = score.most_common(1)[0]
    print(f"{peer}: {len(calls)} requests, median {1000 * times[len(calls) // 2]:.2f} ms, {volume} bytes, {100 * most / score.total():.0f} % {first[peer]}")
sys.exit(first[sys.argv[1]] != "network: redis-benchmark to redis-server")
