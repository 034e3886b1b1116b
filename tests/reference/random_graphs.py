#!/usr/bin/env python3
"""Random request activity graphs as text records: random_graphs.py SEED COUNT [NODES].

Times come from a coarse grid, so that ties, touching intervals and zero-length nodes are common; names are few, so
that instances share them. Waits may overlap, nest, be empty or lie outside the run; ids are scattered and shuffled.
Half of the graphs are wild: intervals, parents and joins are drawn without any sense, as long as they are legal.
"""
import random
import sys


def spell(ticks, unit):
    nanoseconds = ticks * unit
    return f"{nanoseconds // 10**9}.{nanoseconds % 10**9:09d}"


def interval(rng, low, high):
    a, b = rng.randint(low, high), rng.randint(low, high)
    return min(a, b), max(a, b)


class Maker:
    def __init__(self, rng, size):
        self.rng = rng
        self.rare_rng = random.Random(size)
        self.size = size
        self.nodes = []
        self.edges = []
        self.wild = rng.random() < 0.5
        self.grid = rng.choice([4, 12, 60, 1000])
        self.ids = rng.sample(range(1, 10 * size + 10), size + 1)
        if rng.random() < 0.3:
            self.ids.sort()

    def rare(self, join):
        """Keys that only some algorithms look at; drawn apart, so that the graphs are the same without them."""
        rng = self.rare_rng
        threw = " threw=Error" if rng.random() < 0.15 else ""
        return threw + (" what=timer" if not join and rng.random() < 0.15 else "")

    def add(self, parent, start, end, wait, join=None):
        rng = self.rng
        node = {
            "id": self.ids[len(self.nodes)],
            "name": rng.choice("ABCDEFGH"),
            "start": start,
            "end": end,
            "parent": parent,
            "wait": wait,
            "join": join,
            "call": rng.choice(["sync", "async"]),
            "more": self.rare(join),
        }
        self.nodes.append(node)
        return node

    def wait(self, low, high):
        return interval(self.rng, low, high) if self.rng.random() < 0.7 else None

    def add_child(self):
        rng = self.rng
        if not self.nodes or (self.wild and rng.random() < 0.05):
            self.add(None, *interval(rng, 0, self.grid), None)
            return
        parent = rng.choice(self.nodes[-5:] if rng.random() < 0.5 else self.nodes)
        if self.wild:
            self.add(parent, *interval(rng, 0, self.grid), self.wait(0, self.grid))
            return
        start, end = interval(rng, parent["start"], parent["end"])
        kind = rng.random()
        if kind < 0.5:  # synchronous: awaited for as long as it runs
            self.add(parent, start, end, (start, end))
        elif kind < 0.8:  # asynchronous, awaited from some time on
            self.add(parent, start, end, (rng.randint(start, end), end))
        else:  # never awaited, may outlive its parent
            self.add(parent, start, min(self.grid, end + rng.randint(0, self.grid // 2)), None)

    def add_join(self):
        rng = self.rng
        parent = rng.choice(self.nodes)
        among = [n for n in self.nodes if self.wild or (n["parent"] is parent and not n["join"])]
        if not among:
            return
        awaited = rng.sample(among, rng.randint(1, min(len(among), 6)))
        start, end = interval(rng, 0, self.grid)
        join = self.add(parent, start, end, self.wait(0, self.grid) if self.wild else (start, end), rng.choice(["all", "any"]))
        self.edges += [(n["id"], join["id"]) for n in awaited]

    def make(self):
        while len(self.nodes) < self.size:
            if self.nodes and self.rng.random() < 0.15:
                self.add_join()
            else:
                self.add_child()

    def write(self, name):
        rng = self.rng
        unit = rng.choice([1, 7, 1000000, 10**9])
        root = f" root={rng.choice(self.nodes)['id']}" if rng.random() < 0.3 else ""
        life = f" from=0 to={spell(max(1, self.grid), unit)}"
        print(f"graph id={name} kind=rag{root}{life}")
        rng.shuffle(self.nodes)
        for node in self.nodes:
            line = f"node graph={name} id={node['id']} name={node['name']} label={node['name']}{node['id']}"
            line += f" start={spell(node['start'], unit)} end={spell(node['end'], unit)}"
            if node["parent"]:
                line += f" parent={node['parent']['id']} call={node['call']}"
            if node["wait"]:
                line += f" wait_start={spell(node['wait'][0], unit)} wait_end={spell(node['wait'][1], unit)}"
            if node["join"]:
                line += f" join={node['join']}"
            line += node["more"]
            print(line)
        rng.shuffle(self.edges)
        for source, target in self.edges:
            print(f"edge graph={name} from={source} to={target} kind=join")


def main():
    rng = random.Random(int(sys.argv[1]))
    largest = int(sys.argv[3]) if len(sys.argv) > 3 else 40
    for i in range(int(sys.argv[2])):
        maker = Maker(rng, rng.randint(1, largest))
        maker.make()
        maker.write(i + 1)


main()
