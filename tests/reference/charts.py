#!/usr/bin/env python3
"""Control charts once more, written from the textbooks, to compare cchart-filter with.

    charts.py draw SEED COUNT KIND              samples on standard output
    charts.py judge [OPTION=VALUE]... <SAMPLES  the limits and signals expected of them
    charts.py count [OPTION=VALUE]... <EVENTS   the same of system calls' returns, counted in intervals; KIND events draws them

Signals are lines "TS VALUE RULES", behind a line "center lcl ucl n". Options as cchart-filter has them, without defaults.
"""
import math
import random
import sys


RATES = ("p", "u", "laney-p", "laney-u")


def phi(x):
    return 0.5 * math.erfc(-x / math.sqrt(2))


def d2(n):  # Simpson's rule
    def f(x):
        return 1 - phi(x) ** n - (1 - phi(x)) ** n
    steps, low, high = 4000, -9.0, 9.0
    h = (high - low) / steps
    return h / 3 * sum(f(low + i * h) * (1 if i in (0, steps) else 4 if i % 2 else 2) for i in range(steps + 1))


def c4(n):
    return math.sqrt(2 / (n - 1)) * math.gamma(n / 2) / math.gamma((n - 1) / 2)


def mean(values):
    return sum(values) / len(values)


def median(values):
    s = sorted(values)
    return (s[(len(s) - 1) // 2] + s[len(s) // 2]) / 2


def moving_range(values):
    return mean([abs(b - a) for a, b in zip(values, values[1:])])


def nelson(history, center, sigma, lower, upper, sides, wanted):
    """The rules that hold at the last of these points. sigma, lower, upper: of each point."""
    z = [(x - center) / s if s else 0 for x, s in zip(history, sigma)]
    x = history
    signs = {"upper": [1], "lower": [-1], "both": [1, -1]}[sides]
    hold = set()
    for s in signs:
        if (s > 0 and x[-1] > upper) or (s < 0 and x[-1] < lower):
            hold.add(1)
        if len(z) >= 9 and all(s * v > 0 for v in z[-9:]):
            hold.add(2)
        if len(x) >= 6 and all(s * (b - a) > 0 for a, b in zip(x[-6:], x[-5:])):
            hold.add(3)
        if s * z[-1] > 2 and sum(s * v > 2 for v in z[-3:]) >= 2:
            hold.add(5)
        if s * z[-1] > 1 and sum(s * v > 1 for v in z[-5:]) >= 4:
            hold.add(6)
    steps = [b - a for a, b in zip(x[-14:], x[-13:])]
    if len(x) >= 14 and all(a * b < 0 for a, b in zip(steps, steps[1:])):
        hold.add(4)
    if len(z) >= 15 and all(abs(v) <= 1 for v in z[-15:]):
        hold.add(7)
    if len(z) >= 8 and all(abs(v) > 1 for v in z[-8:]):
        hold.add(8)
    return sorted(hold & wanted)


def limits_of(o, base, sizes):
    """Centre and sigma of a point, on the chart's scale, from baseline points (of means: lists)."""
    method, n = o["method"], int(o["subgroup"])
    if method == "xbar-r":
        return mean([mean(g) for g in base]), mean([max(g) - min(g) for g in base]) / d2(n) / math.sqrt(n)
    if method == "xbar-s":
        deviations = [math.sqrt(sum((v - mean(g)) ** 2 for v in g) / (n - 1)) for g in base]
        return mean([mean(g) for g in base]), mean(deviations) / c4(n) / math.sqrt(n)
    if method == "imr":
        return (median(base) if o["scale"] == "log" else mean(base)), moving_range(base) / d2(2)
    if method == "ewma":
        w = float(o["weight"])
        return mean(base), moving_range(base) / d2(2) * math.sqrt(w / (2 - w))
    if method == "paper":
        groups = [base[i:i + 5] for i in range(0, len(base) - 4, 5)]
        return mean([mean(g) for g in groups]), mean([max(g) - min(g) for g in groups]) / d2(5) / math.sqrt(5)
    center = sum(x * m for x, m in zip(base, sizes)) / sum(sizes)
    return center, rate_sigma(method, center, mean(sizes)) * wider(method, center, base, sizes)


def rate_sigma(method, center, size):
    return math.sqrt(center * (1 - center) / size) if method.endswith("p") else math.sqrt(center / size)


def wider(method, center, base, sizes):  # Laney's sigma z, not below 1
    if not method.startswith("laney"):
        return 1
    z = [(x - center) / rate_sigma(method, center, m) if center else 0 for x, m in zip(base, sizes)]
    return max(1, moving_range(z) / d2(2))


def judge(o, samples):
    method, k, log = o["method"], float(o["sigma"]), o["scale"] == "log"
    to = (lambda v: math.log(max(v, 1e-9))) if log else (lambda v: v)
    back = math.exp if log else (lambda v: v)
    points, sizes = [], []  # (ts, value)
    if method in ("xbar-r", "xbar-s"):
        n = int(o["subgroup"])
        for i in range(0, len(samples) - n + 1, n):
            points.append((samples[i + n - 1][0], [to(s[1]) for s in samples[i:i + n]]))
        sizes = [1] * len(points)
    elif method in RATES:
        points = [(s[0], s[1] / s[2]) for s in samples]
        sizes = [s[2] for s in samples]
    else:
        points = [(s[0], to(s[1])) for s in samples]
        sizes = [1] * len(points)
    count = int(o["baseline"])
    base = [p[1] for p in points[:count]]
    center, sigma = limits_of(o, base, sizes[:count])
    width = wider(method, center, base, sizes[:count]) if method in RATES else 1

    def bounds(s):
        low, high = center - k * s, center + k * s
        if method in RATES:
            low = max(low, 0)
        return low, min(high, 1) if method in ("p", "laney-p") else high
    low, high = bounds(sigma)
    values = count * int(o["subgroup"]) if method.startswith("xbar") else count
    print(*(repr(v) for v in (back(center), back(low), back(high))), values)
    history, sigmas, average = [], [], center
    wanted = {int(r) for r in o["rules"].split(",")}
    for (ts, x), size in zip(points[count:], sizes[count:]):
        if isinstance(x, list):
            x = mean(x)
        if method == "ewma":
            average = float(o["weight"]) * x + (1 - float(o["weight"])) * average
            x = average
        s = rate_sigma(method, center, size) * width if method in RATES else sigma
        history.append(x)
        sigmas.append(s)
        hold = nelson(history, center, sigmas, *bounds(s), o["sides"], wanted)
        if hold:
            print(ts, repr(back(x)), ",".join(map(str, hold)))


def count_events(o, events):
    """What a chart that counts makes of events (ts, tid, number): a sample for each interval."""
    length, begin, samples = float(o["interval"]), events[0][0], []
    share = o["method"] in ("p", "laney-p")
    counted = seen = 0
    for ts, number in events:
        while ts >= begin + length - 1e-12:
            if seen or not share:
                samples.append((f"{begin + length:.9f}", counted, seen if share else length))
            begin, counted, seen = begin + length, 0, 0
        seen += 1
        counted += number < 0 and number not in (-11, -4, -115) and not -516 <= number <= -512 and number >= -4095 if share else 1
    return samples


def draw_events(seed, count):
    """System calls that fail now and then, more often at times, at a rate that wanders."""
    random.seed(int(seed))
    ts, level = 1.0, 0.0
    for i in range(int(count)):
        if i % 500 == 0:
            level = 0.7 * level + random.gauss(0, 0.5)
        ts += random.expovariate(1000 * math.exp(0.2 * level))
        ret = random.choice([-2, -13, -11, -4, -512, -4095, -4096, -1]) if random.random() < 0.05 * math.exp(level) else i
        print(f"event ts={ts:.9f} cpu=0 tid={1 + i % 7} comm=x name=raw_syscalls:sys_exit id=1 ret={ret}")


def draw(seed, count, kind):
    random.seed(int(seed))
    level = 0.0
    for i in range(int(count)):
        size = random.randint(50, 400)
        level = 0.7 * level + random.gauss(0, 0.5)  # so that runs and trends occur
        value = {"normal": lambda: random.gauss(100, 10) + 8 * level,
                 "restless": lambda: 100 + 10 * random.gauss(0, 1) * (random.random() < 0.2) + (5 + random.random()) * (-1) ** i,
                 "wandering": lambda: 100 + random.gauss(0, 1) + 3 * level,
                 "calm": lambda: 100 + random.gauss(0, 1) * random.choice([1, 1, 1, 1, 1, 1, 1, 1, 1, 20]),
                 "integer": lambda: random.randint(0, 9) + round(level),
                 "lognormal": lambda: math.exp(random.gauss(-8, 0.6) + 0.5 * level),
                 "p": lambda: sum(random.random() < 0.1 + 0.02 * level for _ in range(size)),
                 "u": lambda: sum(random.random() < 0.3 + 0.05 * level for _ in range(size))}[kind]()
        print(f"sample ts={i}.500000000 chart=x value={value!r}" + (f" n={size}" if kind in ("p", "u") else ""))


def main():
    if sys.argv[1] == "draw":
        return draw_events(*sys.argv[2:4]) if sys.argv[4] == "events" else draw(*sys.argv[2:])
    if sys.argv[1] == "count":
        options = dict(a.split("=") for a in sys.argv[2:])
        events = []
        for line in sys.stdin:
            f = dict(w.split("=") for w in line.split()[1:])
            events.append((float(f["ts"]), int(f["ret"])))
        return judge(options, count_events(options, events))
    samples = []
    for line in sys.stdin:
        f = dict(w.split("=") for w in line.split()[1:])
        samples.append((f["ts"], float(f["value"]), float(f.get("n", 1))))
    return judge(dict(a.split("=") for a in sys.argv[2:]), samples)


if __name__ == "__main__":
    main()
