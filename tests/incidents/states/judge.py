"""judge.py PYTHON_LOG NODE_LOG < spans: for each way of asking, how many spans have a parent, and how many of these a wrong one.

A thread's calls come in the order of its log; what a server does is for the call that it answers.
"""
import shlex, sys
from collections import Counter, defaultdict

spans = [dict(word.split("=", 1) for word in shlex.split(line)[1:]) for line in sys.stdin if line.startswith("span ")]
by_thread, asked = defaultdict(list), defaultdict(list)
for line in open(sys.argv[1]):
    tid, id = line.split()
    by_thread[tid].append(("python", id))
node = [tuple(line.split()) for line in open(sys.argv[2])][1:]
for span in sorted((s for s in spans if s["kind"] == "client" and ("services.py" in s["service"] or "service.js" in s["service"])), key=lambda s: float(s["start"])):
    asked["node" if span["service"].startswith("node") else span["tid"]].append(span)
means, how = {}, {}
for key, calls in asked.items():
    log = node if key == "node" else by_thread[key]
    if len(calls) != len(log):
        sys.exit(f"{key}: {len(log)} calls, of which {len(calls)} were seen")
    for span, (way, id) in zip(calls, log):
        means[span["id"]], how[span["id"]] = id, way
for span in spans:
    if span["kind"] == "server" and span.get("parent") in means:
        means[span["id"]] = means[span["parent"]]
clients = {key for key, calls in asked.items() if key != "node" and not any("parent" in call for call in calls)}
total, found, wrong = Counter(), Counter(), Counter()
for span in spans:
    if span["id"] in how and span["tid"] not in clients:
        way = how[span["id"]]
        total[way] += 1
        found[way] += "parent" in span
        wrong[way] += "parent" in span and means.get(span["parent"]) != means[span["id"]]
for way in sorted(total):
    print(f"{way}: {total[way]} calls, {100 * found[way] / total[way]:.1f} % with a parent, {wrong[way]} of them wrong")
sys.exit(any(wrong.values()) or found["python"] < 0.99 * total["python"])
