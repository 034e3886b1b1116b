#include "wake/wake.h"

#include <string.h>

/*
 * A thread that waits for any of many events is idle: whatever it could do is done. So what it did before for others,
 * or when a tick of its own woke it, did not keep back the event that it waits for. Nor is an answer kept back by the answers
 * of others, which the thread waited for before.
 */

static const char *const calls[] = {
	"epoll_wait",	  "epoll_pwait",    "epoll_pwait2",	   "poll",		"ppoll",
	"select",	  "pselect6",	    "io_getevents",	   "io_uring_enter",	"wait4",
	"waitid",	  "accept",	    "accept4",		   "rt_sigtimedwait",	"mq_timedreceive",
	"msgrcv",	  "recvfrom udp socket", "recvmsg udp socket", "recvmmsg udp socket",
};

/* A tick is short: it must have slept for this much longer than it ran then, or it has done something. */
enum { IDLENESS = 8 };

/* How far back an ask is looked for, in pieces of a thread. */
enum { PATIENCE = 4096 };

bool loop_call(const struct wake *wake, int16_t call)
{
	const char *name = wake_text(wake->names, call, "");

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (!strcmp(name, calls[i]))
			return true;
	return false;
}

static bool is_idle(const struct wake *wake, const struct piece *piece)
{
	return piece->what == WHAT_WAIT && loop_call(wake, piece->call);
}

/* Whether it is a wait for something to do, or for an answer, and not for a lock. */
static bool takes(const struct wake *wake, const struct piece *wait)
{
	const char *call = wake_text(wake->names, wait->call, "");

	return wait->what == WHAT_WAIT && (wait->flags & PIECE_CONDITION || is_idle(wake, wait) || !strncmp(call, "read", 4) ||
					   !strncmp(call, "recv", 4));
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

static int64_t ended(const struct wake *wake, const struct piece *wait)
{
	return wait->cause == CAUSE_RAISED ? wake->raises.items[wait->cause_index].ts : wait[1].start;
}

static bool are_colleagues(const struct wake *wake, const struct thread *thread, int32_t other)
{
	int32_t process = events_tgid(wake->events, thread->tid);

	return process && process == events_tgid(wake->events, wake->threads.items[other]->tid);
}

/* The last wait of the thread that was over by then, of those that this one ended (INDEX_NONE: any). NULL: none. */
static const struct piece *last_wait(const struct wake *wake, const struct thread *thread, int64_t ts, int32_t by)
{
	size_t at = thread_find(thread, ts);

	for (size_t left = PATIENCE; at-- > 0 && left; left--) {
		const struct piece *wait = &thread->pieces.items[at];

		if (wait->what == WHAT_WAIT && at + 1 < thread->pieces.count && wait[1].start <= ts &&
		    (by == INDEX_NONE || ender(wake, wait) == by))
			return wait;
	}
	return NULL;
}

/*
 * Whether the other ended this wait, of the kind of the one at hand. That there is room to send more ends only a wait for
 * that; it is no answer where the one at hand is another.
 */
static bool is_answer(const struct wake *wake, const struct piece *wait, int32_t other, const struct piece *hand)
{
	return ender(wake, wait) == other && (is_idle(wake, wait) || !is_idle(wake, hand)) &&
	       (!(wait->flags & PIECE_ROOM) || hand->flags & PIECE_ROOM);
}

/* When the other ended such a wait of the thread last, before this one; TIME_NONE: never, as far as is known. */
static int64_t last_answer(const struct wake *wake, const struct thread *thread, size_t at, int32_t other)
{
	const struct piece *hand = &thread->pieces.items[at];

	for (size_t left = PATIENCE; at-- > 0 && left; left--) {
		const struct piece *wait = &thread->pieces.items[at];

		if (is_answer(wake, wait, other, hand))
			return wait[1].start;
	}
	return TIME_NONE;
}

/* It woke the one that ended its wait, or made it. */
static int64_t asked_itself(const struct wake *wake, const struct thread *thread, int64_t end,
			    const struct thread *other)
{
	const struct piece *wait = last_wait(wake, other, end, thread->index);

	if (wait)
		return ended(wake, wait);
	return other->parent == thread->index ? other->born : TIME_NONE;
}

/* It woke another thread of that process, which then handed the job on: the first such after the last answer. */
static int64_t asked_another(const struct wake *wake, const struct thread *thread, int64_t end,
			     const struct thread *other, int64_t answered)
{
	size_t i = answered == TIME_NONE ? 0 : thread_find(other, answered);

	for (size_t left = PATIENCE; i + 1 < other->pieces.count && left; i++, left--) {
		const struct piece *wait = &other->pieces.items[i];
		int32_t by = ender(wake, wait);

		if (wait[1].start > end)
			break;
		if (by == INDEX_NONE || !are_colleagues(wake, other, by) || are_colleagues(wake, other, thread->index))
			continue;
		wait = last_wait(wake, wake->threads.items[by], ended(wake, wait), INDEX_NONE);
		if (wait && ender(wake, wait) == thread->index)
			return ended(wake, wait);
	}
	return TIME_NONE;
}

/* Whether the other answered a thread of this one's process between then and the end of this wait. */
static bool has_answered(const struct wake *wake, const struct thread *thread, size_t hand, int32_t other, int64_t from)
{
	int64_t to = thread_piece_end(wake, thread, hand);

	for (size_t n = 0; n < wake->threads.count; n++) {
		const struct thread *colleague = wake->threads.items[n];

		if (!are_colleagues(wake, thread, colleague->index))
			continue;
		for (size_t at = thread_find(colleague, to), left = PATIENCE; at-- > 0 && left; left--) {
			const struct piece *wait = &colleague->pieces.items[at];

			if (thread_piece_end(wake, colleague, at) <= from)
				break;
			if (at + 1 < colleague->pieces.count && wait[1].start < to &&
			    is_answer(wake, wait, other, &thread->pieces.items[hand]))
				return true;
		}
	}
	return false;
}

/*
 * Another thread of its process woke the other, who has answered none of them since: where they share what they wait for,
 * as those of a Go program do, any of them takes the answer. This one did next to nothing meanwhile.
 */
static struct ask asked_for_it(const struct wake *wake, const struct thread *thread, size_t at, const struct thread *other)
{
	struct ask ask = {TIME_NONE, INDEX_NONE};
	size_t i = thread_find(other, thread_piece_end(wake, thread, at));

	for (size_t left = PATIENCE; i-- > 0 && left && ask.since == TIME_NONE; left--) {
		const struct piece *wait = &other->pieces.items[i];
		int32_t by = ender(wake, wait);

		if (i + 1 < other->pieces.count && by != INDEX_NONE && are_colleagues(wake, thread, by))
			ask = (struct ask){ended(wake, wait), by};
	}
	if (ask.since == TIME_NONE || are_colleagues(wake, thread, other->index) ||
	    !thread_idled(thread, thread_find(thread, ask.since), at) || has_answered(wake, thread, at, other->index, ask.since))
		ask.since = TIME_NONE;
	return ask;
}

/*
 * Whether the thread did next to nothing but wait between the ask and the end of this wait, as one that asks several, or has
 * several work for it, and takes what they say in turn.
 */
static bool has_gathered(const struct thread *thread, size_t at, int64_t since)
{
	bool condition = thread->pieces.items[at].flags & PIECE_CONDITION;
	int64_t waited = 0, did = 0;

	for (size_t i = thread_find(thread, since); i <= at; i++) {
		const struct piece *piece = &thread->pieces.items[i];
		int64_t time = piece[1].start - piece->start;

		if (piece->what == WHAT_WAIT && (!condition || piece->flags & PIECE_CONDITION))
			waited += time;
		else if (piece->what == WHAT_WAIT || piece->what == WHAT_RUN)
			did += time;
	}
	return did <= waited / IDLENESS;
}

/* Whether it did next to nothing but run between these times. */
static bool was_busy(const struct wake *wake, const struct thread *thread, int64_t from, int64_t to)
{
	int64_t waited = 0, ran = 0;

	for (size_t i = thread_find(thread, from); i < thread->pieces.count && thread->pieces.items[i].start < to; i++) {
		const struct piece *piece = &thread->pieces.items[i];
		int64_t end = thread_piece_end(wake, thread, i), time = (end < to ? end : to) - piece->start;

		waited += piece->what == WHAT_WAIT ? time : 0;
		ran += piece->what == WHAT_RUN ? time : 0;
	}
	return waited <= ran / IDLENESS;
}

/* Whether this is the last that the thread did. */
static bool has_ended(const struct thread *thread, int64_t ts)
{
	return thread->died != TIME_NONE && thread_find(thread, ts) == thread->pieces.count;
}

/*
 * The thread asked whoever ended this wait, which is not idle, but for an answer. A condition may also be a lock, as those of
 * Java are, and to be woken no ask, but the end of another's turn, from which on the other did what it liked: so it must have
 * ended with the answer, or have been busy. TIME_NONE: it did not ask.
 */
static int64_t asked_and_waited(const struct wake *wake, const struct thread *thread, size_t at, const struct thread *other)
{
	bool condition = thread->pieces.items[at].flags & PIECE_CONDITION;
	int64_t end = thread_piece_end(wake, thread, at), answered = last_answer(wake, thread, at, other->index);
	int64_t since = asked_itself(wake, thread, end, other);

	if (!condition && (since == TIME_NONE || since < answered))
		since = asked_another(wake, thread, end, other, answered);
	if (since == TIME_NONE || since < answered || !has_gathered(thread, at, since) ||
	    (condition && !has_ended(other, end) && !was_busy(wake, other, since, end)))
		return TIME_NONE;
	return since;
}

/*
 * The thread itself or another of its process asked whoever ended this wait, which was idle, or for an answer; since TIME_NONE:
 * nobody did.
 */
static struct ask asked_before(const struct wake *wake, const struct thread *thread, size_t at)
{
	const struct piece *wait = &thread->pieces.items[at];
	struct ask ask = {TIME_NONE, thread->index};
	int64_t end = thread_piece_end(wake, thread, at), answered;
	int32_t by = ender(wake, wait);
	const struct thread *other;

	if (by == INDEX_NONE || by == thread->index || !takes(wake, wait))
		return ask;
	other = wake->threads.items[by];
	if (!is_idle(wake, wait)) {
		ask.since = asked_and_waited(wake, thread, at, other);
		return ask;
	}
	answered = last_answer(wake, thread, at, by);
	ask.since = asked_itself(wake, thread, end, other);
	if (ask.since == TIME_NONE || ask.since < answered)
		ask.since = asked_another(wake, thread, end, other, answered);
	if (ask.since == TIME_NONE || ask.since < answered)
		ask = asked_for_it(wake, thread, at, other);
	if (ask.since < answered)
		ask.since = TIME_NONE;
	return ask;
}

/*
 * Another thread of its process waited for any of many events, and has handed on what somebody else was asked for. It came while
 * the thread waited, or the wait was for the other thread alone, as for a lock that it has. Where the ask was before the wait, and
 * the thread did next to nothing since, as those of a pool do, what it did was for others.
 */
static struct ask handed_on(const struct wake *wake, const struct thread *thread, size_t at)
{
	const struct piece *wait = &thread->pieces.items[at], *last;
	struct ask ask = {TIME_NONE, INDEX_NONE};
	int32_t by = ender(wake, wait);
	const struct thread *other;

	if (by == INDEX_NONE || by == thread->index || !are_colleagues(wake, thread, by) || !takes(wake, wait))
		return ask;
	other = wake->threads.items[by];
	last = last_wait(wake, other, ended(wake, wait), INDEX_NONE);
	if (last && last[1].start > wait->start && ender(wake, last) != INDEX_NONE &&
	    !are_colleagues(wake, thread, ender(wake, last)))
		ask = asked_before(wake, other, (size_t)(last - other->pieces.items));
	if (ask.since != TIME_NONE && !thread_idled(thread, thread_find(thread, ask.since), at))
		ask.since = TIME_NONE;
	return ask;
}

struct ask loop_asked(const struct wake *wake, const struct thread *thread, size_t at)
{
	int64_t start = thread->pieces.items[at].start;
	struct ask ask = asked_before(wake, thread, at);

	if (ask.since == TIME_NONE || ask.since >= start)
		ask = handed_on(wake, thread, at);
	return ask.since == TIME_NONE || ask.since >= start ? (struct ask){start, thread->index} : ask;
}
