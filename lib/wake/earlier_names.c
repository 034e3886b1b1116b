#include "wake/earlier_names.h"

#include <stdlib.h>
#include <string.h>

#include "wake/part.h"

/*
 * The names of threads. A new thread has its parent's name until it is given its own, which then holds for all of its time. If a thread is renamed
 * later, it runs another program, as a shell does that executes the program it has prepared, or it tells what it works at; its pieces from
 * before keep the old name. If only the digits of the name changed, the thread keeps its old identity. If an interpreter runs a script and the
 * thread has no name of its own, the script is part of its name.
 */

enum { COMM_ROOM = 64 };

struct earlier_name { /* what a thread was called until it was renamed */
	int64_t until;
	char *comm;
};

struct names { /* of a thread */
	ARRAY(struct earlier_name) before; /* in the order of time */
	bool own; /* it has a name of its own, not that of its parent */
};

static struct names *of(const struct thread *thread)
{
	return thread->of[PART_EARLIER_NAMES];
}

/* Tells whether the names differ in numbers at most. */
static bool differ_in_numbers(const char *old, const char *new)
{
	static const char digits[] = "0123456789";

	for (;; old++, new++) {
		old += strspn(old, digits);
		new += strspn(new, digits);
		if (*old != *new)
			return false;
		if (!*old)
			return true;
	}
}

static void on_rename(struct at *at)
{
	enum { PID, OLD, NEW };
	struct thread *thread = core_thread(at->wake, (int32_t)at_number(at, PID));
	bool own = thread->born == TIME_NONE || of(thread)->own;
	char old[COMM_ROOM], new[COMM_ROOM];

	of(thread)->own = true;
	if (!own || !at_has(at, OLD) || !at_text(at, OLD, old, sizeof(old)) ||
	    !at_text(at, NEW, new, sizeof(new)) || differ_in_numbers(old, new))
		return;
	*ARRAY_ADD(&of(thread)->before) = (struct earlier_name){at->wake->now, memory_text(old, strlen(old))};
	thread_split(thread, at->wake->now);
}

const char *wake_comm(const struct wake *wake, const struct thread *thread)
{
	return thread->comm ? thread->comm : events_called(wake->events, thread->tid, wake->now);
}

const char *wake_comm_at(const struct wake *wake, const struct thread *thread, int64_t ts)
{
	size_t at = COUNT_UNTIL(of(thread)->before.items, of(thread)->before.count, until, ts);

	if (at < of(thread)->before.count)
		return of(thread)->before.items[at].comm;
	return thread->comm ? thread->comm : events_called(wake->events, thread->tid, ts);
}

static void thread_free(struct thread *thread)
{
	for (size_t i = 0; i < of(thread)->before.count; i++)
		free(of(thread)->before.items[i].comm);
	free(of(thread)->before.items);
}

static const struct part_event events[] = {
	{"task:task_rename", on_rename, {"pid", "oldcomm", "newcomm"}, .names = true},
	{0},
};

const struct part earlier_names_part = {.events = events, .thread = sizeof(struct names), .thread_free = thread_free};
