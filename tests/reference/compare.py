#!/usr/bin/env python3
"""A second implementation of blame-rank --diff, for few moments: all deals of the moments, with fractions.

    compare.py GOOD BAD      (ranked text streams: graph and blame records, all names of each graph listed)
"""
import re
import sys
from fractions import Fraction
from itertools import combinations


def moments(path):
    """The share of each name in each moment: graphs of one window that follow each other, or one graph without window."""
    found, window = [], None
    for line in open(path):
        keys = dict(re.findall(r'(\w+)=("[^"]*"|\S+)', line))
        if line.startswith("graph "):
            if not found or "window" not in keys or keys["window"] != window:
                found.append([Fraction(0), {}])
            window = keys.get("window")
            found[-1][0] += Fraction(keys["to"]) - Fraction(keys["from"])
        elif line.startswith("blame ") and keys["graph"] != "total":
            scores = found[-1][1]
            scores[keys["name"]] = scores.get(keys["name"], 0) + Fraction(keys["score"])
    return [{name: score / time for name, score in scores.items()} for time, scores in found]


def differences(good, bad, names):
    def mean(side, name):
        return sum(m.get(name, 0) for m in side) / Fraction(len(side))

    return {name: mean(bad, name) - mean(good, name) for name in names}


def main():
    good, bad = moments(sys.argv[1]), moments(sys.argv[2])
    both = good + bad
    names = sorted({name for moment in both for name in moment})
    found = differences(good, bad, names)
    largest = []
    for deal in combinations(range(len(both)), len(bad)):
        dealt = differences([m for i, m in enumerate(both) if i not in deal], [both[i] for i in deal], names)
        largest.append(max(abs(d) for d in dealt.values()))
    for name in sorted(names, key=lambda name: (-found[name], name)):
        if found[name] > 0:
            p = Fraction(sum(most >= found[name] for most in largest), len(largest))
            print(f"{name} {float(found[name]):.6f} {float(p):.6f} {'yes' if p <= Fraction(1, 20) else 'no'}")


main()
