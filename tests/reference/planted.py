#!/usr/bin/env python3
"""Random requests, each late because of one method: planted.py SEED COUNT.

Methods work, call each other, start several and await all, guard a call with a timeout (a node of what=timer) and retry
it. In each request one method is made slow; it is kept if the request takes at least half as long again for it, or if it ran into
a timeout for it. The slow method is called culprit in the graphs, which are written as text records.
"""
import itertools
import random
import sys


class Method:
    def __init__(self, rng, numbers, depth):
        self.name = f"m{next(numbers)}"
        self.steps = []
        for _ in range(rng.randint(1, 4) if depth else 1):
            self.steps.append(("work", rng.randint(1, 20)))
            kind = rng.choice(["none", "call", "call", "all", "guard", "retry"]) if depth else "none"
            if kind == "all":
                self.steps.append((kind, [Method(rng, numbers, depth - 1) for _ in range(rng.randint(2, 4))]))
            elif kind != "none":
                self.steps.append((kind, [Method(rng, numbers, depth - 1)]))

    def all(self):
        yield self
        for kind, what in self.steps:
            if kind != "work":
                for method in what:
                    yield from method.all()


class Run:
    """One execution, as nodes and edges."""

    def __init__(self, culprit=None, factor=1, timeouts=None):
        self.culprit, self.factor = culprit, factor
        self.timeouts = timeouts  # by guarded method: None while they are being found
        self.nodes, self.edges, self.took, self.late = [], [], {}, False

    def node(self, **keys):
        self.nodes.append(dict(keys, id=len(self.nodes) + 1))
        return self.nodes[-1]

    def wait(self, node, start, end):
        node["wait_start"], node["wait_end"] = start, end

    def join(self, parent, kind, start, end, awaited):
        join = self.node(name="join", parent=parent["id"], start=start, end=end, join=kind)
        self.wait(join, start, end)
        self.edges += [(node["id"], join["id"]) for node in awaited]

    def guard(self, parent, method, t):
        child = self.execute(method, t, parent)
        if self.timeouts is None:
            self.took[method] = max(self.took.get(method, 0), child["end"] - t)
            self.wait(child, t, child["end"])
            return child["end"], True
        timer = self.node(name="Delay", parent=parent["id"], start=t, end=t + self.timeouts[method], what="timer")
        end = min(child["end"], timer["end"])
        self.join(parent, "any", t, end, [child, timer])
        if child["end"] > timer["end"]:
            self.late = True
        return end, child["end"] <= timer["end"]

    def execute(self, method, t, parent=None):
        slow = method is self.culprit
        node = self.node(name="culprit" if slow else method.name, start=t)
        if parent:
            node["parent"] = parent["id"]
        for kind, what in method.steps:
            if kind == "work":
                t += what * (self.factor if slow else 1)
            elif kind == "call":
                child = self.execute(what[0], t, node)
                self.wait(child, t, child["end"])
                t = child["end"]
            elif kind == "all":
                children = [self.execute(m, t, node) for m in what]
                end = max(child["end"] for child in children)
                self.join(node, "all", t, end, children)
                t = end
            else:
                for _ in range(3 if kind == "retry" else 1):
                    t, done = self.guard(node, what[0], t)
                    if done:
                        break
        node["end"] = t
        return node

    def write(self, name):
        print(f"graph id={name} kind=rag root=1")
        for node in self.nodes:
            print(f"node graph={name} " + " ".join(f"{key}={value}" for key, value in node.items()))
        for source, target in self.edges:
            print(f"edge graph={name} from={source} to={target} kind=join")


def main():
    rng = random.Random(int(sys.argv[1]))
    written = 0
    while written < int(sys.argv[2]):
        request = Method(rng, itertools.count(), rng.randint(1, 4))
        healthy = Run()
        healthy.execute(request, 0)
        timeouts = {method: 2 * took for method, took in healthy.took.items()}
        culprit = rng.choice([method for method in request.all() if method is not request] or [request])
        run = Run(culprit, rng.randint(10, 60), timeouts)
        run.execute(request, 0)
        if run.late or run.nodes[0]["end"] >= 1.5 * healthy.nodes[0]["end"]:
            written += 1
            run.write(written)


main()
