#!/usr/bin/env python3
"""Random wake graphs as text records, legal and otherwise without sense: random_wakes.py SEED COUNT [NODES].

Edges of every kind run between any two nodes, circles and self-edges among them; times come from a coarse grid. Nobody
can say what their path should be, but it must cover the graph's time, end, and blame all of it.
"""
import random
import sys

WHATS = ["run", "runnable", "wait", "wait", "wait", "irq", "softirq", "timer", "queue", "service", "unknown"]
KINDS = ["call", "async", "wake", "wake", "wake", "timer", "ipc", "flag", "seq", "seq", "seq", "cpu", "queue"]


def make(rng, name, size, grid):
    start, end = sorted(rng.choices(range(grid + 1), k=2))
    target = f" target={rng.randrange(size)}" if rng.random() < 0.8 else ""
    print(f"graph id={name} kind=wake{target} from={start} to={end}")
    for node in range(size):
        a, b = sorted(rng.choices(range(grid + 1), k=2))
        print(f"node graph={name} id={node} name={rng.choice('ABCDEF')} start={a} end={b} what={rng.choice(WHATS)}")
    for _ in range(rng.randrange(3 * size + 1)):
        ts = f" ts={rng.randrange(grid + 1)}" if rng.random() < 0.5 else ""
        print(f"edge graph={name} from={rng.randrange(size)} to={rng.randrange(size)} kind={rng.choice(KINDS)}{ts}")


def main():
    rng = random.Random(int(sys.argv[1]))
    largest = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    for name in range(1, int(sys.argv[2]) + 1):
        make(rng, name, rng.randint(1, largest), rng.choice([3, 20, 1000]))


main()
