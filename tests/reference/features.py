#!/usr/bin/env python3
"""A second implementation of run-features, written for clearness: it has the whole text stream before it begins.

features.py PROGRAM STREAM: prints a line "ID KEY VALUE" for each key of each run and each feature, sorted by id."""
import re
import sys

NAMES = {0: "read", 1: "write", 7: "poll", 56: "clone", 57: "fork", 58: "vfork", 59: "execve", 60: "exit", 61: "wait4", 231: "exit_group"}
SIZES = {"read": (True, 2), "write": (True, 2)}
CLONE_THREAD = 0x10000


class Event:
    def __init__(self, keys):
        self.ts = round(float(keys["ts"]) * 1e9)
        self.tid = int(keys["tid"])
        self.comm = keys.get("comm", "")
        self.entry = keys["name"].endswith("sys_enter")
        self.id = int(keys["id"])
        self.args = [int(a, 0) for a in keys.get("args", "0").split(",")] + [0] * 6
        self.ret = int(keys.get("ret", 0))


def read(path):
    events, tgids, forks, losses = [], {}, {}, []
    for line in open(path):
        kind, *rest = line.split()
        keys = dict(word.split("=", 1) for word in rest)
        if kind == "task" and "tgid" in keys:
            tgids[int(keys["tid"])] = int(keys["tgid"])
        elif kind == "lost":
            losses.append((float(keys.get("from", -1e18)) * 1e9, float(keys["ts"]) * 1e9))
        elif kind == "event" and keys["name"].startswith("raw_syscalls:"):
            events.append(Event(keys))
        elif kind == "event" and keys["name"] == "sched:sched_process_fork":
            forks[int(keys["child_pid"])] = (int(keys["parent_pid"]), len(events))
    return events, tgids, forks, losses


def parents(events, tgids, forks):
    """The process of each tid; of each process the one that made it, at which event, and by which event that is known."""
    made = {child: (parent, False, i, i) for child, (parent, i) in forks.items()}
    if not forks:
        opened = {}
        for i, e in enumerate(events):
            if e.entry:
                opened[e.tid] = e, i
            elif e.tid in opened and opened[e.tid][0].id == e.id:
                call, at = opened.pop(e.tid)
                if NAMES.get(e.id) in ("clone", "fork", "vfork") and e.ret > 0:
                    made[e.ret] = (e.tid, e.id == 56 and call.args[0] & CLONE_THREAD, at, i)
    def process(tid):
        if tid in tgids:
            return tgids[tid]
        return process(made[tid][0]) if tid in made and made[tid][1] else tid
    threads = {e.tid for e in events}
    process_of = {tid: process(tid) for tid in threads}
    parent_of = {process_of[t]: (process(made[t][0]), made[t][2], made[t][3]) for t in threads if t in made and process_of[t] != process(made[t][0])}
    return process_of, parent_of


def runs(events, process_of, parent_of, program):
    """(process, index of its first event, partial) of each run: by exec, else by its name if it has no parent."""
    found = {}
    for i, e in enumerate(events):
        if not e.entry and e.id == 59 and e.ret == 0 and e.comm == program and (process_of[e.tid] not in found or found[process_of[e.tid]][1]):
            found[process_of[e.tid]] = (i, False)
        elif e.comm == program and process_of[e.tid] not in parent_of and process_of[e.tid] not in found:
            found[process_of[e.tid]] = (i, True)
    return found


def owner(process, i, found, parent_of):
    """The run that a process belonged to at event i: its own, else that of its parent when it was made; and when that is known."""
    known = -1
    while process is not None and not (process in found and found[process][0] <= i):
        process, i, now = parent_of.get(process, (None, 0, 0))
        known = max(known, now)
    return process, known


def features(run, begin, events, process_of, parent_of, found):
    own = [i for i, e in enumerate(events) if process_of[e.tid] == run and i >= begin]
    end = own[-1]
    f = {}

    def add(name, value):
        f[name] = f.get(name, 0) + value

    states = {}
    for i, e in enumerate(events):
        mine = process_of[e.tid] == run
        belongs, known = owner(process_of[e.tid], i, found, parent_of)
        if belongs != run or known > end or (mine and i < begin):
            continue
        s = states.setdefault(e.tid, {"open": None, "before": None, "returned": None, "idle": None})
        if i == begin and not e.entry:
            s["idle"] = e.ts
            continue
        name = NAMES.get(e.id, "sys_%d" % e.id)
        if e.entry:
            if i > end:
                s["open"] = None
                continue
            if s["idle"] is not None:
                add("time.outside", e.ts - s["idle"])
            s["idle"] = None
            add("count." + name, 1)
            if name in SIZES:
                add("_args." + name, e.args[SIZES[name][1]])
            if s["before"] is not None:
                add("next.%s-%s" % (s["before"], name), 1)
                if s["returned"] is not None:
                    add("_gap.%s-%s" % (s["before"], name), e.ts - s["returned"])
                    add("_gaps.%s-%s" % (s["before"], name), 1)
            s.update(open=e, before=name, returned=None)
            continue
        if s["open"] is not None and s["open"].id == e.id:
            add("time." + name, e.ts - s["open"].ts)
            if -4095 <= e.ret < 0:
                add("errors." + name, 1)
            elif e.ret >= 0:
                add("_results." + name, 1)
                if name in SIZES:
                    add("_sum." + name, e.ret)
            s.update(open=None, returned=e.ts)
        if s["idle"] is None:
            s["idle"] = e.ts
    return f, events[begin].ts, events[end].ts


def finish(f):
    out = {"time.outside": f.pop("time.outside", 0) / 1e9}
    for name, value in f.items():
        what, rest = name.split(".", 1)
        if what in ("count", "errors", "next") and value:
            out[name] = value
        elif what == "time" and value:
            out[name] = value / 1e9
        elif what == "_gap":
            out["gap." + rest] = value / 1e9 / f["_gaps." + rest]
        elif what == "_args":
            out["arg." + rest] = value / f["count." + rest]
        elif what == "_results" and rest in SIZES:
            out["result." + rest] = f["_sum." + rest] / value
            out["sum." + rest] = f["_sum." + rest]
            if f.get("time." + rest):
                out["rate." + rest] = f["_sum." + rest] / (f["time." + rest] / 1e9)
    return out


def main():
    program, path = sys.argv[1:]
    events, tgids, forks, losses = read(path)
    process_of, parent_of = parents(events, tgids, forks)
    found = runs(events, process_of, parent_of, program)
    for run, (begin, partial) in sorted(found.items()):
        f, start, end = features(run, begin, events, process_of, parent_of, found)
        print(run, "elapsed", "%.9f" % ((end - start) / 1e9))
        print(run, "partial", "yes" if partial else "no")
        print(run, "complete", "no" if any(a <= end and b >= start for a, b in losses) else "yes")
        for name, value in sorted(finish(f).items()):
            print(run, name, "%.12g" % value)


if __name__ == "__main__":
    main()
