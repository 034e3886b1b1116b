#!/usr/bin/env python3
"""A second implementation of blame-rank for request activity graphs, to compare the first with.

Written from the definitions (blame-rank(1)), plainly and slowly: fractions, and every instant looked at by
itself. Reads graph, node and edge records as text and prints what blame-rank says of them: path and blame records.

    blame.py [-n N] [-a ALGORITHM] [--instances] < GRAPHS
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
        self.threw = "threw" in keys
        self.timer = keys.get("what") == "timer"
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


def root_of(graph):
    if graph.root is not None:
        return graph.nodes[graph.root]
    return last([node for node in graph.nodes.values() if node.parent is None])


def critical_path(graph, whole_any=False):
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
            if whole_any and child.join == "any":
                for node in child.awaited:
                    add(node)
            elif child.awaited:
                add(last(child.awaited) if child.join == "all" else first(child.awaited))

    add(root_of(graph))
    return path


def active(node, t, timers=True):
    if node.join or not node.start <= t < node.end or (node.timer and not timers):
        return False
    waited_for = (child for child in node.children if child.wait and (timers or not child.timer))
    return not any(child.wait.start <= t < child.wait.end for child in waited_for)


def cuts(graph):
    times = set()
    for node in graph.nodes.values():
        times |= {node.start, node.end}
        if node.wait:
            times |= {node.wait.start, node.wait.end}
    return sorted(times)


def assign(graph, timers=True):
    """Blame by node, and the stretches in which each was active."""
    blame = {i: Fraction(0) for i in graph.nodes}
    stretches = {i: [] for i in graph.nodes}
    times = cuts(graph)
    for start, end in zip(times, times[1:]):
        sharers = [node for node in graph.nodes.values() if active(node, start, timers)]
        for node in sharers:
            blame[node.id] += Fraction(end - start, len(sharers))
            if stretches[node.id] and stretches[node.id][-1][1] == start:
                stretches[node.id][-1][1] = end
            else:
                stretches[node.id].append([start, end])
    return blame, stretches


def overlap(a, b):
    return max(a.start, b.start) < min(a.end, b.end)


NEVER = float("inf")


class Replay:
    """The request again, as lib/blame/ilz.c says; found by asking each node over and over until no answer changes."""

    def __init__(self, graph, zero, longer=None):
        self.graph, self.zero, self.longer = graph, zero, longer
        self.starts = {i: NEVER for i in graph.nodes}
        self.ends = {i: NEVER for i in graph.nodes}
        self.root = root_of(graph)
        alone = [self.root] + [n for n in graph.nodes.values() if n.parent is None]
        self.starts |= {n.id: n.start for n in alone}
        while True:
            before = dict(self.starts), dict(self.ends)
            for node in sorted(graph.nodes.values(), key=lambda n: -n.start):
                self.live(node)
            if (self.starts, self.ends) == before:
                break

    def clipped(self, parent, child):
        wait = child.wait
        if not wait or wait.start >= wait.end or wait.start >= parent.end or wait.end <= parent.start:
            return None
        return Wait(max(wait.start, parent.start), wait.end)

    def live(self, node):
        happenings = []
        for child in node.children:
            wait = self.clipped(node, child)
            if wait:
                happenings.append((wait.start, 1, "wait", child, wait))
                if wait.end <= node.end:
                    happenings.append((wait.end, 0, "resume", child, wait))
            if child is self.root:
                continue
            if node.start <= child.start <= node.end:
                happenings.append((child.start, 1, "start", child, None))
            elif child.start < node.start:
                self.starts[child.id] = child.start
            else:
                self.starts[child.id] = self.ends[node.id] + child.start - node.end
        happenings.append((node.end, 2, "end", node, None))
        happenings.sort(key=lambda h: h[:2])
        clock, at, began = self.starts[node.id] + (1 if node is self.longer else 0), node.start, {}
        for t, _, what, who, wait in happenings:
            waiting = bool(began) or node.join
            now = clock + (t - at if waiting or node.id not in self.zero else 0)
            if what == "resume":
                follows = who.start < t and who.end <= t
                if follows:
                    ended = max(began.pop(who.id), self.ends[who.id]) + t - max(wait.start, who.end)
                else:
                    ended = began.pop(who.id) + t - wait.start
                clock, at = max(clock, ended), t
                continue
            if not waiting:
                clock, at = now, t
            if what == "start":
                self.starts[who.id] = now
            elif what == "wait":
                began[who.id] = now
            else:
                self.ends[node.id] = self.join_end(node) if node.join else now

    def join_end(self, join):
        start = self.starts[join.id]
        among = [n for n in join.awaited if n is not join and (join.join == "any" or n.end <= join.end)]
        pick = max if join.join == "all" else min
        if not among or pick(n.end for n in among) > join.end:
            return start + join.end - join.start
        then = pick(self.ends[n.id] for n in among)
        return max(start, then) + join.end - max(join.start, pick(n.end for n in among))


def latency(graph, zero, longer=None):
    replay = Replay(graph, zero, longer)
    if not zero and not longer:
        for node in graph.nodes.values():
            was, then = replay.ends[node.id], replay.starts[node.id]
            assert was == NEVER or (then, was) == (node.start, node.end), (graph.id, node.id)
        assert replay.ends[replay.root.id] != NEVER, "joins await each other in a circle"
    return replay.ends[replay.root.id]


def choose_ilz(graph, stretches, count):
    work = {i: sum(end - start for start, end in stretches[i]) for i in graph.nodes}
    zero, chosen = set(), []
    while len(chosen) < count:
        now = latency(graph, zero)
        gains = [
            (now - latency(graph, zero | {n.id}), latency(graph, zero, n) > now, work[n.id], -n.start, -n.id, n)
            for n in graph.nodes.values()
            if n.id not in zero and work[n.id]
        ]
        best = max(gains, default=(0,), key=lambda gain: gain[:5])
        if best[0] == 0:
            break
        zero.add(best[5].id)
        chosen.append((best[5], Fraction(best[0])))
    return chosen


def choose_exception(graph):
    def throws(node):
        """How many calls it is to each origin of an exception at or below this node."""
        below = [distance + 1 for child in node.children for distance in throws(child)]
        return below or ([0] if node.threw else [])

    found = [(node, throws(node)) for node in graph.nodes.values() if not node.join]
    return [(node, Fraction(10**9, 1 + min(distances))) for node, distances in found if distances]


def choose_top(nodes, path, blame, count, also):
    b1 = [node for node in nodes if node.id in path][:count]
    if not b1:
        return []
    alpha = min(blame[node.id] for node in b1)
    b2 = [n for n in nodes if n.id not in path and blame[n.id] >= alpha]
    return b1 + [n for n in b2 if n.id in also or any(overlap(n, other) for other in b1)]


def by_blame(nodes, blame):
    return sorted((n for n in nodes if not n.join), key=lambda n: (-blame[n.id], n.start, n.id))


def choose(graph, path, blame, stretches, options):
    """Nodes and their scores, the most to blame first."""
    nodes, count = graph.nodes.values(), options.n
    if options.a == "ilz":
        return choose_ilz(graph, stretches, count)
    if options.a == "exception":
        scores = dict((node.id, score) for node, score in choose_exception(graph))
        return [(n, scores[n.id]) for n in by_blame([n for n in nodes if n.id in scores], scores)][:count]
    if options.a == "tcm":
        blame = {i: Fraction(sum(b - a for a, b in stretches[i])) for i in graph.nodes}
        chosen = by_blame([n for n in nodes if n.id in path], blame)[:count]
    elif options.a == "npt":
        chosen = by_blame(nodes, blame)[:count]
    else:
        also = set()
        if options.a == "wanted":
            also, blame = critical_path(graph, True), assign(graph, timers=False)[0]
        chosen = choose_top(by_blame(nodes, blame), path, blame, count, also)
    return [(n, blame[n.id]) for n in by_blame(chosen, blame) if blame[n.id] > 0]


def rank(graph, options):
    path = critical_path(graph)
    blame, stretches = assign(graph)
    groups = {}
    for node, score in choose(graph, path, blame, stretches, options):
        groups.setdefault(node.id if options.instances else node.name, []).append((node, score))
    lines = [(*max(group, key=lambda chosen: chosen[1]), any(n.id in path for n, _ in group), len(group)) for group in groups.values()]
    if not options.instances and options.a != "ilz":
        lines.sort(key=lambda line: (-line[1], line[0].name.encode()))
    pieces = sorted((start, graph.nodes[i].id, end) for i in path for start, end in stretches[i])
    return pieces, lines


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
        whole = 10**9 if options.a == "exception" else graph.end - graph.start
        for start, node, end in pieces:
            print(f"path graph={graph.id} node={node} from={spell(start)} to={spell(end)}")
        for i, (node, score, on_path, instances) in enumerate(lines, 1):
            print(
                f"blame graph={graph.id} rank={i} name={quoted(node.name)} label={quoted(node.label)}"
                f" score={spell(score)} share={spell(score * 10**6 / whole, 6)}"
                f" on_path={'yes' if on_path else 'no'} instances={instances} algorithm={options.a}"
                + (f" node={node.id}" if options.instances else "")
            )


main()
