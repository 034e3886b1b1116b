#!/usr/bin/env python3
"""A second implementation of blame-rank for request activity graphs, to compare the first with.

Written from the definitions (blame-rank(1)), plainly and slowly: fractions, and every instant looked at by
itself. Reads graph, node and edge records as text and prints what blame-rank says of them: path and blame records.

    blame.py [-n N] [-a critical|npt] [--instances] < GRAPHS
"""
import argparse
import shlex
import sys
from collections import namedtuple
from fractions import Fraction

Wait = namedtuple("Wait", "start end")


class Node:
    def __init__(self, keys):
        self.id = int(keys["id"])
        self.name = keys["name"]
        self.label = keys.get("label", self.name)
        self.start, self.end = time(keys["start"]), time(keys["end"])
        self.parent = int(keys["parent"]) if "parent" in keys else None
        self.wait = Wait(time(keys["wait_start"]), time(keys["wait_end"])) if "wait_start" in keys else None
        self.join = keys.get("join")
        self.children = []
        self.awaited = []


class Graph:
    def __init__(self, keys):
        self.id = keys["id"]
        self.nodes = {}
        self.edges = []
        self.root = int(keys["root"]) if "root" in keys else None
        self.start = time(keys["from"]) if "from" in keys else None
        self.end = time(keys["to"]) if "to" in keys else None

    def complete(self):
        for node in self.nodes.values():
            if node.parent is not None:
                self.nodes[node.parent].children.append(node)
        for keys in self.edges:
            if keys["kind"] == "join":
                self.nodes[int(keys["to"])].awaited.append(self.nodes[int(keys["from"])])
        if self.start is None:
            self.start = min(node.start for node in self.nodes.values())
        if self.end is None:
            self.end = max(node.end for node in self.nodes.values())


def time(text):
    return int(Fraction(text) * 10**9)


def spell(value, digits=9):
    whole = int(value + Fraction(1, 2))
    return f"{whole // 10**digits}.{whole % 10**digits:0{digits}d}"


def read(lines):
    graphs = []
    for line in lines:
        kind, *pairs = shlex.split(line, comments=True) or [""]
        keys = dict(pair.split("=", 1) for pair in pairs)
        if kind == "graph":
            graphs.append(Graph(keys))
        elif kind == "node":
            node = Node(keys)
            graphs[-1].nodes[node.id] = node
        elif kind == "edge":
            graphs[-1].edges.append(keys)
    for graph in graphs:
        graph.complete()
    return graphs


def last(nodes):
    """Ended last; ties: longer run, then lower id."""
    return min(nodes, key=lambda n: (-n.end, -(n.end - n.start), n.id))


def first(nodes):
    """Ended first; ties: shorter run, then lower id."""
    return min(nodes, key=lambda n: (n.end, n.end - n.start, n.id))


def critical_path(graph):
    path = set()
    done = set()

    def add(node):
        if node.id in done:
            return
        done.add(node.id)
        path.add(node.id)
        for child in node.children:
            if not child.wait:
                continue
            if not child.join:
                add(child)
                continue
            path.add(child.id)
            if child.awaited:
                add(last(child.awaited) if child.join == "all" else first(child.awaited))

    if graph.root is not None:
        add(graph.nodes[graph.root])
    else:
        add(last([node for node in graph.nodes.values() if node.parent is None]))
    return path


def active(node, t):
    if node.join or not node.start <= t < node.end:
        return False
    return not any(child.wait and child.wait.start <= t < child.wait.end for child in node.children)


def cuts(graph):
    times = set()
    for node in graph.nodes.values():
        times |= {node.start, node.end}
        if node.wait:
            times |= {node.wait.start, node.wait.end}
    return sorted(times)


def assign(graph):
    """Blame by node, and the stretches in which each was active."""
    blame = {i: Fraction(0) for i in graph.nodes}
    stretches = {i: [] for i in graph.nodes}
    times = cuts(graph)
    for start, end in zip(times, times[1:]):
        sharers = [node for node in graph.nodes.values() if active(node, start)]
        for node in sharers:
            blame[node.id] += Fraction(end - start, len(sharers))
            if stretches[node.id] and stretches[node.id][-1][1] == start:
                stretches[node.id][-1][1] = end
            else:
                stretches[node.id].append([start, end])
    return blame, stretches


def overlap(a, b):
    return max(a.start, b.start) < min(a.end, b.end)


def choose(graph, path, blame, count, algorithm):
    nodes = [node for node in graph.nodes.values() if not node.join]
    nodes.sort(key=lambda n: (-blame[n.id], n.start, n.id))
    if algorithm == "npt":
        return nodes[:count]
    b1 = [node for node in nodes if node.id in path][:count]
    if not b1:
        return []
    alpha = min(blame[node.id] for node in b1)
    b2 = [n for n in nodes if n.id not in path and blame[n.id] >= alpha and any(overlap(n, other) for other in b1)]
    return b1 + b2


def rank(graph, options):
    path = critical_path(graph)
    blame, stretches = assign(graph)
    chosen = [n for n in choose(graph, path, blame, options.n, options.a) if blame[n.id] > 0]
    chosen.sort(key=lambda n: (-blame[n.id], n.start, n.id))
    groups = {}
    for node in chosen:
        groups.setdefault(node.id if options.instances else node.name, []).append(node)
    lines = list(groups.values())
    if not options.instances:
        lines.sort(key=lambda group: (-blame[group[0].id], group[0].name.encode()))
    pieces = sorted((start, graph.nodes[i].id, end) for i in path for start, end in stretches[i])
    return pieces, [(group[0], blame[group[0].id], any(n.id in path for n in group), len(group)) for group in lines]


def quoted(text):
    return f'"{text}"' if " " in text or not text else text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=5)
    parser.add_argument("-a", default="critical")
    parser.add_argument("--instances", action="store_true")
    options = parser.parse_args()
    for graph in read(sys.stdin):
        pieces, lines = rank(graph, options)
        for start, node, end in pieces:
            print(f"path graph={graph.id} node={node} from={spell(start)} to={spell(end)}")
        for i, (node, score, on_path, instances) in enumerate(lines, 1):
            print(
                f"blame graph={graph.id} rank={i} name={quoted(node.name)} label={quoted(node.label)}"
                f" score={spell(score)} share={spell(score * 10**6 / (graph.end - graph.start), 6)}"
                f" on_path={'yes' if on_path else 'no'} instances={instances} algorithm={options.a}"
                + (f" node={node.id}" if options.instances else "")
            )


main()
