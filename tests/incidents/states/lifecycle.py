"""lifecycle.py REQUESTS SLOW BYTES < records: the commands that a node of a cluster did, REQUESTS of each kind, and the way of what was published to
the other nodes. Of that the slow piece must be the one to the node at SLOW, who must have got REQUESTS times BYTES."""
import re, sys
from collections import Counter, defaultdict

requests, slow, size = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
times, blames, volume, bad = defaultdict(list), defaultdict(Counter), defaultdict(list), False
name = {}
for line in sys.stdin:
    kind, _, rest = line.partition(" ")
    record = {key: value.strip('"') for key, value in re.findall(r'(\w+)=("[^"]*"|\S+)', rest)}
    if kind == "blame":
        of = name.get(record["graph"].split("/")[0]) if record["graph"].endswith("/messages") else None
        if of:
            blames[of][record["name"]] += float(record["score"])
        continue
    if record["kind"] == "server" and "name" in record:
        name[record["id"]] = record["name"]
        times[record["name"]].append(float(record["ts"]) - float(record["start"]))
    elif record["kind"] == "consumer" and record.get("name") == "publish":
        volume[record["pid"]].append((int(record["bytes_in"]), float(record["ts"]), "parent" in record))
for command in ("set", "get", "subscribe", "publish"):
    taken = sorted(times[command])
    print(f"{command}: {len(taken)} requests, median {1000 * taken[len(taken) // 2]:.3f} ms, longest {1000 * taken[-1]:.1f} ms" if taken else f"{command}: none")
    bad |= not requests <= len(taken) <= requests + 2
for pid, got in sorted(volume.items()):
    print(f"node {pid}: {len(got)} messages over the bus, {sum(bytes for bytes, _, _ in got)} bytes, {sum(sure for _, _, sure in got)} followed")
    bad |= len(got) != requests or any(bytes != size for bytes, _, _ in got) or sum(sure for _, _, sure in got) < 0.99 * requests
if not blames["publish"]:
    sys.exit("no blame")
for piece, score in blames["publish"].most_common(4):
    print(f"{100 * score / blames['publish'].total():5.1f} % {piece}")
sys.exit(bad or len(volume) != 2 or not blames["publish"].most_common(1)[0][0].endswith(slow))
