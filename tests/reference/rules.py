#!/usr/bin/env python3
"""A second implementation of run-rules --csv, written for clearness: sets of rows, no sums that grow.

rules.py FILE CLASS [criterion] [multiway] [paper]: prints a line "FEATURE CUT GAIN RIGHT LEAVES P TEXT" for each rule, and "same FEATURE
CUT" lines behind it. P is "-" where there are more than 199 different deals."""
import csv
import itertools
import math
import sys

TIE = 1e-10


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


class Learner:
    def __init__(self, path, class_column, flags):
        rows = list(csv.reader(open(path)))
        header = rows[0]
        at = header.index(class_column)
        self.label = [r[at] for r in rows[1:]]
        self.classes = sorted(set(self.label))
        self.n = len(self.label)
        self.columns = {}
        for i, name in enumerate(header):
            if i != at:
                values = [None if r[i] in ("", "?") else r[i] for r in rows[1:]]
                if all(v is None or is_number(v) for v in values):
                    values = [None if v is None else float(v) for v in values]
                self.columns[name] = values
        self.criterion = next((f for f in flags if f in ("gain", "ratio", "gini")), "gain")
        self.multiway, self.paper = "multiway" in flags, "paper" in flags
        self.min_leaf = min([2] + [self.label.count(c) for c in self.classes])

    def numeric(self, name):
        return all(v is None or isinstance(v, float) for v in self.columns[name])

    # A split is (name, kind, what): ("x", "<", 3.5), ("x", "=", "red"), ("x", "any", [values])
    def branch(self, split, row):
        name, kind, what = split
        value = self.columns[name][row]
        if value is None:
            return None
        if kind == "any":
            return value
        return 0 if (value < what if kind == "<" else value == what) else 1

    def splits(self, name, weights):
        """All candidates at a node, with their margins."""
        values = sorted({self.columns[name][r] for r in weights if self.columns[name][r] is not None})
        if len(values) < 2:
            return []
        if self.numeric(name):
            found = []
            for low, high in zip(values, values[1:]):
                cut = low / 2 + high / 2
                found.append(((name, "<", cut if cut > low else high), (high - low) / (values[-1] - values[0])))
            return found
        if self.multiway:
            return [((name, "any", tuple(values)), 0)]
        return [((name, "=", v), 0) for v in (values[:1] if len(values) == 2 else values)]

    def parts(self, split, weights):
        parts = {}
        for r, w in weights.items():
            parts.setdefault(self.branch(split, r), {})[r] = w
        return parts

    def by_class(self, weights, labels):
        return [math.fsum(w for r, w in weights.items() if labels[r] == c) for c in self.classes]

    def impurity(self, weights, labels, gini):
        total = math.fsum(weights.values())
        shares = [w / total for w in self.by_class(weights, labels)]
        return 1 - sum(p * p for p in shares) if gini else -sum(p * math.log2(p) for p in shares if p > 0)

    def decrease(self, split, weights, labels, gini):
        parts = self.parts(split, weights)
        parts.pop(None, None)
        known = {r: w for part in parts.values() for r, w in part.items()}
        total = math.fsum(known.values())
        after = sum(math.fsum(p.values()) / total * self.impurity(p, labels, gini) for p in parts.values())
        return (self.impurity(known, labels, gini) - after) * total / math.fsum(weights.values())

    def allowed(self, split, weights):
        parts = self.parts(split, weights)
        parts.pop(None, None)
        heavy = [1 for p in parts.values() if math.fsum(p.values()) >= self.min_leaf - 1e-9]
        return len(heavy) >= 2

    def ratio(self, split, weights):
        total = math.fsum(weights.values())
        shares = [math.fsum(p.values()) / total for p in self.parts(split, weights).values()]
        return self.decrease(split, weights, self.label, False) / -sum(s * math.log2(s) for s in shares)

    def best_of_feature(self, name, weights, labels, floor=None):
        """(score, split, margin) of a feature's best cut, or nothing."""
        scored = [(self.decrease(s, weights, labels, self.criterion == "gini"), s, m)
                  for s, m in self.splits(name, weights) if self.allowed(s, weights)]
        if not scored:
            return None
        best = max(s[0] for s in scored) if floor is None else floor
        near = [s for s in scored if s[0] >= best - TIE]
        if not near:
            return None
        widest = max(s[2] for s in near)
        near = [s for s in near if s[2] >= widest - TIE]
        return min(near, key=lambda s: (s[1][2],))

    def choose(self, names, weights):
        if self.criterion == "ratio":
            bests = [b for b in (self.best_of_feature(n, weights, self.label) for n in names) if b]
            if not bests:
                return None
            average = math.fsum(b[0] for b in bests) / len(bests)
            near = [(self.ratio(b[1], weights), b) for b in bests if b[0] >= average - TIE]
            top = max(r for r, _ in near)
            near = [b for r, b in near if r >= top - TIE]
        else:
            bests = [b for b in (self.best_of_feature(n, weights, self.label) for n in names) if b]
            if not bests:
                return None
            top = max(b[0] for b in bests)
            near = [b for b in (self.best_of_feature(n, weights, self.label, top) for n in names) if b]
        widest = max(b[2] for b in near)
        return min((b for b in near if b[2] >= widest - TIE), key=lambda b: b[1][0])

    def grow(self, names, weights, depth, parent):
        counts = self.by_class(weights, self.label)
        most, total = max(counts), math.fsum(weights.values())
        tied = [c for c, w in zip(self.classes, counts) if w >= most - 1e-9]
        cls = parent if parent in tied else tied[0]
        leaf = {"class": cls, "right": most, "leaves": 1}
        if total - most <= 1e-9 or (not self.paper and depth == 3):
            return leaf
        chosen = self.choose(names, weights)
        if not chosen:
            return leaf
        split = chosen[1]
        gain = self.decrease(split, weights, self.label, False)
        if gain <= TIE:
            return leaf
        if depth and not self.paper:
            candidates = sum(len(self.splits(n, weights)) for n in names)
            if gain <= math.log2(candidates) / total:
                return leaf
        parts = self.parts(split, weights)
        unknown = parts.pop(None, {})
        known = math.fsum(w for p in parts.values() for w in p.values())
        children = {}
        for key, part in parts.items():
            share = math.fsum(part.values()) / known
            children[key] = self.grow(names, {**part, **{r: w * share for r, w in unknown.items()}}, depth + 1, cls)
        right = math.fsum(c["right"] for c in children.values())
        if right <= most + 1e-9:
            return leaf
        return {"class": cls, "right": right, "leaves": sum(c["leaves"] for c in children.values()), "split": split,
                "children": children, "score": chosen[0]}

    def paths(self, node, cls, conditions):
        if "split" not in node:
            return [conditions] if node["class"] == cls else []
        name, kind, _ = node["split"]
        found = []
        for key in sorted(node["children"]):
            if kind == "<":
                text = "%s %s %.6g" % (name, "<" if key == 0 else ">=", node["split"][2])
            elif kind == "=":
                text = "%s %s %s" % (name, "=" if key == 0 else "!=", node["split"][2])
            else:
                text = "%s = %s" % (name, key)
            found += self.paths(node["children"][key], cls, conditions + [text])
        return found

    def text(self, tree):
        pieces = []
        for cls in self.classes[:1] if len(self.classes) == 2 else self.classes:
            paths = self.paths(tree, cls, [])
            if paths:
                joined = ["(%s)" % " and ".join(p) if len(p) > 1 and len(paths) > 1 else " and ".join(p) for p in paths]
                pieces.append("%s if %s" % (cls, " or ".join(joined)))
        return "; ".join(pieces)

    def deals(self):
        """The best score of each different deal, or nothing if there are more than 199."""
        count = math.factorial(self.n)
        for c in self.classes:
            count //= math.factorial(self.label.count(c))
        if count > 199:
            return None
        everybody = {r: 1.0 for r in range(self.n)}
        best = []
        for deal in sorted(set(itertools.permutations(self.label))):
            scores = [b[0] for b in (self.best_of_feature(n, everybody, deal) for n in self.columns) if b]
            best.append(max(scores, default=-math.inf))
        return best

    def partition(self, split):
        """The rows by branch, without names of branches; those unknown apart."""
        parts = self.parts(split, {r: 1 for r in range(self.n)})
        unknown = frozenset(parts.pop(None, {}))
        return unknown, frozenset(frozenset(p) for p in parts.values())

    def run(self):
        names, dealt = sorted(self.columns), self.deals()
        everybody = {r: 1.0 for r in range(self.n)}
        for _ in range(10):
            tree = self.grow(names, everybody, 0, None)
            if "split" not in tree:
                return
            root, score = tree["split"], tree["score"]
            p = "-" if dealt is None else "%.9f" % (sum(d >= score - TIE for d in dealt) / len(dealt))
            cut = lambda s: "any" if s[1] == "any" else "%.12g" % s[2] if s[1] == "<" else s[2]
            print(root[0], cut(root), "%.9f" % score, "%.6f" % tree["right"], tree["leaves"], p, self.text(tree))
            names.remove(root[0])
            for name in list(names) if not self.paper else []:
                best = self.best_of_feature(name, everybody, self.label)
                if best and self.partition(best[1]) == self.partition(root):
                    print("same", name, cut(best[1]))
                    names.remove(name)


Learner(sys.argv[1], sys.argv[2], sys.argv[3:]).run()
