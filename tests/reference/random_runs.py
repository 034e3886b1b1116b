#!/usr/bin/env python3
"""random_runs.py SEED: lines "ID NODE VALUE" of runs: of one speed, or a few, by run or by node; many values are equal."""
import random
import sys

rnd = random.Random(int(sys.argv[1]))
nodes = rnd.randrange(1, 8)
runs = rnd.randrange(2, 26)
speeds = [rnd.choice([1, 1, 2, 3, 10]) for _ in range(nodes)]
by_node, spread = rnd.random() < 0.6, rnd.choice([0.02, 0.1, 0.5])
for i in range(runs):
    node = rnd.randrange(nodes)
    speed = speeds[node] if by_node else rnd.choice(speeds)
    print("r%d n%d %.3f" % (i, node, speed * rnd.lognormvariate(0, spread)))
