"""Tells trace-collect --async what asyncio's tasks do: PYTHONPATH=.../preload; see tailblame-collect(7) and lib/source/markers.h.

It does nothing before asyncio is imported, and then looks once a second whether a collector is there. No error of it reaches the program.
"""

import sys


def _chain():
    """Imports the sitecustomize that the program would have had."""
    import importlib.machinery
    import importlib.util
    import os

    here = os.path.realpath(os.path.dirname(__file__))
    path = [entry for entry in sys.path if os.path.realpath(entry or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", path)
    if spec is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


class _Watch:
    """Patches asyncio while that is imported: a finder that finds nothing. By its last module, all that is patched is there."""

    def find_spec(self, name, path=None, target=None):
        if name == "asyncio.unix_events":
            try:
                sys.meta_path.remove(self)
                _install()
            except Exception:
                pass
        return None


def _install():
    import mmap
    import os
    import socket
    import struct
    import threading
    import time
    import weakref
    from asyncio import base_events, events, futures, tasks

    CREATE, RUN, PAUSE, AWAIT, END = 1, 2, 3, 4, 5
    ONE, ALL, ANY = 0, 16, 32
    DONE, ERROR, CANCELLED = 0, 16, 32
    BEFORE, PROMPT = 16, 16
    MAGIC = 1952604465.0
    ROW, COUNT, COUNT_AT, OPENED_AT, ROWS, RING = struct.Struct("5d"), struct.Struct("d"), 8, 32, 1 << 15, 1952604466.0  # lib/source/marker_rings.h
    LAST_TRIES, LAST_SECONDS, AGAIN_NS, CROWDED_NS = 100, 0.005, 500_000_000, 1_000_000
    path = os.environ.get("TAILBLAME_MARKERS") or "/run/tailblame/markers"
    now = time.monotonic_ns
    Task, Future = tasks.Task, futures.Future
    current = tasks.current_task
    lock = threading.Lock()  # of ids
    ids = weakref.WeakKeyDictionary()  # of a task or future: its id, and when its name was told
    joins = weakref.WeakKeyDictionary()  # what a task is about to await several of, and how
    last = 0

    class Descriptor:
        """That of a ring. It is closed when its thread ends. The program may have closed it, and have another file there."""

        def __init__(self, fd):
            file = os.fstat(fd)
            self.fd, self.file = fd, (file.st_dev, file.st_ino)

        def __del__(self):
            try:
                file = os.fstat(self.fd)
                if (file.st_dev, file.st_ino) == self.file:
                    os.close(self.fd)
            except Exception:
                pass

    class State(threading.local):
        def __init__(self):
            self.ring, self.rows, self.owner = None, 0, None
            self.descriptor, self.told = None, False
            self.later, self.running = 0, 0

    state = State()
    sender = None  # the socket; None: nobody is there
    never = False  # there can be no ring

    def id_of(future):
        nonlocal last
        known = ids.get(future)
        if known is None:
            with lock:
                last += 1
                known = ids[future] = [last, 0]
        return known[0]

    def known(future):
        return ids.get(future, (0,))[0]

    def open_ring():
        """A ring of this thread's own, which the collector opens and reads. Its memory is there before it is used."""
        size = ROW.size * (ROWS + 1)
        state.ring = state.descriptor = None
        state.owner = sender
        state.descriptor = Descriptor(os.memfd_create("tailblame-markers", os.MFD_CLOEXEC))
        os.posix_fallocate(state.descriptor.fd, 0, size)
        ring = mmap.mmap(state.descriptor.fd, size)
        ROW.pack_into(ring, 0, MAGIC, 0, threading.get_native_id(), os.getpid(), 0)
        state.ring, state.rows, state.told = ring, 0, False
        tell_ring()

    def tell_ring():
        """What is in the ring waits there, as while the socket is full."""
        try:
            sender.send(ROW.pack(RING, state.descriptor.fd, 0, 0, 0))
            state.told = True
        except BlockingIOError:
            state.later = now() + CROWDED_NS
        except (OSError, AttributeError):
            gone()

    def await_opened():
        """The collector opens the ring while this process is there."""
        for _ in range(LAST_TRIES):
            if sender is None or state.ring is None or COUNT.unpack_from(state.ring, OPENED_AT)[0]:
                return
            if not state.told:
                tell_ring()
            time.sleep(LAST_SECONDS)

    def put(ts, what, number, parent, on, text=b""):
        if sender is None:
            return
        if state.owner is not sender:
            try:
                open_ring()
            except Exception:
                gone(True)
                return
        elif not state.told and ts >= state.later:
            tell_ring()
        ring, at, length = state.ring, state.rows % ROWS, 1 - (-len(text) // ROW.size)
        if at + length > ROWS:
            ring[ROW.size * (at + 1):] = bytes(ROW.size * (ROWS - at))
            state.rows += ROWS - at
            at = 0
        state.rows += length  # what is put from within, as by a finalizer, comes behind this
        begin = ROW.size * (at + 1)
        ROW.pack_into(ring, begin, ts, what + 256 * len(text), number, parent, on)
        if text:
            ring[begin + ROW.size:begin + ROW.size + len(text)] = text
        COUNT.pack_into(ring, COUNT_AT, state.rows)

    def gone(for_good=False):
        """The collector is; or there can be no ring."""
        nonlocal sender, never
        to, sender, never = sender, None, for_good
        if to is not None:
            to.close()
        leave()

    def name_of(task):
        coroutine = task.get_coro()
        name = getattr(coroutine, "__qualname__", None) or type(coroutine).__name__
        return name.encode("utf-8", "replace")[:200]

    def born(task, parent, how=0):
        if task in ids:
            return
        ts = now()
        put(ts, CREATE + how, id_of(task), parent, 0, name_of(task))
        ids[task][1] = ts

    def runs(task):
        """Its turn. Whoever looks later does not know how it was called long ago."""
        ts, known = now(), ids[task]
        again = ts - known[1] >= AGAIN_NS
        if again:
            known[1] = ts
        put(ts, RUN + PROMPT, known[0], 0, 0, name_of(task) if again else b"")
        return known[0]

    def waits(task, ts):
        """What the task awaits now that its turn is over."""
        number = id_of(task)
        on = getattr(task, "_fut_waiter", None)
        several = joins.pop(task, None)
        if on is None:
            return
        children = getattr(on, "_children", None)
        if several is None and isinstance(children, list) and children:
            several = (children, ALL)
        if several is None:
            put(ts, AWAIT + ONE, number, 0, id_of(on))
            return
        for child in several[0]:
            put(ts, AWAIT + several[1], number, 0, id_of(child))

    def ended(task, ts):
        error = task.cancelled()
        result = CANCELLED if error else ERROR if getattr(task, "_exception", None) is not None else DONE
        put(ts, END + result, id_of(task), 0, 0)

    plain_run, plain_create, plain_soon = events.Handle._run, base_events.BaseEventLoop.create_task, base_events.BaseEventLoop.call_soon
    plain_wait = tasks._wait

    def task_of(callback):
        task = getattr(callback, "__self__", None)
        return task if isinstance(task, Task) else None

    def run(self):
        """A turn of a task; or a callback, which runs for the future that is over and calls it."""
        if sender is None:
            return plain_run(self)
        task, for_task = None, 0
        try:
            task = task_of(self._callback)
            if task is not None and not task.done():
                born(task, 0, BEFORE)
                for_task = runs(task)
            else:
                task = None
                args = self._args
                if args and isinstance(args[0], Future) and args[0].done():
                    for_task = known(args[0])
            state.running = for_task
        except Exception:
            pass
        try:
            return plain_run(self)
        finally:
            try:
                state.running = 0
                if task is not None:
                    ts = now()
                    put(ts, PAUSE, id_of(task), 0, 0)
                    if task.done():
                        ended(task, ts)
                    else:
                        waits(task, ts)
            except Exception:
                pass

    def create_task(self, *args, **options):
        task = plain_create(self, *args, **options)
        if sender is not None:
            try:
                born(task, state.running)
            except Exception:
                pass
        return task

    def call_soon(self, callback, *args, **options):
        """A future calls a task that awaits it: the task that runs has ended the future."""
        if sender is not None:
            try:
                task = task_of(callback)
                on = getattr(task, "_fut_waiter", None) if task is not None else None
                if on is not None and not isinstance(on, Task) and on.done():
                    put(now(), END, id_of(on), state.running, 0)
            except Exception:
                pass
        return plain_soon(self, callback, *args, **options)

    def wait(fs, timeout, return_when, loop):
        if sender is not None:
            try:
                task = current(loop)
                if task is not None:
                    joins[task] = (list(fs), ALL if return_when == tasks.ALL_COMPLETED else ANY)
            except Exception:
                pass
        return plain_wait(fs, timeout, return_when, loop)

    def enter():
        events.Handle._run = run
        base_events.BaseEventLoop.create_task = create_task
        base_events.BaseEventLoop.call_soon = call_soon
        tasks._wait = wait

    def leave():
        events.Handle._run = plain_run
        base_events.BaseEventLoop.create_task = plain_create
        base_events.BaseEventLoop.call_soon = plain_soon
        tasks._wait = plain_wait

    def look():
        """Whether a collector is there now, or still."""
        nonlocal sender
        if sender is not None:
            try:
                sender.send(ROW.pack(MAGIC, 0, 0, 0, 0))
            except BlockingIOError:
                pass
            except OSError:
                gone()
        if sender is not None or never or not os.path.exists(path):
            return
        try:
            to = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC)
            try:
                to.connect(path)
            except OSError:
                to.close()
                return
            sender = to
            enter()
        except Exception:
            pass

    plain_forever = base_events.BaseEventLoop.run_forever

    def run_forever(self):
        handle = None

        def again():
            nonlocal handle
            look()
            handle = self.call_later(1, again)

        try:
            again()
        except Exception:
            pass
        try:
            return plain_forever(self)
        finally:
            if handle is not None:
                handle.cancel()
            try:
                await_opened()
            except Exception:
                pass

    def forked():
        state.__init__()

    base_events.BaseEventLoop.run_forever = run_forever
    os.register_at_fork(after_in_child=forked)


try:
    sys.meta_path.insert(0, _Watch())
except Exception:
    pass
try:
    _chain()
except ImportError:
    pass
