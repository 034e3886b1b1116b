#!/usr/bin/env python3
"""random_table.py SEED: a table of comma-separated values: numbers and words, many equal, some unknown, some copies of each other."""
import random
import sys

rnd = random.Random(int(sys.argv[1]))
rows = rnd.choice([5, 6, 7, 12, 25, 40])
classes = rnd.choice([["good", "bad"], ["good", "bad"], ["a", "b", "c"]])
label = [rnd.choice(classes) for _ in range(rows)]
label[:len(classes)] = classes
unknown = rnd.choice([0, 0.1, 0.3])
columns = []
for i in range(rnd.randrange(1, 9)):
    kind, signal = rnd.random(), rnd.choice([0, 0.5, 3])
    shift = [signal * classes.index(c) for c in label]
    if kind < 0.4:
        column = [str(rnd.randrange(4) + int(s)) for s in shift]
    elif kind < 0.7:
        column = ["%.2f" % (rnd.gauss(0, 1) + s) for s in shift]
    elif kind < 0.9 or not columns:
        column = [rnd.choice(["red", "green", "blue"][:rnd.choice([2, 3])]) if rnd.random() > signal / 4 else c + "ish" for c in label]
    else:
        column = list(rnd.choice(columns))
    if rnd.random() < 0.5:
        column = ["?" if rnd.random() < unknown else v for v in column]
    columns.append(column)
print(",".join("f%d" % i for i in range(len(columns))) + ",class")
for r in range(rows):
    print(",".join(column[r] for column in columns) + "," + label[r])
