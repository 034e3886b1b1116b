#!/usr/bin/env python3
"""
trigger.py FILTER SEED COUNT: runs FILTER (trigger-filter) on COUNT random triggers and streams, and compares its `trigger` and `request`
records, and its signals, with what the readings of the language say.

The evaluation is a second one: it keeps all events and counts windows anew for each value. A trigger is made as a tree and spelled
as text, so that the reader of the language is tested against what was meant. Cases in which rounding decides (values are intervals here) are
left out, and counted.

In some cases nobody says what a request is: the charts come by the stream, and a request is the outermost of its thread, or what FOR names.
"""
import math
import os
import random
import subprocess
import sys
import tempfile

NS = 10**9
CHARTS = {
    "alpha": "chart name=alpha\nstart event=t:abegin key=id split=kind show=size,url\nend event=t:aend key=id\n",
    "beta": "chart name=beta\nstart event=t:bbegin key=id show=size\nend event=t:bend key=id\n",
}
MASK = 2**64 - 1


class Edge(Exception):
    """Rounding decides."""


# The language: trees, spelled as text.

UNITS = [("us", 1000), ("ms", 10**6), ("s", NS), ("sec", NS), ("min", 60 * NS), ("Minute", 60 * NS), ("h", 3600 * NS)]


def spell_time(rnd, ns):
    fitting = [(u, n) for u, n in UNITS if ns * 1000 % n == 0 and ns < n * 10**6]
    unit, size = rnd.choice(fitting)
    number = ("%d" % (ns // size)) if ns % size == 0 else ("%.3f" % (ns / size))
    assert round(float(number) * size) == ns
    return number + rnd.choice(["", " "]) + case(rnd, unit + rnd.choice(["", "s"]) if len(unit) > 2 else unit)


def case(rnd, word):
    return rnd.choice([word, word, word.lower(), word.upper()])


def gap(rnd):
    return rnd.choice([" "] * 8 + ["\n", "\t", "  # a comment 'x\n"])


FIELDS = {
    "RequestEnd": [("Latency", "n"), ("RetValue", "n"), ("Start", "n"), ("Tid", "n"), ("Comm", "t"), ("Chart", "t"), ("Key", "t"),
                   ("size", "o"), ("url", "o"), ("id", "o"), ("nothing", "o")],
    "RequestStart": [("Start", "n"), ("Tid", "n"), ("Comm", "t"), ("Chart", "t"), ("Key", "t"), ("size", "o"), ("url", "o"), ("id", "o")],
    "Exception": [("Name", "t"), ("What", "t"), ("Function", "t"), ("Tid", "n"), ("Comm", "t")],
    "Signal": [("Value", "n"), ("Center", "n"), ("Ucl", "n"), ("Chart", "t"), ("Key", "t")],
    "Always": [],
}
OF_ALWAYS = [f for f in FIELDS["RequestEnd"]]


class Maker:
    def __init__(self, rnd):
        self.rnd = rnd
        self.on = rnd.choice(["RequestEnd"] * 4 + ["RequestStart", "Always", "Always", "Signal", "Exception"])
        self.windows = [rnd.choice([1, 2, 5, 10, 60, 100, 600]) * rnd.choice([10**6, 10**7, 10**8]) + rnd.choice([0, 0, 0, 1000, 333000])
                        for _ in range(rnd.choice([1, 1, 2, 3]))]

    def window(self):
        a = self.rnd.choice(self.windows)
        b = self.rnd.choice([0, 0, 0, a, 2 * a])
        return (a + b, b)

    def aggregate(self):
        rnd, fields = self.rnd, [f for f in (FIELDS[self.on] or OF_ALWAYS) if f[1] != "t"]
        name = rnd.choice(["Count", "Count", "Throughput", "Sum", "Avg", "Avg", "Min", "Max", "Std", "Percentile"])
        field = None if name in ("Count", "Throughput") else rnd.choice(fields)[0]
        return ("agg", name, field, rnd.choice([0, 10, 50, 90, 99.5, 100]) if name == "Percentile" else None, self.window())

    def number(self, depth):
        rnd = self.rnd
        roll = rnd.random()
        if depth > 0 and roll < 0.25:
            return (rnd.choice("+-*/"), self.number(depth - 1), self.number(depth - 1))
        if roll < 0.3:
            return ("neg", self.number(0))
        if roll < 0.5:
            return ("num", rnd.choice([0, 1, 2, 3, 5, 10, 0.5, 1.5, 100]))
        if roll < 0.6:
            return ("time", rnd.choice([1, 2, 5, 20, 50]) * 10**6)
        numbers = [f for f in FIELDS[self.on] if f[1] != "t"]
        if numbers and roll < 0.75:
            return ("value",) + rnd.choice(numbers)
        return self.aggregate()

    def test(self):
        rnd, fields = self.rnd, FIELDS[self.on]
        texts = [f for f in fields if f[1] in "to"]
        roll = rnd.random()
        if texts and roll < 0.15:
            pattern = rnd.choice(["*", "s*", "?", "*1*", "srv-?", "a*", "[x]*", "h*p://*", "x", "err*", "\\*"])
            return ("like", ("value",) + rnd.choice(texts), pattern)
        if texts and roll < 0.35:
            other = rnd.choice([("text", rnd.choice(["srv-1", "k1", "alpha", "5", "", "it's", "err"])), ("value",) + rnd.choice(texts)])
            return (rnd.choice(["=", "!=", "<", ">="]), ("value",) + rnd.choice(texts), other)
        return (rnd.choice(["=", "!=", "<", "<=", ">", ">="]), self.number(2), self.number(1))

    def condition(self, depth):
        roll = self.rnd.random()
        if depth > 0 and roll < 0.4:
            return ("and", self.condition(depth - 1), self.condition(depth - 1))
        if depth > 0 and roll < 0.55:
            return ("or", self.condition(depth - 1), self.condition(depth - 1))
        if roll < 0.65:
            return ("not", self.condition(depth - 1) if depth > 0 else self.test())
        return self.test()

    def limit(self, kind):
        if kind == "time":
            return ("time", self.rnd.choice([1, 3, 10, 50, 200]) * 10**self.rnd.choice([6, 7, 8]))
        return (kind, self.rnd.choice([1, 1, 2, 3, 5]))

    def until(self):
        rnd, out = self.rnd, []
        for _ in range(rnd.choice([1, 1, 2, 3])):
            kinds = rnd.sample(["match", "unmatch", "time"], rnd.choice([1, 1, 2, 3]))
            out.append([self.limit(k) for k in kinds])
        return out

    def trigger(self, name):
        rnd = self.rnd
        return {
            "name": name, "on": self.on, "every": rnd.choice([None, 5, 20, 100, 7]) if self.on == "Always" else None,
            "for": rnd.choice([None, None, ["alpha"], ["beta"], ["alpha", "beta"]]),
            "if": self.condition(3) if rnd.random() < 0.95 else None,
            "log": rnd.random() < 0.6, "match": rnd.choice([None, 1, 0, 0.5, 0.7]), "unmatch": rnd.choice([None, 1, 0, 0.5]),
            "until": self.until() if rnd.random() < 0.9 else None,
        }


def spell_number(rnd, node, level=0):
    """level 0: a sum may stand here, 1: a product, 2: a unary."""
    kind = node[0]
    if kind in "+-" and len(kind) == 1:
        text = spell_number(rnd, node[1], 0) + gap(rnd) + kind + gap(rnd) + spell_number(rnd, node[2], 1)
        return text if level == 0 and rnd.random() < 0.9 else "(" + text + ")"
    if kind in "*/" and len(kind) == 1:
        text = spell_number(rnd, node[1], 1) + rnd.choice(["", " "]) + kind + gap(rnd) + spell_number(rnd, node[2], 2)
        return text if level <= 1 and rnd.random() < 0.9 else "(" + text + ")"
    if kind == "neg":
        return "-" + rnd.choice(["", " "]) + (spell_number(rnd, node[1], 2) if node[1][0] != "neg" else "(" + spell_number(rnd, node[1], 2) + ")")
    if kind == "num":
        return "%g" % node[1]
    if kind == "time":
        return spell_time(rnd, node[1])
    if kind == "value":
        return rnd.choice("Rr") + "." + case(rnd, node[1])
    assert kind == "agg", node
    _, name, field, percent, (a, b) = node
    bounds = [case(rnd, "now") if t == 0 else "-" + spell_time(rnd, t) for t in (a, b)]
    if rnd.random() < 0.3:
        bounds.reverse()
    inside = ", ".join(bounds)
    if field and name != "Percentile" and rnd.random() < 0.5:
        return "R." + case(rnd, name + field) + "(" + inside + ")"
    if percent is not None:
        inside = "%g," % percent + inside
    if field:
        inside = case(rnd, field) + ", " + inside
    return "R." + case(rnd, name) + rnd.choice(["", " "]) + "(" + inside + ")"


def quote(text):
    return "'" + text.replace("'", "''") + "'"


def spell(rnd, node, level=0):
    """level 0: OR may stand here, 1: AND, 2: NOT or a test, 3: a test."""
    kind = node[0]
    if kind == "or":
        text, own = spell(rnd, node[1], 0) + gap(rnd) + case(rnd, "OR") + gap(rnd) + spell(rnd, node[2], 1), 0
    elif kind == "and":
        text, own = spell(rnd, node[1], 1) + gap(rnd) + case(rnd, "AND") + gap(rnd) + spell(rnd, node[2], 2), 1
    elif kind == "not":
        text, own = case(rnd, "NOT") + gap(rnd) + spell(rnd, node[1], 3), 2
    elif kind == "like":
        text, own = spell_number(rnd, node[1]) + gap(rnd) + case(rnd, "LIKE") + gap(rnd) + quote(node[2]), 3
    else:
        sides = [quote(side[1]) if side[0] == "text" else spell_number(rnd, side) for side in node[1:]]
        text, own = sides[0] + rnd.choice(["", " "]) + kind + gap(rnd) + sides[1], 3
    return text if own >= level and rnd.random() < 0.85 else "(" + text + ")"


def spell_limit(rnd, limit):
    if limit[0] == "time":
        return spell_time(rnd, limit[1])
    return "%d %s" % (limit[1], case(rnd, limit[0].capitalize() + rnd.choice(["", "s"])))


def spell_trigger(rnd, t):
    out = "DEFINE TRIGGER " + t["name"] + gap(rnd) + "ON " + case(rnd, t["on"])
    if t["every"]:
        out += " EVERY " + spell_time(rnd, t["every"] * 10**6)
    out += " R" + gap(rnd)
    if t["for"]:
        out += "FOR " + ", ".join(t["for"]) + gap(rnd)
    if t["if"]:
        out += case(rnd, "IF") + gap(rnd) + spell(rnd, t["if"]) + gap(rnd)
    options = [case(rnd, n + "SamplingProb") + " = %g" % p for n, p in (("Match", t["match"]), ("Unmatch", t["unmatch"])) if p is not None]
    if t["log"] or options:
        out += "LOG RequestActivity A, Top(3) Methods M "
        if options:
            out += "WITH " + " AND ".join(options + ["M.ToLog=args,retValues"]) + " "
    if t["until"]:
        out += "UNTIL " + " OR ".join(
            spell_limit(rnd, g[0]) if len(g) == 1 and rnd.random() < 0.7 else "(" + ", ".join(spell_limit(rnd, x) for x in g) + ")" for g in t["until"])
    return out + "\n"


# Streams.

def make_stream(rnd, ons):
    """A list of (ts, kind, fields)."""
    ts = rnd.choice([0, 5 * NS, 1700000000 * NS, -3 * NS]) + rnd.randrange(10**9)
    records, opened, count = [], [], rnd.choice([20, 60, 200])
    step = rnd.choice([3, 10, 40]) * 10**6
    for _ in range(count):
        ts += int(rnd.choice([0, 1, 1, 1, 1, 2, 10, 30]) * step * rnd.random())
        roll = rnd.random()
        tid, comm = rnd.choice([(11, "srv-1"), (12, "srv-2"), (13, "web")])
        if roll < 0.4:
            chart = rnd.choice("ab")
            fields = {"id": rnd.randrange(6)}
            if chart == "a":
                fields["kind"] = rnd.choice(["k1", "k2"])
            if rnd.random() < 0.8:
                fields["size"] = rnd.choice(["5", "100", "1.5", "-3", "big", "5x", "0"])
            if chart == "a" and rnd.random() < 0.7:
                fields["url"] = rnd.choice(["http://a", "srv-1", "x1", "[x]y", "*"])
            records.append((ts, "begin", dict(fields, chart=chart, tid=tid, comm=comm)))
            opened.append((chart, fields["id"]))
        elif roll < 0.8 and opened:
            chart, key = opened.pop(rnd.randrange(len(opened)))
            fields = {"id": key}
            if rnd.random() < 0.8:
                fields["ret"] = rnd.choice([0, -1, 7, 100])
            records.append((ts, "end", dict(fields, chart=chart, tid=tid, comm=comm)))
        elif roll < 0.815:
            records.append((ts, "lost", {}))
        elif roll < 0.87:
            records.append((ts, "tick", {}))
        elif roll < 0.94 and "Exception" in ons:
            fields = {"name": rnd.choice(["err", "bad", "std::x"]), "tid": tid}
            if rnd.random() < 0.5:
                fields["what"] = rnd.choice(["it's", "a b", "5"])
            records.append((ts, "exception", fields))
        elif "Signal" in ons:
            fields = {"chart": rnd.choice(["alpha", "beta", "gamma"]), "value": rnd.choice([1, 2.5, 10])}
            if rnd.random() < 0.6:
                fields["ucl"] = rnd.choice([1, 5])
            if rnd.random() < 0.5:
                fields["key"] = rnd.choice(["k1", "5"])
            records.append((ts, "signal", fields))
        else:
            records.append((ts, "other", {"tid": tid, "comm": comm}))
    return records


def seconds(ns):
    return ("-" if ns < 0 else "") + "%d.%09d" % divmod(abs(ns), NS)


def text_value(value):
    text = str(value)
    return '"' + text + '"' if any(c in text for c in ' "=\\') or not text else text


def write_stream(records, with_charts):
    lines = ['chart name=%s definition="%s"' % (name, text.replace("\n", "\\n")) for name, text in CHARTS.items() if with_charts]
    for number, (ts, kind, f) in enumerate(records):
        if kind in ("begin", "end", "other"):
            rest = " ".join("%s=%s" % (k, text_value(v)) for k, v in f.items() if k not in ("chart", "tid", "comm"))
            name = "t:other" if kind == "other" else "t:%s%s" % (f["chart"], kind)
            lines.append("event ts=%s cpu=0 tid=%d comm=%s name=%s %s" % (seconds(ts), f["tid"], f["comm"], name, rest))
        elif kind == "lost":
            lines.append("lost ts=%s cpu=0 count=3" % seconds(ts))
        elif kind == "tick":
            lines.append("tick ts=%s" % seconds(ts))
        elif kind == "signal":
            lines.append("signal id=%d ts=%s start=%s " % (number + 1, seconds(ts), seconds(ts)) + " ".join("%s=%s" % (k, text_value(v)) for k, v in f.items()))
        else:
            lines.append("%s ts=%s " % (kind, seconds(ts)) + " ".join("%s=%s" % (k, text_value(v)) for k, v in f.items()))
    return "\n".join(lines) + "\n"


# What triggers mean. Values are None (unknown), text, ("open", text), or (low, high).

def as_number(value):
    if isinstance(value, tuple) and value[0] == "open":
        try:
            if value[1].strip() != value[1] or "_" in value[1]:
                return None
            number = float(value[1])
            return (number, number) if math.isfinite(number) else None
        except ValueError:
            return None
    return value if isinstance(value, tuple) else None


def as_text(value):
    return value if isinstance(value, str) else value[1] if isinstance(value, tuple) and value[0] == "open" else None


def matches(pattern, text):
    """* and ?, over the whole text."""
    if not pattern:
        return not text
    if pattern[0] == "*":
        return any(matches(pattern[1:], text[i:]) for i in range(len(text) + 1))
    return bool(text) and pattern[0] in ("?", text[0]) and matches(pattern[1:], text[1:])


def compare(op, a, b):
    if a is None or b is None:
        return None
    x, y = as_number(a), as_number(b)
    if isinstance(a, str) or isinstance(b, str) or x is None or y is None:
        a, b = as_text(a), as_text(b)
        if a is None or b is None:
            return None
        x = y = (0, 0)
        order = (a > b) - (a < b)
    elif x == y and x[0] == x[1]:
        order = 0
    elif x[1] < y[0] or y[1] < x[0]:
        order = -1 if x[1] < y[0] else 1
    else:
        raise Edge
    return {"=": order == 0, "!=": order != 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[op]


def widen(value, share):
    if not math.isfinite(value):
        raise Edge
    return (value - abs(value) * share - 1e-12 * (share > 0), value + abs(value) * share + 1e-12 * (share > 0))


class Life:
    """A trigger: what it saw, and what it does."""

    def __init__(self, trigger, rest, out):
        self.t, self.rest, self.out = trigger, rest, out
        self.logs, self.ended, self.hits, self.events = False, None, [], []
        self.begin, self.next = None, None
        self.every = (trigger["every"] or 1000) * 10**6
        self.until = trigger["until"] or [[("match", 10), ("unmatch", 10)], [("time", 300 * NS)]]
        lengths = []
        self.find_windows(trigger["if"], lengths)
        self.g = max(-(-min(lengths) // 60), 10**6) if lengths else 10**6
        self.scope = []
        if trigger["if"]:
            self.find_scope(trigger["if"])

    def find_windows(self, node, lengths):
        if isinstance(node, tuple) and node and node[0] == "agg":
            lengths.append(node[4][0] - node[4][1])
        elif isinstance(node, tuple):
            for part in node[1:]:
                self.find_windows(part, lengths)

    def mentions(self, node):
        if not isinstance(node, tuple):
            return False
        if node[0] == "agg" or (node[0] == "value" and node[1] in ("Latency", "RetValue")):
            return True
        return any(self.mentions(part) for part in node[1:])

    def find_scope(self, node):
        if node[0] == "and":
            self.find_scope(node[1])
            self.find_scope(node[2])
        elif not self.mentions(node):
            self.scope.append(node)

    def number(self, node, what, ts):
        kind = node[0]
        if kind == "num":
            return (float(node[1]),) * 2
        if kind == "time":
            return (node[1] / 1e9,) * 2
        if kind == "text":
            return node[1]
        if kind == "value":
            return what.get(node[1]) if what else None
        if kind == "agg":
            return self.aggregate(node, what, ts)
        sides = [as_number(self.number(part, what, ts)) for part in node[1:]]
        if None in sides:
            return None
        if kind == "neg":
            return (-sides[0][1], -sides[0][0])
        (a, b), (c, d) = sides
        if kind == "+":
            found = (a + c, b + d)
        elif kind == "-":
            found = (a - d, b - c)
        elif kind == "*":
            found = (min(a * c, a * d, b * c, b * d), max(a * c, a * d, b * c, b * d))
        elif c == d == 0:
            return None
        elif c <= 0 <= d:
            raise Edge
        else:
            found = (min(a / c, a / d, b / c, b / d), max(a / c, a / d, b / c, b / d))
        return found if found[0] == found[1] and all(x[0] == x[1] == int(x[0]) for x in sides) and kind != "/" else (
            widen(found[0], 1e-9)[0], widen(found[1], 1e-9)[1])

    def aggregate(self, node, what, ts):
        _, name, field, percent, (a, b) = node
        hand = ts // self.g
        first, last = hand - -(-a // self.g) + 1, hand - -(-b // self.g)
        key = what["key of totals"] if what else ""
        inside = [e for at, k, e in self.events if k == key and first <= at // self.g <= last]
        if name == "Count":
            return (float(len(inside)),) * 2
        if self.begin is None or first * self.g < self.begin:
            return None
        if name == "Throughput":
            rate = len(inside) / ((last - first + 1) * self.g / 1e9)
            return widen(rate, 1e-9 if inside else 0)
        values = [v[0] for v in (as_number(e.get(field)) for e in inside) if v is not None]
        if not values:
            return (0.0, 0.0) if name == "Sum" else None
        if name in ("Min", "Max"):
            return (min(values),) * 2 if name == "Min" else (max(values),) * 2
        if name == "Percentile":
            value = sorted(values)[max(1, math.ceil(percent / 100 * len(values))) - 1]
            return (value, value) if min(values) == max(values) else widen(value, 0.025)
        whole = all(v == int(v) and abs(v) < 10**9 for v in values)
        if name == "Sum":
            return (sum(values),) * 2 if whole else widen(math.fsum(values), 1e-7 if abs(math.fsum(values)) > 1e-3 * max(map(abs, values)) else 1)
        if name == "Avg":
            found = math.fsum(values) / len(values)
            return widen(found, 1e-7 if abs(found) * len(values) > 1e-3 * max(map(abs, values)) else 1)
        mean = math.fsum(values) / len(values)
        deviation = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / len(values))
        if deviation <= 1e-4 * max(map(abs, values)) and deviation > 0:
            raise Edge
        return widen(deviation, 1e-7) if min(values) != max(values) else (-1e-9 * abs(mean), 1e-9 * abs(mean) + 1e-12)

    def truth(self, node, what, ts):
        """Each side is looked at, as far as it decides."""
        kind = node[0]
        if kind == "and":
            a = self.truth(node[1], what, ts)
            if a is False:
                return False
            b = self.truth(node[2], what, ts)
            return False if b is False else None if a is None or b is None else True
        if kind == "or":
            a = self.truth(node[1], what, ts)
            if a is True:
                return True
            b = self.truth(node[2], what, ts)
            return True if b is True else None if a is None or b is None else False
        if kind == "not":
            a = self.truth(node[1], what, ts)
            return None if a is None else not a
        if kind == "like":
            text = as_text(self.number(node[1], what, ts))
            return None if text is None else matches(node[2], text)
        return compare(kind, self.number(node[1], what, ts), self.number(node[2], what, ts))

    def holds(self, what, ts):
        return not self.t["if"] or self.truth(self.t["if"], what, ts) is True

    def add(self, what, ts):
        if all(self.truth(part, None if self.t["on"] == "Always" else what, ts) is True for part in self.scope):
            self.events.append((ts, "" if self.t["on"] == "Always" else what["key of totals"], what))

    def concerns(self, chart):
        return not self.t["for"] or chart in self.t["for"]

    def may_fire(self, ts):
        return not self.logs and (self.ended is None or ts - self.ended >= self.rest)

    def fire(self, ts, number):
        self.logs, self.fired, self.firing, self.counts = True, ts, number, {"match": 0, "unmatch": 0}
        self.out.append(("trigger", seconds(ts), self.t["name"], "fired"))

    def end(self, ts, reason):
        self.logs, self.ended = False, ts
        self.out.append(("trigger", seconds(ts), self.t["name"], "ended", reason, str(self.counts["match"]), str(self.counts["unmatch"])))

    def deadline(self):
        times = [self.fired + max(n for k, n in group if k == "time") for group in self.until
                 if any(k == "time" for k, _ in group) and all(self.counts[k] >= n for k, n in group if k != "time")]
        return min(times) if times else None

    def time(self, ts):
        """Before what has this time."""
        while True:
            limit = self.deadline() if self.logs else None
            multiple = self.next if self.t["on"] == "Always" else None
            if limit is not None and limit <= ts and (multiple is None or limit <= multiple):
                self.end(limit, "time")
            elif multiple is not None and multiple <= ts:
                if self.holds(None, multiple) and self.may_fire(multiple):
                    self.fire(multiple, self.begun)
                self.next += self.every
            else:
                return

    def log(self, request, match, ts):
        kind = "match" if match else "unmatch"
        caps = [n for group in self.until for k, n in group if k == kind]
        share = self.t[kind]
        if share is None:
            share = 1 if match else 0.3
        z = 14695981039346656037
        for c in self.t["name"].encode():
            z = (z ^ c) * 1099511628211 & MASK
        z = (z + request["id"] * 0x9E3779B97F4A7C15) & MASK
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        z = z ^ z >> 31
        logged = (not caps or self.counts[kind] < max(caps)) and z / 2**64 < share
        self.out.append(("request", seconds(ts), seconds(request["start"]), str(request["id"]), self.t["name"], "yes" if match else "no",
                         "yes" if logged else "no", str(request["tid"]), request["chart"], request["key"] or "", seconds(ts - request["start"])))
        if not logged:
            return
        self.counts[kind] += 1
        if any(all(ts - self.fired >= n if k == "time" else self.counts[k] >= n for k, n in group) for group in self.until):
            self.end(ts, "count")


def values_of(request, end):
    """As IF names them."""
    n = lambda v: (float(v), float(v))
    what = {"Start": n(request["start"] / 1e9), "Tid": n(request["tid"]), "Comm": request["comm"], "Chart": request["chart"],
            "key of totals": (request["chart"], request["key"]), "id": ("open", str(request["fields"]["id"]))}
    if request["key"] is not None:
        what["Key"] = request["key"]
    for name in ("size", "url"):
        if name in request["fields"] and (request["chart"] == "alpha" or name == "size"):
            what[name] = ("open", request["fields"][name])
    if end:
        what["Latency"] = n((end[0] - request["start"]) / 1e9)
        if "ret" in end[1]:
            what["RetValue"] = n(end[1]["ret"])
    return what


def run(triggers, records, rest, alone):
    """alone: nobody named charts."""
    out = []
    lives = [Life(t, rest, out) for t in triggers]
    named = {chart for t in triggers for chart in t["for"] or []}
    opened, begun, first, lacks, now = {}, 0, True, False, None
    for ts, kind, f in records:
        for life in lives:
            life.begun = begun
            if not first:
                life.time(ts)
        if first or lacks:
            for life in lives:
                life.begin = ts
                if first:
                    life.next = (ts // life.every + 1) * life.every
        first, lacks, now = False, False, ts
        if kind == "begin":
            chart = "alpha" if f["chart"] == "a" else "beta"
            opened.pop((f["chart"], f["id"]), None)
            if alone and chart not in named and f["tid"] in (other["tid"] for other in opened.values()):
                opened[f["chart"], f["id"]] = {"id": None, "tid": f["tid"]}
                continue
            begun += 1
            request = {"id": begun, "start": ts, "chart": chart, "key": f.get("kind"), "tid": f["tid"], "comm": f["comm"], "fields": f, "class": {}}
            opened[f["chart"], f["id"]] = request
            for life in lives:
                if life.t["on"] == "RequestStart" and life.concerns(chart):
                    what = values_of(request, None)
                    life.add(what, ts)
                    request["class"][life] = match = life.holds(what, ts)
                    if match and life.may_fire(ts):
                        life.fire(ts, begun)
        elif kind == "end":
            request = opened.pop((f["chart"], f["id"]), None)
            for life in lives if request and request["id"] else []:
                if not life.concerns(request["chart"]):
                    continue
                what, on = values_of(request, (ts, f)), life.t["on"]
                if on == "RequestStart":
                    match = request["class"][life]
                elif on in ("RequestEnd", "Always"):
                    life.add(what, ts)
                    match = life.holds(what if on == "RequestEnd" else None, ts) if on == "RequestEnd" or life.logs else False
                else:
                    match = any(request["start"] <= at <= ts and tid in (None, request["tid"]) for at, tid in life.hits)
                if life.logs and (on != "RequestStart" or request["id"] > life.firing):
                    life.log(request, match, ts)
                elif on == "RequestEnd" and match and life.may_fire(ts):
                    life.fire(ts, begun)
        elif kind == "lost":
            opened, lacks = {}, True
            for life in lives:
                life.begin = None
        elif kind in ("signal", "exception"):
            n = lambda v: (float(v), float(v))
            if kind == "signal":
                what = {"Value": n(f["value"]), "Chart": f["chart"], "key of totals": (f["chart"], f.get("key"))}
                what.update({"Ucl": n(f["ucl"])} if "ucl" in f else {})
                what.update({"Key": f["key"]} if "key" in f else {})
            else:
                what = {"Name": f["name"], "Tid": n(f["tid"]), "key of totals": f["name"]}
                what.update({"What": f["what"]} if "what" in f else {})
                comm = [r[2]["comm"] for r in records[:records.index((ts, kind, f)) + 1] if r[2].get("tid") == f["tid"] and "comm" in r[2]]
                what.update({"Comm": comm[-1]} if comm else {})
            for life in lives:
                if life.t["on"].lower() != kind or (kind == "signal" and not life.concerns(f["chart"])):
                    continue
                life.add(what, ts)
                if life.holds(what, ts):
                    life.hits.append((ts, f["tid"] if kind == "exception" else None))
                    if life.may_fire(ts):
                        life.fire(ts, begun)
    for life in lives:
        if life.logs:
            life.end(now, "input")
    return out


def read_output(text):
    out, fired, signals = [], [], []
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        if kind not in ("trigger", "request", "signal"):
            continue
        f = dict(part.partition("=")[::2] for part in rest.split(" "))
        if kind == "trigger":
            out.append(tuple(["trigger", f["ts"], f["name"], f["state"]] + [f[k] for k in ("reason", "matched", "unmatched") if k in f]))
            if f["state"] == "fired":
                fired.append((f["ts"], f["name"]))
        elif kind == "request":
            out.append(("request", f["ts"], f["start"], f["id"], f["trigger"], f["match"], f["logged"], f["tid"], f["chart"], f.get("key", ""), f["value"]))
        elif f.get("rules") == "trigger":
            signals.append((f["ts"], f["trigger"]))
    return out, fired, signals


def windows_are_right(text):
    """Each logged request has one window, which holds it unless it says that it does not."""
    logged, windows = {}, []
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        f = dict(part.partition("=")[::2] for part in rest.split(" "))
        if kind == "request" and f["logged"] == "yes":
            logged[f["id"]] = (float(f["start"]), float(f["ts"]))
        elif kind == "window" and "request" in f:
            start, end = logged.get(f["request"], (0, -1))
            if f["complete"] == "yes" and not float(f["from"]) <= start <= end <= float(f["to"]):
                return False
            windows.append(f["request"])
    return sorted(windows) == sorted(logged)


def try_case(command, folder, seed):
    """True: it agrees. None: rounding decides."""
    rnd = random.Random(seed)
    triggers = []
    for number in range(rnd.choice([1, 1, 1, 2, 3])):
        maker = Maker(rnd)
        triggers.append(maker.trigger("t-%d" % number))
    ons = {t["on"] for t in triggers}
    if "Signal" in ons:
        triggers = [t for t in triggers if t["on"] == "Signal"]
        ons = {"Signal"}
    records = make_stream(rnd, ons)
    text = "".join(spell_trigger(rnd, t) for t in triggers)
    rest = rnd.choice([0, 1, 50, 1000]) * 10**6
    alone = rnd.random() < 0.3
    try:
        expected = run(triggers, records, rest, alone)
    except (Edge, OverflowError):
        return None
    paths = {}
    for name, content in [("alpha.chart", CHARTS["alpha"]), ("beta.chart", CHARTS["beta"]), ("t.trigger", text), ("stream", write_stream(records, alone))]:
        paths[name] = os.path.join(folder, name)
        with open(paths[name], "w") as file:
            file.write(content)
    charts = [] if alone else ["-c", paths["alpha.chart"], "-c", paths["beta.chart"]]
    done = subprocess.run([command, "-t", *charts, "-T", paths["t.trigger"], "--rest=%dns" % rest,
                           paths["stream"]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    found, fired, signals = read_output(done.stdout)
    lossy = any(r[1] == "lost" for r in records)
    if done.returncode == (3 if lossy else 0) and found == expected and fired == signals and windows_are_right(done.stdout):
        return True
    print("seed %d: status %d, %s\n%s" % (seed, done.returncode, done.stderr.strip(), text))
    for a, b in zip(expected + [None] * len(found), found + [None] * len(expected)):
        if a != b:
            print("expected %s\nfound    %s" % (a, b))
            break
    if fired != signals:
        print("signals  %s\nfirings  %s" % (signals, fired))
    return False


def main():
    command, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    counts = {True: 0, False: 0, None: 0}
    with tempfile.TemporaryDirectory() as folder:
        while counts[True] < count and counts[False] == 0:
            counts[try_case(command, folder, seed)] += 1
            seed += 1
    print("%d agree, %d left out for rounding" % (counts[True], counts[None]))
    return 1 if counts[False] else 0


if __name__ == "__main__":
    sys.exit(main())
