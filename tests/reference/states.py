#!/usr/bin/env python3
"""A second implementation of state files and histories, written for clearness from tailblame-states(5): it keeps every attribute's
value at every change, and looks at nothing but that. Prints "from,to,path,value" as `state-query -f csv FILE range FROM TO` does.

	states.py STATE-FILE STREAM
"""
import re
import shlex
import sys

NULL = None


def words(line):
    """A line of text as its kind and its keys."""
    parts = shlex.split(line, posix=True)
    keys, bare = {}, []
    for part in parts[1:]:
        if "=" in part:
            key, value = part.split("=", 1)
            keys.setdefault(key, value)
        else:
            bare.append(part)
    return parts[0], keys, bare


def typed(text):
    """A text that spells a 64-bit integer is one."""
    if re.fullmatch(r"-?[1-9][0-9]*|0", text) and -2**63 <= int(text) < 2**63:
        return int(text)
    return text.encode()[:255].decode(errors="ignore")


def component(value):
    out = "".join("%%%02X" % ord(c) if c in "/%*" or ord(c) < 0x20 else c for c in str(value))
    return out or "%"


class Machine:
    def __init__(self, rules):
        self.rules = rules
        self.stacks = {}          # path -> values
        self.changes = {}         # path -> [(ts, value)], the value after all of that ts
        self.tgid, self.comm, self.home, self.first_comm = {}, {}, {}, {}
        self.alive, self.ended = {}, set()
        self.own = {}             # path -> tid that {tid} named
        self.host, self.now, self.first = "-", None, None

    def note(self, path):
        stack = self.stacks.get(path, [])
        value = stack[-1] if stack else NULL
        changes = self.changes.setdefault(path, [])
        if changes and changes[-1][0] == self.now:
            changes.pop()
        if (changes[-1][1] if changes else NULL) != value:
            changes.append((self.now, value))

    def value(self, path):
        stack = self.stacks.get(path)
        return stack[-1] if stack else NULL

    def clear(self, path):
        if self.stacks.get(path):
            self.stacks[path] = []
            self.note(path)

    def begin_of(self, tid):
        tgid = self.tgid.get(tid, tid)
        if tgid not in self.home:
            comm = self.first_comm.get(tgid) or self.comm.get(tgid) or self.comm.get(tid) or "?"
            self.home[tgid] = "%s/%s.%d" % (component(self.host), component(comm), tgid)
        return self.home[tgid]

    def fill(self, text, event, whole):
        """The text with what braces stand for; NULL if one is null."""
        out, at = "", 0
        while at < len(text):
            if text[at] != "{":
                out += text[at]
                at += 1
                continue
            end, depth = at, 0
            while True:
                depth += (text[end] == "{") - (text[end] == "}")
                end += 1
                if depth == 0:
                    break
            value = self.named(text[at + 1:end - 1], event)
            if value is NULL:
                return NULL
            out += str(value) if whole else component(value)
            at = end
        return out

    def named(self, name, event):
        if name.startswith("["):
            path = self.path(name[1:-1], event)
            return NULL if path is NULL else self.value(path)
        if name == "tid":
            return event["tid"]
        if name not in event["fields"]:
            return {"cpu": event["cpu"], "comm": self.comm.get(event["tid"], "?")}.get(name, NULL)
        return typed(event["fields"][name])

    def path(self, text, event):
        filled = self.fill(text.lstrip("/"), event, False)
        if filled is NULL:
            return NULL
        return filled if text.startswith("/") else self.begin_of(event["tid"]) + "/" + filled

    def holds(self, text, event):
        """Conditions of the random files: comparisons, joined by one && or ||."""
        for mark, join in (("||", any), ("&&", all)):
            if mark in text:
                return join(self.holds(part, event) for part in text.split(mark))
        text = text.strip()
        if text.startswith("!"):
            return not self.holds(text[2:-1], event)
        left, mark, right = re.fullmatch(r"(\[.*\]|\S+) (==|!=|<|>|<=|>=) (.*)", text).groups()
        value = self.named(left, event)
        if right == "null":
            return (value is NULL) == (mark == "==")
        if value is NULL:
            return False
        if right.startswith("'"):
            value, other = str(value).encode(), right[1:-1].encode()
        else:
            other = int(right)
        if type(value) is not type(other):
            return mark == "!="
        return {"==": value == other, "!=": value != other, "<": value < other, ">": value > other, "<=": value <= other,
                ">=": value >= other}[mark]

    def act(self, rule, event):
        if "if" in rule["keys"] and not self.holds(rule["keys"]["if"], event):
            return
        path = self.path(rule["keys"]["path"], event)
        if path is NULL:
            return
        if "{tid}" in re.sub(r"\{\[.*?\]\}", "", rule["keys"]["path"]):
            self.own[path] = event["tid"]
        stack = self.stacks.setdefault(path, [])
        text = rule["keys"].get("value")
        value = NULL if text is None else self.fill(text, event, True)
        value = typed(value) if value is not NULL else NULL
        if rule["action"] == "push":
            stack.append(value)
        elif rule["action"] == "pop":
            if stack:
                stack.pop()
        elif rule["action"] == "clear":
            stack.clear()
        elif rule["action"] == "set":
            stack[-1:] = [value]
        else:
            old = stack[-1] if stack else NULL
            if isinstance(value, int) and not isinstance(old, str):
                stack[-1:] = [max(-2**63, min(2**63 - 1, (old or 0) + value))]
        self.note(path)

    def end(self, tid):
        if tid in self.ended:
            return
        self.ended.add(tid)
        for path in [p for p, owner in self.own.items() if owner == tid]:
            self.clear(path)
            del self.own[path]
        tgid = self.tgid.get(tid, tid)
        known = self.alive.setdefault(tgid, set())
        known.discard(tid)
        if not known and tgid in self.ended:
            self.clear_below(self.home.get(tgid))

    def clear_below(self, home):
        for path in [p for p in self.stacks if home and (p == home or p.startswith(home + "/"))]:
            self.clear(path)

    def known(self, tid):
        self.alive.setdefault(self.tgid.get(tid, tid), set()).add(tid)

    def task(self, keys):
        tid = int(keys["tid"])
        if "comm" in keys:
            self.comm[tid] = keys["comm"]
        if "tgid" in keys:
            self.tgid[tid] = int(keys["tgid"])
        if keys.get("ended") == "yes":
            self.end(tid)
        if keys.get("began") == "yes":
            if self.tgid.get(tid, tid) == tid:
                if tid not in self.ended:
                    self.clear_below(self.home.get(tid))
                self.home.pop(tid, None)
                self.first_comm.pop(tid, None)
            self.ended.discard(tid)
        if "comm" in keys and self.tgid.get(tid) == tid:
            self.first_comm.setdefault(tid, keys["comm"])

    def lose(self, since):
        for path, changes in self.changes.items():
            kept = [change for change in changes if change[0] < since]
            self.changes[path] = kept
            if self.stacks.get(path):
                self.stacks[path] = []
            if kept and kept[-1][1] is not NULL:
                kept.append((since, NULL))

    def record(self, kind, keys):
        if kind == "stream":
            self.host = keys.get("host", "-")
            return
        if "ts" not in keys:
            return
        whole, fraction = keys["ts"].split(".")
        ts = int(whole) * 10**9 + int(fraction.ljust(9, "0"))
        if kind == "task" and "began" not in keys and "ended" not in keys:
            self.task(keys)  # a name may come before older events
            return
        self.now = ts if self.now is None else max(self.now, ts)
        if self.first is None:
            self.first = ts
        if kind == "task":
            self.task(keys)
        elif kind == "lost":
            since = keys.get("from")
            self.lose(-1 if since is None else round(float(since) * 10**9))
        elif kind == "event":
            event = {"tid": int(keys["tid"]), "cpu": int(keys["cpu"]), "fields": keys}
            self.comm[event["tid"]] = keys.get("comm")
            rules = [rule for rule in self.rules if rule["keys"]["event"] == keys["name"]]
            if rules and event["tid"] not in self.ended:
                self.known(event["tid"])
                for rule in rules:
                    self.act(rule, event)
            if keys["name"] == "sched:sched_process_exit":
                self.end(int(keys["pid"]))


def spell(ns):
    return "%d.%09d" % divmod(ns, 10**9)


def main():
    rules = []
    for line in open(sys.argv[1]):
        if line.startswith("on "):
            _, keys, bare = words(line)
            rules.append({"keys": keys, "action": bare[0]})
    machine = Machine(rules)
    for line in open(sys.argv[2]):
        kind, keys, _ = words(line)
        machine.record(kind, keys)
    print("from,to,path,value")
    for path in sorted(machine.changes, key=str.encode):
        changes = machine.changes[path] + [(machine.now, NULL)]
        for (since, value), (until, _) in zip(changes, changes[1:]):
            if value is not NULL and since < until:
                print("%s,%s,%s,%s" % (spell(since), spell(until), path, value))


main()
