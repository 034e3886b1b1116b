#!/usr/bin/env python3
"""Random threads that run, wait and wake each other; as wake graphs, and as what blame-rank should say of them.

    threads.py SEED COUNT GRAPHS EXPECTED

The expected path is not found along edges as blame-rank's is, but by asking what a thread did until some time.
"""
import random
import sys
from fractions import Fraction

UNKNOWN = "unknown: began before the data"


class Piece:
    def __init__(self, node, name, what, start, end):
        self.node, self.name, self.what, self.start, self.end = node, name, what, start, end
        self.cause = None  # of a wait: a Thread, or the Piece of a timer
        self.holders = []  # of a runnable piece


class Thread:
    def __init__(self, name, pieces):
        self.name, self.pieces, self.parent = name, pieces, None

    def until(self, t):
        """What it did just before t; None before its first piece."""
        return next((p for p in self.pieces if p.start < t <= p.end), None)


class World:
    def __init__(self, rng):
        self.rng = rng
        self.nodes = []
        self.end = rng.choice([20, 100, 1000])
        self.threads = [self.thread(i) for i in range(rng.randint(1, 8))]
        for thread in self.threads:
            for piece in thread.pieces:
                self.explain_wait(thread, piece)
                self.find_holders(thread, piece)
            self.find_parent(thread)

    def piece(self, name, what, start, end):
        piece = Piece(len(self.nodes) + 1, name, what, start, end)
        self.nodes.append(piece)
        return piece

    def thread(self, number):
        rng = self.rng
        name = f"t{number % 5}"
        first = 0 if rng.random() < 0.5 else rng.randrange(self.end // 2)
        times = sorted({first, self.end} | {rng.randint(first, self.end) for _ in range(rng.randint(0, 30))})
        pieces = []
        for start, end in zip(times, times[1:]):
            what = rng.choice(["run", "wait", "runnable"])
            pieces.append(self.piece(f"{name}: {what}", what, start, end))
        return Thread(name, pieces)

    def running(self, but, t):
        """Threads that run just before t. A run that begins at t is none: it could not yet have woken anybody."""
        return [o for o in self.threads if o is not but and (p := o.until(t)) and p.what == "run"]

    def explain_wait(self, thread, piece):
        if piece.what != "wait":
            return
        others = self.running(thread, piece.end)
        if others and self.rng.random() < 0.8:
            piece.cause = self.rng.choice(others)
        elif self.rng.random() < 0.8:
            piece.cause = self.piece(f"timer: sleep of {thread.name}", "timer", piece.start, piece.end)

    def find_holders(self, thread, piece):
        runs = [p for o in self.threads if o is not thread for p in o.pieces if p.what == "run"]
        if piece.what == "runnable" and runs:
            piece.holders = self.rng.sample(runs, self.rng.randint(0, min(len(runs), 4)))

    def find_parent(self, thread):
        others = self.running(thread, thread.pieces[0].start) if thread.pieces else []
        if others and self.rng.random() < 0.7:
            thread.parent = self.rng.choice(others)

    def path(self, thread, t, floor):
        """Pieces of [floor, t), latest first."""
        found = []
        while t > floor:
            piece = thread.until(t)
            if not piece and not thread.parent:
                return found + [(None, floor, t)]
            if not piece:
                thread = thread.parent
                continue
            start = max(piece.start, floor)
            if isinstance(piece.cause, Thread):
                found += self.path(piece.cause, t, start)
            else:
                found.append((piece.cause or piece, start, t))
            t = start
        return found


def joined(path):
    """In order of time, with what one node has in succession as one piece."""
    pieces = []
    for node, start, end in reversed(path):
        if pieces and pieces[-1][0] is node:
            pieces[-1] = (node, pieces[-1][1], end)
        else:
            pieces.append((node, start, end))
    return pieces


def shares(pieces):
    """Blame by name."""
    blame = {}
    for node, start, end in pieces:
        holders = node.holders if node else []
        cuts = sorted({start, end} | {t for h in holders for t in (h.start, h.end) if start < t < end})
        for a, b in zip(cuts, cuts[1:]):
            active = [h for h in holders if h.start <= a < h.end] or [node]
            for culprit in active:
                name = culprit.name if culprit else UNKNOWN
                blame[name] = blame.get(name, 0) + Fraction(b - a, len(active))
    return blame


def write_graph(world, name, target, start, end, out):
    print(f"graph id={name} kind=wake target={target.node} from={start} to={end}", file=out)
    for p in world.nodes:
        print(f'node graph={name} id={p.node} name="{p.name}" start={p.start} end={p.end} what={p.what}', file=out)
    edges = []
    for thread in world.threads:
        edges += [(a, b, "seq", "") for a, b in zip(thread.pieces, thread.pieces[1:])]
        for p in thread.pieces:
            if isinstance(p.cause, Thread):
                edges.append((p.cause.until(p.end), p, "wake", f" ts={p.end}"))
            elif p.cause:
                edges.append((p.cause, p, "timer", f" ts={p.end}"))
            edges += [(holder, p, "cpu", "") for holder in p.holders]
        if thread.parent:
            first = thread.pieces[0]
            edges.append((thread.parent.until(first.start), first, "async", f" ts={first.start}"))
    world.rng.shuffle(edges)
    for a, b, kind, ts in edges:
        print(f"edge graph={name} from={a.node} to={b.node} kind={kind}{ts}", file=out)


def spell(value, digits=9):
    whole = int(value + Fraction(1, 2))
    return f"{whole // 10**digits}.{whole % 10**digits:0{digits}d}"


def write_expected(name, pieces, unknown, out):
    for node, start, end in pieces:
        print(f"path graph={name} node={node.node if node else unknown} from={start}.{0:09d} to={end}.{0:09d}", file=out)
    ranked = sorted(shares(pieces).items(), key=lambda item: (-item[1], item[0]))
    for rank, (who, score) in enumerate(ranked, 1):
        print(f'blame graph={name} rank={rank} name="{who}" score={spell(score * 10**9)}', file=out)


def main():
    rng = random.Random(int(sys.argv[1]))
    with open(sys.argv[3], "w") as graphs, open(sys.argv[4], "w") as expected:
        for name in range(1, int(sys.argv[2]) + 1):
            world = World(rng)
            thread = rng.choice(world.threads)
            end = rng.randint(1, world.end)
            target = thread.until(end)
            if not target:
                continue
            start = rng.randrange(end)
            write_graph(world, name, target, start, end, graphs)
            pieces = joined(world.path(thread, end, start))
            # blame-rank numbers what it adds from the number of nodes on, and takes the first that is free
            write_expected(name, pieces, len(world.nodes) + 1, expected)


main()
