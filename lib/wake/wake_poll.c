#include "wake/wake.h"

/*
 * A thread that asks again and again is answered once. A call that slept and returns without what it was for, because its
 * time was over or a signal came, was in vain; where the thread goes right back to it, it has waited all the time for what
 * ends the last of these waits, and not for the timers and signals in between. So interpreters ask for their lock, clients
 * for an answer, with a limit of time, and whatever a profiler samples for anything.
 *
 * Where the thread's end follows, it was killed while it waited, and nobody has ended that wait.
 */

enum { WAIT = 0, WAIT_BITSET = 9, OPERATION = 0x7f };

/* The two words of a condition variable that are waited for in turn are not further apart. */
enum { NEAR = 64 };

/* What calls return that were in vain. The kernel calls the latter again, or says EINTR, when the signal is handled. */
static const int vain[] = {
	4 /* EINTR */, 11 /* EAGAIN */, 62 /* ETIME */, 110 /* ETIMEDOUT */, 512 /* ERESTARTSYS */, 513 /* ERESTARTNOINTR */,
	514 /* ERESTARTNOHAND */, 516 /* ERESTART_RESTARTBLOCK */,
};

static bool is_vain(int64_t result)
{
	for (size_t i = 0; i < sizeof(vain) / sizeof(*vain); i++)
		if (result == -vain[i])
			return true;
	return false;
}

/* A signal came, and its handler or the thread's end is next. */
static bool is_broken(int64_t result)
{
	return is_vain(result) && result != -11 && result != -62 && result != -110;
}

/* Whether the call is for what the one before was for, in vain. Things whose numbers are not so far apart are one. */
static bool is_again(const struct thread *thread, uint64_t what, uint64_t distance)
{
	uint64_t from = what > thread->asks_for ? what - thread->asks_for : thread->asks_for - what;

	return thread->asks_since != TIME_NONE && !thread->asks && thread->asks_call == thread->call && from < distance;
}

static void ask(struct wake *wake, struct thread *thread, uint64_t what, uint64_t distance)
{
	if (!is_again(thread, what, distance))
		thread->asks_since = TIME_NONE;
	if (thread->asks_since == TIME_NONE)
		thread->asks_since = wake->now;
	thread->asks_call = thread->call;
	thread->asks_for = what;
	thread->asks = true;
}

void poll_ask(struct wake *wake, struct thread *thread)
{
	thread->condition = false;
	ask(wake, thread, (uint64_t)thread->fd, 1);
}

/*
 * Who gives up at a condition needs its lock again, which is often right beside it: that is a wait of its own, after which it
 * may go back to the condition. Where it has no limit of time any more, it waits for something else: a Java thread parks
 * at one place, whatever for.
 */
void poll_futex(struct wake *wake, struct thread *thread, uint64_t address, int64_t operation, bool timed)
{
	bool again = is_again(thread, address, NEAR);

	thread->condition = (operation & OPERATION) == WAIT_BITSET; /* as the C library does, with conditions and semaphores */
	if ((operation & OPERATION) != WAIT && !thread->condition)
		return;
	if (again && thread->asks_condition && !thread->condition)
		return;
	if (again && thread->asks_timed && !timed)
		thread->asks_since = TIME_NONE;
	ask(wake, thread, address, NEAR);
	thread->asks_condition = thread->condition;
	thread->asks_timed = timed;
}

static bool is_wait_in(const struct thread *thread, const struct piece *piece)
{
	return piece->what == WHAT_WAIT && (piece->call == thread->call || piece->call == thread->call_of_file);
}

/* The last wait of the call that it is in; NULL: it did not sleep. */
static const struct piece *last_wait(const struct thread *thread)
{
	for (size_t i = thread->pieces.count; i-- > 0 && thread->pieces.items[i].start >= thread->called;)
		if (is_wait_in(thread, &thread->pieces.items[i]))
			return &thread->pieces.items[i];
	return NULL;
}

/* What ended a wait, as the cause of those before it. False: it explains none but its own. */
static bool answer_of(const struct wake *wake, const struct thread *thread, const struct piece *wait, uint8_t *cause,
		      int32_t *index)
{
	*cause = wait->cause;
	*index = wait->cause_index;
	if (wait->cause == CAUSE_RAISED) {
		*cause = CAUSE_THREAD;
		*index = wake->raises.items[wait->cause_index].thread;
	}
	if (wait->cause == CAUSE_TIMER || wait->cause == CAUSE_SENT)
		*index = INDEX_NONE; /* who armed it did so later, perhaps */
	if (*cause == CAUSE_NONE || *cause == CAUSE_REQUEST || *cause == CAUSE_DIRTY)
		return false;
	return *cause != CAUSE_THREAD || *index != thread->index;
}

/* Within one call a thread may wait for one thing after the other, as for data to be written and then for the journal. */
static void answer(struct wake *wake, struct thread *thread, const struct piece *wait)
{
	size_t first = thread_find(thread, thread->asks_since), last = (size_t)(wait - thread->pieces.items);
	int32_t index;
	uint8_t cause;

	if (!answer_of(wake, thread, wait, &cause, &index) || !thread_idled(thread, first, last))
		return;
	for (size_t i = first; i < last; i++) {
		struct piece *piece = &thread->pieces.items[i];

		if (piece->start >= thread->called)
			break;
		if (!is_wait_in(thread, piece) && (piece->what != WHAT_WAIT || piece->call != wait->call))
			continue;
		if (wait->flags & PIECE_CONDITION && !(piece->flags & PIECE_CONDITION))
			continue;
		piece->cause = cause;
		piece->cause_index = index;
		piece->flags |= PIECE_TICK;
	}
}

void poll_returns(struct wake *wake, struct thread *thread, int64_t result)
{
	const struct piece *wait = thread->asks || thread->call != CALL_NONE ? last_wait(thread) : NULL;

	if (wait)
		thread->broken = is_broken(result) ? wait->start : TIME_NONE;
	if (!thread->asks)
		return;
	thread->asks = false;
	if (is_vain(result))
		return;
	if (wait)
		answer(wake, thread, wait);
	thread->asks_since = TIME_NONE;
}

void poll_ends(struct thread *thread)
{
	size_t at = thread->broken == TIME_NONE ? 0 : thread_find(thread, thread->broken);
	struct piece *wait = at > 0 ? &thread->pieces.items[at - 1] : NULL;

	/* A timer that kills is a limit of time, like any other. */
	if (wait && wait->what == WHAT_WAIT && wait->cause != CAUSE_TIMER)
		wait->flags |= PIECE_BROKEN;
}
