#!/usr/bin/env python3
"""A random state file and a random stream for it: random_states.py SEED STATE-FILE STREAM."""
import random
import sys

rnd = random.Random(int(sys.argv[1]))
EVENTS = ["x:a", "x:b", "x:c", "sched:sched_process_exit"]
PATHS = ["Threads/{tid}/Op", "Threads/{tid}/Fd", "Fds/{fd}/Cmd", "Fds/{[Threads/{tid}/Fd]}/In", "/Bus/{cpu}", "Cmds/{cmd}/By", "Sum"]
VALUES = ["{cmd}", "{fd}", "call {cmd}", "{n}", "7", "idle", "{tid}", "{[Threads/{tid}/Op]}", "-3", "{comm}"]
OPERANDS = ["fd", "cmd", "n", "tid", "[Threads/{tid}/Op]", "[Sum]", "[Fds/{fd}/Cmd]"]


def comparison():
    text = "%s %s %s" % (rnd.choice(OPERANDS), rnd.choice(["==", "!=", "<", ">", "<=", ">="]), rnd.choice(["3", "0", "'get'", "'3'", "-1"]))
    if rnd.random() < 0.2:
        text = "%s %s null" % (rnd.choice(OPERANDS), rnd.choice(["==", "!="]))
    return "!(%s)" % text if rnd.random() < 0.15 else text


def condition():
    first = comparison()
    return first if rnd.random() < 0.6 else "%s %s %s" % (first, rnd.choice(["&&", "||"]), comparison())


with open(sys.argv[2], "w") as out:
    print("states name=random", file=out)
    for _ in range(rnd.randint(2, 14)):
        action = rnd.choice(["set", "set", "push", "pop", "add", "clear"])
        line = "on event=%s" % rnd.choice(EVENTS)
        if rnd.random() < 0.5:
            line += ' if="%s"' % condition()
        line += ' %s path="%s"' % (action, rnd.choice(PATHS))
        if action in ("set", "push", "add"):
            line += ' value="%s"' % rnd.choice(VALUES)
        print(line, file=out)

with open(sys.argv[3], "w") as out:
    print("stream version=1 host=h%d" % rnd.randint(1, 2), file=out)
    tids = list(range(10, 10 + rnd.randint(1, 6)))
    for tid in tids:
        print("task ts=1.000000000 tid=%d comm=c%d tgid=%d" % (tid, tid % 3, 10 if tid < 13 else 13), file=out)
    ts, last = 10**9, 10**9
    for _ in range(rnd.randint(1, 120)):
        ts += rnd.choice([0, 0, 1, 1000, 10**6, 5 * 10**8])
        stamp = "%d.%09d" % divmod(ts, 10**9)
        tid = rnd.choice(tids)
        kind = rnd.random()
        if kind < 0.04:
            print("task ts=%s tid=%d ended=yes" % (stamp, tid), file=out)
        elif kind < 0.08:
            print("task ts=%s tid=%d comm=n%d tgid=%d began=yes" % (stamp, tid, rnd.randint(0, 2), 10 if tid < 13 else 13), file=out)
        elif kind < 0.11:
            since = "" if rnd.random() < 0.2 else " from=%d.%09d" % divmod(rnd.randint(10**9, ts), 10**9)
            print("lost ts=%s cpu=0 count=2%s" % (stamp, since), file=out)
        else:
            name = rnd.choice(EVENTS[:3]) if rnd.random() < 0.95 else EVENTS[3]
            fields = "".join(" %s=%s" % (key, rnd.choice(values)) for key, values in
                             (("fd", ["0", "3", "4"]), ("cmd", ["get", "set", "a/b", '""', "3", "user*"]), ("n", ["1", "-5", "x", "9223372036854775807"]))
                             if rnd.random() < 0.8)
            if name == EVENTS[3]:
                fields += " pid=%d" % rnd.choice(tids)
            print("event ts=%s cpu=%d tid=%d comm=c%d name=%s%s" % (stamp, rnd.randint(0, 1), tid, tid % 3, name, fields), file=out)
