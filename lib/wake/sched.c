#include "wake/part.h"
#include "wake/name.h"

#include <string.h>

/*
 * 'R' where it was preempted, 'X' or 'Z' where it is over, else another letter. Before Linux 4.14 one that is over is dead,
 * 'x' or 0x40, which has come to mean a parked kernel thread: few are, and nobody waits for them.
 */
static char switch_state(const struct at *at, int field)
{
	char text[16];
	int64_t state;

	if (at->event->fields && at_text(at, field, text, sizeof(text)) && *text >= 'A')
		return *text == 'x' ? 'X' : *text;
	/* The bits of a sleep and of an end are those of every kernel; the one for preemption moved. */
	state = at_number(at, field);
	if (state & 0x70)
		return 'X';
	return state & 0xff ? 'S' : 'R';
}

static void on_switch(struct at *at)
{
	enum { PREV, STATE, NEXT };
	struct wake *wake = at->wake;
	struct thread *prev, *next;

	wake->switches = true;
	prev = core_current(wake, at->cpu, (int32_t)at_number(at, PREV));
	for (const struct part *const *part = wake->hooks->leaves; *part; part++)
		(*part)->leaves(wake, prev, at->cpu);
	thread_switch_out(prev, at->cpu, switch_state(at, STATE), wake->now);
	for (const struct part *const *part = wake->hooks->left; *part; part++)
		(*part)->left(wake, prev);
	next = core_thread_on(wake, at->cpu, (int32_t)at_number(at, NEXT));
	core_switch_in(wake, at->cpu, next, wake->now);
	at->cpu->leaving = prev->index;
}

/* Parts know the waker: the thread on the CPU, or the interrupt or soft interrupt that it is in. */
static struct waking waking_of(struct at *at, struct thread *woken)
{
	struct waking waking = {
		.woken = woken, .cpu = at->cpu, .index = INDEX_NONE, .cause = CAUSE_UNKNOWN, .flags = at_flags(at), .tid = at->event->tid};

	for (const struct part *const *part = at->wake->hooks->wakes; *part; part++)
		(*part)->wakes(at->wake, &waking);
	return waking;
}

static void on_waking(struct at *at)
{
	enum { PID, TARGET_CPU };
	struct wake *wake = at->wake;
	struct thread *woken = core_thread(wake, (int32_t)at_number(at, PID));
	struct waking waking = waking_of(at, woken);

	wake->contexts |= waking.flags != FLAGS_NONE;
	wake->wakers |= waking.cause == CAUSE_THREAD;
	wake->idlers |= waking.cause == CAUSE_UNKNOWN && waking.tid == TID_IDLE;
	if (thread_wake(wake, woken, waking.cause, waking.index, (uint32_t)at_number(at, TARGET_CPU), wake->now))
		for (const struct part *const *part = wake->hooks->woke; *part; part++)
			(*part)->woke(wake, &waking);
	at->cpu->waking = woken->index;
}

/* Comes on the CPU that the thread was put on, perhaps in an interrupt there: it does not say who woke it. */
static void on_wakeup(struct at *at)
{
	enum { PID, TARGET_CPU };
	struct thread *woken = core_thread(at->wake, (int32_t)at_number(at, PID));
	uint32_t target = (uint32_t)at_number(at, TARGET_CPU);

	if (!thread_running(woken))
		thread_wake(at->wake, woken, CAUSE_UNKNOWN, INDEX_NONE, target, at->wake->now);
	thread_migrate(woken, target, at->wake->now, true);
}

static void on_migrate(struct at *at)
{
	enum { PID, DEST_CPU };
	struct thread *thread = core_thread(at->wake, (int32_t)at_number(at, PID));

	at->wake->migrations = true;
	thread_migrate(thread, (uint32_t)at_number(at, DEST_CPU), at->wake->now, at->cpu->waking == thread->index);
}

static struct thread *born(const struct at *at, int32_t tid)
{
	struct thread *child = core_thread_born(at->wake, tid);

	child->born = at->wake->now;
	child->parent = at->current && at->current->tid != TID_IDLE ? at->current->index : INDEX_NONE;
	thread_piece(child, WHAT_RUNNABLE, at->wake->now, at->cpu->number);
	return child;
}

static void on_fork(struct at *at)
{
	enum { CHILD };

	born(at, (int32_t)at_number(at, CHILD));
}

/* Follows the fork; where forks are not traced it stands for them. */
static void on_wakeup_new(struct at *at)
{
	enum { PID, TARGET_CPU };
	struct thread *thread = core_thread(at->wake, (int32_t)at_number(at, PID));

	if (thread->born == TIME_NONE || thread->pieces.count != 1)
		thread = born(at, thread->tid);
	thread_migrate(thread, (uint32_t)at_number(at, TARGET_CPU), at->wake->now, true);
}

static const struct part_event events[] = {
	{"sched:sched_switch", on_switch, {"prev_pid", "prev_state", "next_pid"}, .names = true},
	{"sched:sched_waking", on_waking, {"pid", "target_cpu"}, .names = true, .completing = true},
	{"sched:sched_wakeup", on_wakeup, {"pid", "target_cpu"}, .names = true, .completing = true},
	{"sched:sched_wakeup_new", on_wakeup_new, {"pid", "target_cpu"}, .names = true},
	{"sched:sched_migrate_task", on_migrate, {"pid", "dest_cpu"}, .completing = true, .waking = true},
	{"sched:sched_process_fork", on_fork, {"child_pid"}, .names = true},
	{"sched:sched_process_exit", NULL, .names = true},
	{0},
};

const struct part sched_part = {.events = events};
