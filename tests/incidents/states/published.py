"""published.py LOG < spans: which message each span of a subscriber is of, by its parents, against the logs of publishers.py: none may be wrong, and
99 % must be there. A span's message must be one that the subscriber received in the span's time, and be of its length, also over the bus."""
import shlex, sys
from collections import defaultdict

spans = {}
for line in sys.stdin:
    if line.startswith("span "):
        span = dict(word.split("=", 1) for word in shlex.split(line)[1:])
        spans[span["id"]] = span
sent, received, lengths = defaultdict(list), {}, {}
for line in open(sys.argv[1]):
    kind, pid, number, *more = line.split()
    if kind == "pub":
        sent[pid].append(number)
        lengths[number] = int(more[0])
    else:
        received[pid, number] = [float(time) for time in more]

# what each publisher asked for, in its order
asked, means = defaultdict(list), {}
for span in spans.values():
    caller = spans.get(span.get("parent"))
    if span["kind"] == "server" and span.get("name") == "publish" and caller and caller["pid"] in sent:
        asked[caller["pid"]].append(span)
for pid, calls in asked.items():
    calls.sort(key=lambda span: (float(span["ts"]), int(span["id"])))
    if len(calls) != len(sent[pid]):
        sys.exit(f"publisher {pid}: {len(sent[pid])} messages, of which {len(calls)} were seen")
    means.update((call["id"], number) for call, number in zip(calls, sent[pid]))

def message(span):
    while span and span["id"] not in means:
        span = spans.get(span.get("parent"))
    return span and means[span["id"]]

subscribers = {pid for pid, _ in received}
arrived = [span for span in spans.values() if span["kind"] == "consumer" and span["pid"] in subscribers]
bus = [span for span in spans.values() if span["kind"] == "consumer" and span["pid"] not in subscribers]
wrong = twice = over = exact = 0
seen = set()
for span in arrived:
    number, end = message(span), float(span["ts"])
    if number is None:
        continue
    before, after, length = received.get((span["pid"], number), (2, 1, 0))
    exact += before <= end <= after
    wrong += float(span["start"]) > after or before > end or int(span.get("bytes_in", length)) != length
    twice += (span["pid"], number) in seen
    seen.add((span["pid"], number))
for span in bus:
    number = message(span)
    if number is not None:
        over += 1
        wrong += int(span["bytes_in"]) != 2264 + len("chan") + lengths[number]
unsure = sum(span["sure"] == "no" for span in arrived + bus)
print(f"{len(received)} messages received, {100 * len(seen) / len(received):.2f} % followed, {exact} to the call, {over} over the bus, {wrong} wrong, {twice} twice, {unsure} unsure")
sys.exit(wrong > 0 or twice > 0 or len(seen) < 0.99 * len(received) or over == 0)
