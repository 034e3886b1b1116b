#!/usr/bin/env python3
"""random_calls.py SEED: a random text stream of system calls: processes that fork, execute programs, make threads, exit; losses.

No number of a thread is used twice. Half of the streams tell forks by sched_process_fork, the others by results of calls only."""
import random
import sys

seed = int(sys.argv[1])
rnd = random.Random(seed)
told = seed % 2 == 0
now = 1000000000
lines = ["stream version=1 host=h machine=x86_64"]
next_tid = 100


class Thread:
    def __init__(self, tid, tgid, comm):
        self.tid, self.tgid, self.comm, self.open, self.child, self.dead = tid, tgid, comm, None, None, False


def emit(thread, text):
    global now
    now += rnd.randrange(1, 100000)
    lines.append("event ts=%d.%09d cpu=0 tid=%d comm=%s %s" % (now // 10**9, now % 10**9, thread.tid, thread.comm, text))


def enter(thread, number, *args):
    thread.open = number
    emit(thread, "name=raw_syscalls:sys_enter id=%d args=%s" % (number, ",".join(hex(a) for a in (list(args) + [0] * 6)[:6])))


def leave(thread, ret, number=None):
    emit(thread, "name=raw_syscalls:sys_exit id=%d ret=%d" % (thread.open if number is None else number, ret))
    if number is None:
        thread.open = None


def new_thread(tgid, comm):
    global next_tid
    next_tid += 1
    return Thread(next_tid, tgid or next_tid, comm)


def make(thread, threads):
    """A clone, fork or vfork: the parent returns now, later, or never; the child's first event is the return, or none."""
    number, flags = rnd.choice([(56, 0x10000), (56, 17), (57, 0), (58, 0)])
    as_thread = flags == 0x10000
    enter(thread, number, flags)
    child = new_thread(thread.tgid if as_thread else None, thread.comm)
    if told:
        emit(thread, "name=sched:sched_process_fork parent_comm=x parent_pid=%d child_comm=x child_pid=%d" % (thread.tid, child.tid))
    if as_thread and told or rnd.random() < 0.5:
        lines.append("task ts=%d.%09d tid=%d tgid=%d comm=%s" % (now // 10**9, now % 10**9, child.tid, child.tgid, child.comm))
    if rnd.random() < 0.5 or as_thread and not told:
        leave(thread, child.tid)
    else:
        thread.child = child.tid
    if rnd.random() < 0.7:
        leave(child, 0, number)
    threads.append(child)


def step(thread, threads):
    if thread.open is not None:
        if thread.child:
            ret = thread.child
            thread.child = None
        else:
            ret = rnd.choice([0, 1, 5, 4096, -2, -11, -4095])
        if thread.open != 59 or ret < 0:
            if rnd.random() < 0.05:
                leave(thread, 0, 300)  # a return of another call ends nothing
            if rnd.random() < 0.05 and thread.open not in (56, 57, 58):
                thread.open = None  # lost: the next event is an entry
            else:
                leave(thread, ret)
            return
        thread.comm = rnd.choice(["job", "job", "sh", "other"])
        leave(thread, 0)
        return
    what = rnd.random()
    live = [t for t in threads if t.tgid == thread.tgid and not t.dead]
    if what < 0.05 and len(threads) < 40:
        make(thread, threads)
    elif what < 0.08 and len(live) == 1:
        enter(thread, 59)
    elif what < 0.09 and len(live) == 1:
        enter(thread, 231, 3)
        thread.dead = True
    elif what < 0.10 and len(live) > 1 and thread.tid != thread.tgid:
        enter(thread, 60)
        thread.dead = True
    else:
        enter(thread, rnd.choice([0, 0, 1, 7, 900, 61]), 3, 0, rnd.choice([1, 4096, 65536]))
        if rnd.random() < 0.5:
            leave(thread, rnd.choice([0, 17, 100, -4]))


threads = [new_thread(None, rnd.choice(["sh", "job"])) for _ in range(rnd.randrange(1, 4))]
for _ in range(rnd.randrange(50, 800)):
    living = [t for t in threads if not t.dead]
    if not living:
        break
    step(rnd.choice(living), threads)
    if rnd.random() < 0.002:
        lines.append("lost ts=%d.%09d cpu=0 count=3 from=%.9f" % (now // 10**9, now % 10**9, (now - rnd.randrange(100000)) / 1e9))
print("\n".join(lines))
