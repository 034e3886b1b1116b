#include "graph/wake.h"

#include <string.h>

/*
 * A thread that waits for any of many events is idle: whatever it could do is done. So what it did before for others,
 * or when a tick of its own woke it, did not keep back the event that it waits for.
 */

static const char *const calls[] = {"epoll_wait", "epoll_pwait", "epoll_pwait2", "poll",	   "ppoll",
				    "select",	  "pselect6",	 "io_getevents", "io_uring_enter"};

/* A tick is short: it must have slept for this much longer than it ran then, or it has done something. */
enum { IDLENESS = 8 };

/* How far back an ask is looked for, in pieces of a thread. */
enum { PATIENCE = 4096 };

static bool is_idle(const struct wake *wake, const struct piece *piece)
{
	const char *call = wake_text(wake->names, piece->call, "");

	for (size_t i = 0; piece->what == WHAT_WAIT && i < sizeof(calls) / sizeof(*calls); i++)
		if (!strcmp(call, calls[i]))
			return true;
	return false;
}

static bool is_own_timer(const struct wake *wake, const struct thread *thread, const struct piece *wait)
{
	return wait->cause == CAUSE_TIMER && (wait->cause_index == INDEX_NONE ||
					      wake->raises.items[wait->cause_index].thread == thread->index);
}

/* The thread that ended the wait; INDEX_NONE: none did. */
static int32_t ender(const struct wake *wake, const struct piece *wait)
{
	if (wait->what != WHAT_WAIT || wait->flags & PIECE_TICK)
		return INDEX_NONE;
	if (wait->cause == CAUSE_THREAD)
		return wait->cause_index;
	return wait->cause == CAUSE_RAISED ? wake->raises.items[wait->cause_index].thread : INDEX_NONE;
}

void loop_answered(struct wake *wake, struct thread *thread)
{
	size_t last = thread->pieces.count;
	struct piece answered;
	int32_t by;
	int64_t ran = 0;

	if (last < 2) /* it did not take any time */
		return;
	last -= 2; /* it is runnable, the piece before that is the wait */
	answered = thread->pieces.items[last];
	if (answered.cause == CAUSE_REQUEST || !is_idle(wake, &answered))
		return;
	by = ender(wake, &answered);
	for (size_t i = last; i-- > 0;) {
		struct piece *piece = &thread->pieces.items[i];
		int64_t end = piece[1].start;

		if (piece->what != WHAT_WAIT) {
			ran += piece->what == WHAT_RUN ? end - piece->start : 0;
			continue;
		}
		if (!is_own_timer(wake, thread, piece) || !is_idle(wake, piece) || thread->woke >= end ||
		    ran > (end - piece->start) / IDLENESS)
			return;
		piece->cause = by == INDEX_NONE ? answered.cause : CAUSE_THREAD;
		piece->cause_index = by == INDEX_NONE ? answered.cause_index : by;
		piece->flags |= PIECE_TICK;
		ran = 0;
	}
}

/* When `thread` woke `other` last, before `ts`; TIME_NONE: that is not known. */
static int64_t woke(const struct wake *wake, const struct thread *thread, const struct thread *other, int64_t ts)
{
	size_t at = thread_find(other, ts);

	for (size_t left = PATIENCE; at-- > 0 && left; left--) {
		const struct piece *wait = &other->pieces.items[at];

		if (ender(wake, wait) == thread->index && at + 1 < other->pieces.count && wait[1].start <= ts)
			return wait->cause == CAUSE_RAISED ? wake->raises.items[wait->cause_index].ts : wait[1].start;
	}
	return TIME_NONE;
}

int64_t loop_asked(const struct wake *wake, const struct thread *thread, size_t at)
{
	const struct piece *wait = &thread->pieces.items[at];
	int32_t by = ender(wake, wait);
	int64_t asked;

	if (by == INDEX_NONE || by == thread->index || !is_idle(wake, wait))
		return wait->start;
	asked = woke(wake, thread, wake->threads.items[by], thread_piece_end(wake, thread, at));
	if (asked == TIME_NONE || asked >= wait->start)
		return wait->start;
	for (size_t i = at; i-- > 0 && thread->pieces.items[i + 1].start > asked;)
		if (ender(wake, &thread->pieces.items[i]) == by)
			return wait->start; /* that was the answer */
	return asked;
}
