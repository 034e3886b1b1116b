#include "wake/limit.h"

#include <stdlib.h>

#include "base/timestamp.h"
#include "wake/reason.h"
#include "wake/syscall.h"

/* How many limits back a wait for the same deadline is looked for; and by how much its times may differ, because limits are in milliseconds. */
enum { PATIENCE = 4096, ROUNDING = 1000000 };

struct limit { /* a limit of time that a thread set for a wait */
	int64_t ts, expires; /* when it was set; when it ends, by the timer's clock */
	int32_t thread;	     /* index */
};

struct process_limits { /* in the order of time */
	int32_t process;
	ARRAY(struct limit) limits;
	UT_hash_handle hh;
};

struct limits { /* of the window */
	struct process_limits *by_process;
};

static struct limits *of(const struct wake *wake)
{
	return wake->of[PART_LIMIT];
}

static struct process_limits *find(const struct wake *wake, const struct thread *thread)
{
	int32_t process = events_tgid(wake->events, thread->tid);
	struct process_limits *found;

	HASH_FIND_INT(of(wake)->by_process, &process, found);
	return found;
}

static struct process_limits *get(struct wake *wake, const struct thread *thread)
{
	struct process_limits *limits = find(wake, thread);

	if (limits)
		return limits;
	limits = NEW(struct process_limits);
	limits->process = events_tgid(wake->events, thread->tid);
	HASH_ADD_INT(of(wake)->by_process, process, limits);
	return limits;
}

static void forget(struct wake *wake)
{
	struct process_limits *limits, *next;

	HASH_ITER(hh, of(wake)->by_process, limits, next) {
		HASH_DEL(of(wake)->by_process, limits);
		ARRAY_FREE(&limits->limits);
		free(limits);
	}
}

static void on_timer_start(struct at *at)
{
	enum { EXPIRES };
	const struct thread *thread = at_own(at);

	if (thread && at_has(at, EXPIRES) && reason_at(at->wake->reasons, syscall_of(thread)->name)->many && events_tgid(at->wake->events, thread->tid))
		*ARRAY_ADD(&get(at->wake, thread)->limits) = (struct limit){at->wake->now, at_number(at, EXPIRES), thread->index};
}

/* Index of the limit of this wait, which the thread set after its wait before; -1: it has none. */
static ssize_t limit_of(const struct process_limits *limits, const struct thread *thread, size_t wait)
{
	int64_t start = thread->pieces.items[wait].start, since = TIME_NONE;
	size_t at = COUNT_UNTIL(limits->limits.items, limits->limits.count, ts, start);

	for (size_t i = wait; i-- > 0 && since == TIME_NONE;)
		if (thread->pieces.items[i].what == WHAT_WAIT)
			since = thread->pieces.items[i + 1].start;
	for (size_t left = PATIENCE; at-- > 0 && left && limits->limits.items[at].ts >= since; left--)
		if (limits->limits.items[at].thread == thread->index)
			return (ssize_t)at;
	return -1;
}

struct ask limit_since(const struct wake *wake, const struct thread *thread, size_t wait)
{
	struct ask first = {thread->pieces.items[wait].start, thread->index};
	const struct process_limits *limits = find(wake, thread);
	ssize_t at = limits ? limit_of(limits, thread, wait) : -1;
	int64_t expires = at < 0 ? 0 : limits->limits.items[at].expires;

	for (size_t left = PATIENCE; at-- > 0 && left; left--) {
		const struct limit *limit = &limits->limits.items[at];

		if (timestamp_near(limit->expires, expires, ROUNDING + 1))
			first = (struct ask){limit->ts, limit->thread};
	}
	return first;
}

static const struct part_event events[] = {
	{"timer:hrtimer_start", on_timer_start, {"expires"}},
	{0},
};

const struct part limit_part = {
	.events = events,
	.window = sizeof(struct limits),
	.forget = forget,
};
