#include "wake/wake_event.h"

#include <string.h>

/*
 * 'R' where it was preempted, 'X' or 'Z' where it is over, else another letter. Before Linux 4.14 one that is over is dead,
 * 'x' or 0x40, which has come to mean a parked kernel thread: few are, and nobody waits for them.
 */
static char switch_state(const struct happening *at, int field)
{
	char text[16];
	int64_t state;

	if (at->event->fields && happening_text(at, field, text, sizeof(text)) && *text >= 'A')
		return *text == 'x' ? 'X' : *text;
	/* The bits of a sleep and of an end are those of every kernel; the one for preemption moved. */
	state = happening_number(at, field);
	if (state & 0x70)
		return 'X';
	return state & 0xff ? 'S' : 'R';
}

void on_switch(struct happening *at)
{
	enum { PREV, STATE, NEXT };
	struct thread *prev, *next;

	at->wake->switches = true;
	prev = wake_current(at->wake, at->cpu, (int32_t)happening_number(at, PREV));
	spin_over(at->wake, prev, at->cpu->number);
	thread_switch_out(prev, at->cpu, switch_state(at, STATE), at->wake->now);
	fault_sleeps(at->wake, prev);
	reclaim_sleeps(at->wake, prev);
	file_sleeps(at->wake, prev);
	next = wake_thread_on(at->wake, at->cpu, (int32_t)happening_number(at, NEXT));
	wake_switch_in(at->wake, at->cpu, next, at->wake->now);
	at->cpu->leaving = prev->index;
}

/* The timer only says when to look again whether the disk has kept up. */
static enum cause dirty_cause(struct wake *wake, const struct thread *woken, int32_t *index)
{
	*index = (int32_t)wake->throttles.count;
	*ARRAY_ADD(&wake->throttles) = woken->dirty;
	return CAUSE_DIRTY;
}

/* Who takes something out of a socket or pipe may wake the other side, for there is room to send more. */
static bool receives(const struct wake *wake, const struct thread *thread)
{
	const char *call = wake_text(wake->names, thread->call, "");

	return strncmp(call, "recv", 4) == 0 || strncmp(call, "read", 4) == 0;
}

static void woken_by(struct wake *wake, struct thread *waker, struct thread *woken)
{
	size_t count = woken->pieces.count; /* the last is that it can run; a wait that took no time is no piece */

	waker->woke = wake->now;
	if (!receives(wake, waker))
		batch_serve(wake, waker, woken);
	else if (count > 1)
		woken->pieces.items[count - 2].flags |= PIECE_ROOM;
}

void on_waking(struct happening *at)
{
	enum { PID, TARGET_CPU };
	struct thread *woken = wake_thread(at->wake, (int32_t)happening_number(at, PID));
	int32_t index, flags = happening_flags(at);
	enum cause cause = context_cause(at->wake, at->cpu, at->event->tid, flags, &index);

	at->wake->contexts |= flags != FLAGS_NONE;
	at->wake->wakers |= cause == CAUSE_THREAD;
	at->wake->idlers |= cause == CAUSE_UNKNOWN && at->event->tid == TID_IDLE;
	if (cause == CAUSE_TIMER && woken->dirty)
		cause = dirty_cause(at->wake, woken, &index);
	if (cause == CAUSE_REQUEST)
		index = request_own(at->wake, index, woken->index);
	woken->dirty = 0;
	bool ended =
		thread_wake(at->wake, woken, cause, index, (uint32_t)happening_number(at, TARGET_CPU), at->wake->now);

	if (ended && cause == CAUSE_THREAD)
		woken_by(at->wake, at->wake->threads.items[index], woken);
	else if (ended && cause == CAUSE_RAISED)
		at->wake->threads.items[at->wake->raises.items[index].thread]->woke = at->wake->now;
	if (ended && cause != CAUSE_TIMER && cause != CAUSE_DIRTY)
		loop_answered(at->wake, woken);
	at->cpu->waking = woken->index;
}

/* Comes on the CPU that the thread was put on, perhaps in an interrupt there: it does not say who woke it. */
void on_wakeup(struct happening *at)
{
	enum { PID, TARGET_CPU };
	struct thread *woken = wake_thread(at->wake, (int32_t)happening_number(at, PID));
	uint32_t target = (uint32_t)happening_number(at, TARGET_CPU);

	if (!thread_running(woken))
		thread_wake(at->wake, woken, CAUSE_UNKNOWN, INDEX_NONE, target, at->wake->now);
	thread_migrate(woken, target, at->wake->now, true);
}

void on_migrate(struct happening *at)
{
	enum { PID, DEST_CPU };
	struct thread *thread = wake_thread(at->wake, (int32_t)happening_number(at, PID));

	at->wake->migrations = true;
	thread_migrate(thread, (uint32_t)happening_number(at, DEST_CPU), at->wake->now, at->cpu->waking == thread->index);
}

static struct thread *born(const struct happening *at, int32_t tid)
{
	struct thread *child = wake_thread_born(at->wake, tid);

	child->born = at->wake->now;
	child->parent = at->current && at->current->tid != TID_IDLE ? at->current->index : INDEX_NONE;
	thread_piece(child, WHAT_RUNNABLE, at->wake->now, at->cpu->number);
	return child;
}

void on_fork(struct happening *at)
{
	enum { CHILD };

	born(at, (int32_t)happening_number(at, CHILD));
}

/* Follows the fork; where forks are not traced it stands for them. */
void on_wakeup_new(struct happening *at)
{
	enum { PID, TARGET_CPU };
	struct thread *thread = wake_thread(at->wake, (int32_t)happening_number(at, PID));

	if (thread->born == TIME_NONE || thread->pieces.count != 1)
		thread = born(at, thread->tid);
	thread_migrate(thread, (uint32_t)happening_number(at, TARGET_CPU), at->wake->now, true);
}

void on_thread_exit(struct happening *at)
{
	enum { PID };

	if (at->current && at->current->tid == (int32_t)happening_number(at, PID))
		poll_ends(at->current);
}
