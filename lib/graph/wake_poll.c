#include "graph/wake.h"

/*
 * A thread that asks again and again is answered once: where it waits for a futex, gives up by a timer, goes right back
 * to wait for it, and is woken by a thread at last, it waited for that one all the time. So interpreters ask for
 * their lock.
 */

enum { WAIT = 0, WAIT_BITSET = 9, OPERATION = 0x7f };

/* The two words of a condition variable that are waited for in turn are not further apart. */
enum { NEAR = 64 };

/* It must have slept for this much longer than it ran in between, or it has done something with its time. */
enum { IDLENESS = 8 };

void poll_futex(struct wake *wake, struct thread *thread, uint64_t address, int64_t operation)
{
	uint64_t distance = address > thread->futex ? address - thread->futex : thread->futex - address;

	if ((operation & OPERATION) != WAIT && (operation & OPERATION) != WAIT_BITSET)
		return;
	if (thread->asks_since == TIME_NONE || distance >= NEAR)
		thread->asks_since = wake->now;
	thread->futex = address;
}

void poll_over(struct thread *thread)
{
	thread->asks_since = TIME_NONE;
}

void poll_answered(struct thread *thread, int32_t by)
{
	size_t first, last = thread->pieces.count - 1; /* it is runnable, the piece before that is the wait */
	int64_t slept = 0, ran = 0;

	if (thread->asks_since == TIME_NONE)
		return;
	first = thread_find(thread, thread->asks_since);
	thread->asks_since = TIME_NONE;
	for (size_t i = first; i < last; i++) {
		const struct piece *piece = &thread->pieces.items[i];

		slept += piece->what == WHAT_WAIT ? piece[1].start - piece->start : 0;
		ran += piece->what == WHAT_RUN ? piece[1].start - piece->start : 0;
	}
	if (ran > slept / IDLENESS)
		return;
	for (size_t i = first; i < last; i++) {
		struct piece *piece = &thread->pieces.items[i];

		if (piece->what != WHAT_WAIT || piece->cause != CAUSE_TIMER)
			continue;
		piece->cause = CAUSE_THREAD;
		piece->cause_index = by;
	}
}
