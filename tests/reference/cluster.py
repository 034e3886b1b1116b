#!/usr/bin/env python3
"""A second implementation of run-cluster, written for clearness: it tries every partition.

cluster.py FILE: lines "ID NODE VALUE"; prints "groups=N unit=UNIT" and a line "ID CLASS" for each run with a label."""
import itertools
import math
import sys


def cost(values):
    mean = math.fsum(values) / len(values)
    return math.fsum((v - mean) ** 2 for v in values)


def silhouette(groups):
    total = 0
    for g, group in enumerate(groups):
        for i, x in enumerate(group):
            if len(group) == 1:
                continue
            a = math.fsum(abs(x - y) for y in group) / (len(group) - 1)
            b = min(math.fsum(abs(x - y) for y in other) / len(other) for h, other in enumerate(groups) if h != g)
            total += (b - a) / max(a, b)
    return total / sum(map(len, groups))


def kmeans(values):
    values = sorted(values)
    cuts = [i for i in range(1, len(values)) if values[i] != values[i - 1]]
    best = None
    for k in range(2, min(5, len(cuts) + 1) + 1):
        chosen = None
        for cut in itertools.combinations(cuts, k - 1):  # in order of the first cut, then the second
            edges = (0,) + cut + (len(values),)
            groups = [values[a:b] for a, b in zip(edges, edges[1:])]
            c = sum(map(cost, groups))
            if chosen is None or c < chosen[0] * (1 - 1e-9):
                chosen = c, groups
        s = silhouette(chosen[1])
        if best is None or s > best[0] + 1e-10:
            best = s, chosen[1]
    return best


def median(values):
    values = sorted(values)
    n = len(values)
    return values[n // 2] if n % 2 else (values[n // 2 - 1] + values[n // 2]) / 2


def group(metric, least, nodes):
    """Class of each key, or nothing."""
    odd, rest = [], dict(metric)
    while True:
        found = None
        if len(rest) >= 2 * least and len(set(rest.values())) >= 2:
            found = kmeans([math.log(v) for v in rest.values()])
            of = {x: g for g, values in enumerate(found[1]) for x in values}
            groups = [[key for key, v in rest.items() if of[math.log(v)] == g] for g in range(len(found[1]))]
            small = [key for members in groups if len(members) < least for key in members]
            if small:
                odd += small
                for key in small:
                    del rest[key]
                continue
        break
    if found and found[0] >= 0.75:
        medians = [median([rest[key] for key in members]) for members in groups]
        if medians[-1] >= 1.5 * medians[0]:
            names = ["good"] + ["between"] * (len(groups) - 2) + ["bad"]
            return {**{key: names[g] for g, members in enumerate(groups) for key in members}, **{key: "odd" for key in odd}}, len(groups)
    if nodes and rest:
        middle = median(list(rest.values()))
        bad = [key for key in odd if metric[key] >= 1.5 * middle]
        if bad:
            return {**{key: "good" for key in rest}, **{key: "bad" if key in bad else "odd" for key in odd}}, 2
    return None, 1


def main():
    runs = [line.split() for line in open(sys.argv[1])]
    metric = {run: float(value) for run, _, value in runs}
    classes, count = group(metric, 3, False)
    if classes:
        print("groups=%d unit=run" % count)
        for run, _, _ in runs:
            print(run, classes[run])
        return
    nodes = {}
    for run, node, value in runs:
        nodes.setdefault(node, []).append(float(value))
    classes, count = group({n: median(v) for n, v in nodes.items() if len(v) >= 3}, 2, True)
    print("groups=%d unit=%s" % (count, "node" if classes else "run"))
    for run, node, _ in runs:
        if classes and node in classes:
            print(run, classes[node])


main()
