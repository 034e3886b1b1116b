#include <stdlib.h>

#include "base/hash.h"
#include "wake/context.h"
#include "wake/part.h"
#include "wake/name.h"
#include "wake/walk.h"

/*
 * io_uring. A thread hands requests to the kernel through a ring, and waits until one is complete. The thread that then wakes
 * it is often a messenger: a worker (io-wq) that does for it what would block; or the ring's own thread (SQPOLL), which submits
 * and completes for it, and may never sleep, so that no wake-up shows for which thread it works.
 */

/* A worker is woken, or made, within this time after a request was queued for it. */
enum { QUEUE_NS = 1000000 };

enum {
	CAUSE_COMPLETED = CAUSE(PART_URING, 0), /* of a wait; index: of a completion */
	CAUSE_SERVING = CAUSE(PART_URING, 1),	/* of a run; index: of the thread whose requests the kernel's thread does */
};

struct open_request { /* a request by its address, until it is complete */
	uint64_t address;
	struct doer ready; /* the thread that made its completion possible, and when; INDEX_NONE: not known */
	int32_t queued_by; /* index of the thread that queued it for a worker of its own; INDEX_NONE */
	UT_hash_handle hh;
};

struct ring {
	uint64_t address;
	int32_t owner; /* index of the thread that last waited at the ring; INDEX_NONE: none did */
	UT_hash_handle hh;
};

struct completion {
	struct doer ready, by; /* the thread that made it possible, and the one that did it */
};

struct rings { /* of the window */
	struct open_request *open;
	struct ring *rings;
	ARRAY(struct completion) completions;
};

struct role { /* of a thread */
	int64_t queued; /* when it last queued a request for a worker; TIME_NONE */
	int32_t serves; /* index of the thread for which it does requests; INDEX_NONE: it does none */
};

static struct rings *rings_of(const struct wake *wake)
{
	return wake->of[PART_URING];
}

static struct role *of(const struct thread *thread)
{
	return thread->of[PART_URING];
}

static void does(struct thread *thread)
{
	if (of(thread)->serves == INDEX_NONE)
		return;
	thread->for_cause = CAUSE_SERVING;
	thread->for_index = of(thread)->serves;
}

static void serve(struct wake *wake, struct thread *thread, int32_t whom)
{
	if (of(thread)->serves == whom)
		return;
	of(thread)->serves = whom;
	does(thread);
	if (thread_running(thread))
		thread_piece(thread, WHAT_RUN, wake->now, thread_last(thread)->cpu);
}

static void thread_begin(struct thread *thread)
{
	*of(thread) = (struct role){.queued = TIME_NONE, .serves = INDEX_NONE};
}

/* A worker stays the worker of its thread. */
static void thread_lost(struct thread *thread)
{
	of(thread)->queued = TIME_NONE;
	does(thread);
}

static struct ring *ring_at(struct wake *wake, uint64_t address)
{
	struct ring *ring;

	HASH_FIND(hh, rings_of(wake)->rings, &address, sizeof(address), ring);
	if (!ring) {
		ring = NEW(struct ring);
		*ring = (struct ring){.address = address, .owner = INDEX_NONE};
		HASH_ADD(hh, rings_of(wake)->rings, address, sizeof(address), ring);
	}
	return ring;
}

static struct open_request *find_request(const struct wake *wake, uint64_t address)
{
	struct open_request *request;

	HASH_FIND(hh, rings_of(wake)->open, &address, sizeof(address), request);
	return request;
}

static void on_wait(struct at *at)
{
	enum { RING };
	struct thread *thread = at_own(at);

	if (thread)
		ring_at(at->wake, (uint64_t)at_number(at, RING))->owner = thread->index;
}

static void on_submit(struct at *at)
{
	enum { RING, REQUEST, BY_RING };
	struct thread *thread = at_own(at);
	uint64_t address = (uint64_t)at_number(at, REQUEST);
	struct open_request *request = find_request(at->wake, address);

	if (!thread)
		return;
	if (!request) {
		request = NEW(struct open_request);
		request->address = address;
		HASH_ADD(hh, rings_of(at->wake)->open, address, sizeof(address), request);
	}
	request->ready = (struct doer){INDEX_NONE, TIME_NONE};
	request->queued_by = INDEX_NONE;
	if (at_number(at, BY_RING))
		serve(at->wake, thread, ring_at(at->wake, (uint64_t)at_number(at, RING))->owner);
}

/* The request waited for data, which have come: the thread that brought them lets the request go on. */
static void on_ready(struct at *at)
{
	enum { REQUEST };
	struct open_request *request = find_request(at->wake, (uint64_t)at_number(at, REQUEST));
	struct raise by;

	if (!request)
		return;
	by = context_doer(at->wake, at->cpu, at_flags(at));
	request->ready = (struct doer){by.unknown ? INDEX_NONE : by.thread, by.ts};
}

/*
 * If a thread completes a request that was queued for a worker, it is that worker. If another thread had made the completion possible, the
 * completion is the cause of the wake-ups that follow.
 */
static void on_complete(struct at *at)
{
	enum { REQUEST };
	struct rings *rings = rings_of(at->wake);
	struct open_request *request = find_request(at->wake, (uint64_t)at_number(at, REQUEST));
	struct thread *thread = at_own(at);

	if (!request)
		return;
	if (thread && request->queued_by != INDEX_NONE && request->queued_by != thread->index)
		serve(at->wake, thread, request->queued_by);
	if (thread && request->ready.thread != INDEX_NONE && request->ready.thread != thread->index) {
		context_completed(at->cpu, CAUSE_COMPLETED, (int32_t)rings->completions.count, at_flags(at));
		*ARRAY_ADD(&rings->completions) = (struct completion){request->ready, {thread->index, at->wake->now}};
	}
	HASH_DEL(rings->open, request);
	free(request);
}

static void on_queue(struct at *at)
{
	enum { REQUEST };
	struct thread *thread = at_own(at);
	struct open_request *request = find_request(at->wake, (uint64_t)at_number(at, REQUEST));

	if (!thread)
		return;
	of(thread)->queued = at->wake->now;
	if (request)
		request->queued_by = thread->index;
}

/* Tells whether the thread has just queued a request: then it now wakes a worker, or makes one. A worker may make another. */
static bool finds_worker(const struct wake *wake, struct thread *thread)
{
	bool queued = of(thread)->queued != TIME_NONE && wake->now - of(thread)->queued <= QUEUE_NS;

	of(thread)->queued = TIME_NONE;
	return queued;
}

static void woke(struct wake *wake, const struct waking *waking)
{
	struct thread *waker = waking->cause == CAUSE_THREAD ? wake->threads.items[waking->index] : NULL;

	if (waker && finds_worker(wake, waker))
		serve(wake, waking->woken, waker->index);
}

static void on_new_thread(struct at *at)
{
	enum { PID };
	struct thread *maker = at_own(at);
	int32_t whom;

	if (!maker)
		return;
	whom = finds_worker(at->wake, maker) ? maker->index : of(maker)->serves;
	if (whom != INDEX_NONE)
		serve(at->wake, core_thread(at->wake, (int32_t)at_number(at, PID)), whom);
}

static void forget(struct wake *wake)
{
	struct rings *rings = rings_of(wake);

	HASH_FREE(rings->open);
	HASH_FREE(rings->rings);
	ARRAY_FREE(&rings->completions);
}

static struct doer ender(const struct wake *wake, const struct piece *wait)
{
	return rings_of(wake)->completions.items[wait->cause_index].by;
}

/* The messenger explains the time since the request could go on; the thread that made it go on explains the time before. */
static void explain(struct walk *walk, const struct thread *thread, size_t wait, int32_t node, struct errand errand)
{
	const struct completion *completion =
		&rings_of(walk->cut.wake)->completions.items[thread->pieces.items[wait].cause_index];
	const struct thread *messenger = core_sync(walk->cut.wake, completion->by.thread);
	struct errand before = errand;
	size_t at;

	(void)node;
	errand.index = messenger->index;
	at = walk_piece_at(messenger, &errand);
	if (at > 0 && completion->ready.ts > errand.floor) {
		before.index = completion->ready.thread;
		before.after = piece_node(&walk->cut, messenger, at - 1, thread->index);
		before.edge = EDGE_ASYNC;
		before.at = before.ts = completion->ready.ts;
		walk_later(walk, before);
	}
	errand.floor = later(errand.floor, completion->ready.ts);
	walk_later(walk, errand);
}

static bool serves(const struct wake *wake, const struct thread *thread, int32_t *whom)
{
	(void)wake;
	*whom = of(thread)->serves;
	return *whom != INDEX_NONE;
}

static bool job(const struct wake *wake, const struct piece *run, struct kernel_job *job)
{
	(void)wake;
	*job = (struct kernel_job){.owner = run->cause_index, .queue = "io_uring"};
	return run->cause == CAUSE_SERVING;
}

static const struct part_event events[] = {
	{"io_uring:io_uring_cqring_wait", on_wait, {"ctx"}},
	{"io_uring:io_uring_submit_req", on_submit, {"ctx", "req", "sq_thread"}},
	{"io_uring:io_uring_queue_async_work", on_queue, {"req"}},
	{"io_uring:io_uring_task_add", on_ready, {"req"}, .completing = true},
	{"io_uring:io_uring_complete", on_complete, {"req"}, .completing = true},
	{"sched:sched_wakeup_new", on_new_thread, {"pid"}},
	{0},
};

const struct part uring_part = {
	.events = events,
	.window = sizeof(struct rings),
	.thread = sizeof(struct role),
	.forget = forget,
	.thread_begin = thread_begin,
	.thread_lost = thread_lost,
	.woke = woke,
	.serves = serves,
	.ender = ender,
	.explain = explain,
	.job = job,
};
