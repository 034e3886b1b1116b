#include "wake/part.h"
#include "wake/name.h"

#include <string.h>

/*
 * Returns 'R' if the thread was preempted, 'X' or 'Z' if it has ended, 'T' if a signal has stopped it, 't' if a tracer has, else another letter.
 * Before Linux 4.14, a thread that has ended is dead, 'x' or 0x40. Since then 0x40 is a parked kernel thread: rare, and nobody waits for one.
 */
static char switch_state(const struct at *at, int field)
{
	char text[16];
	int64_t state;

	if (at->event->fields && at_text(at, field, text, sizeof(text)) && *text >= 'A')
		return *text == 'x' ? 'X' : *text;
	/* The bits of a sleep and of an end are the same in every kernel; the bit of a preemption has moved. */
	state = at_number(at, field);
	if (state & 0x70)
		return 'X';
	return state & 0x4 ? 'T' : state & 0x8 ? 't' : state & 0xff ? 'S' : 'R';
}

/* A thread that leaves the CPU was on it, even if its last piece says otherwise. */
static void must_run(struct thread *thread, const struct cpu *cpu)
{
	struct piece *piece = thread_last(thread);
	size_t slice = cpu->slices.count - 1;

	if (thread_running(thread))
		return;
	if (thread_unseen(thread)) {
		thread_piece(thread, WHAT_RUN, cpu->slices.items[slice].start, cpu->number)->flags |= PIECE_ASSUMED;
	} else if (thread->pieces.count > 1 && piece[-1].flags & PIECE_ASSUMED && piece[-1].what == WHAT_WAIT) {
		/* The thread was first seen in a wake-up, which was taken for the end of a sleep, but it did not sleep. */
		thread->pieces.count--;
		piece[-1].what = WHAT_RUN;
		piece[-1].cause = CAUSE_NONE;
		piece[-1].cpu = (uint16_t)cpu->number;
	} else {
		piece->what = WHAT_UNKNOWN;
	}
}

static void switch_out(struct thread *thread, struct cpu *cpu, char state, int64_t ts)
{
	struct piece *piece;

	must_run(thread, cpu);
	if (thread->tid == TID_IDLE) {
		thread_piece(thread, WHAT_WAIT, ts, cpu->number);
	} else if (state == 'R') {
		thread_piece(thread, WHAT_RUNNABLE, ts, cpu->number);
	} else if (state == 'X' || state == 'Z') {
		thread->died = ts;
	} else {
		piece = thread_piece(thread, WHAT_WAIT, ts, cpu->number);
		piece->flags = thread->early ? PIECE_EARLY : 0;
	}
}

static void on_switch(struct at *at)
{
	enum { PREV, STATE, NEXT };
	struct wake *wake = at->wake;
	struct thread *prev, *next;
	char state = switch_state(at, STATE);

	wake->switches = true;
	prev = core_current(wake, at->cpu, (int32_t)at_number(at, PREV));
	for (const struct part *const *part = wake->hooks->leaves; *part; part++)
		(*part)->leaves(wake, prev, at->cpu);
	switch_out(prev, at->cpu, state, wake->now);
	for (const struct part *const *part = wake->hooks->left; *part; part++)
		(*part)->left(wake, prev);
	if (state == 'T' || state == 't')
		thread_last(prev)->call = reason_index(wake->reasons, (struct reason){.purpose = state == 'T' ? "stop" : "tracer"});
	next = core_thread_on(wake, at->cpu, (int32_t)at_number(at, NEXT));
	core_switch_in(wake, at->cpu, next, wake->now);
	at->cpu->leaving = prev->index;
}

/* Tells whether the wake-up ended a sleep. */
static bool wake_up(struct wake *wake, struct thread *thread, uint8_t cause, int32_t index, uint32_t cpu, int64_t ts)
{
	struct piece *piece;

	if (thread_unseen(thread))
		thread_piece(thread, WHAT_WAIT, core_since(wake), cpu)->flags = PIECE_ASSUMED;
	piece = thread_last(thread);
	if (piece->what == WHAT_UNKNOWN) {
		piece->what = WHAT_WAIT; /* it went to sleep unseen */
		piece->cause = CAUSE_NONE;
	}
	if (piece->what == WHAT_WAIT && piece->cause == CAUSE_NONE) {
		piece->cause = cause;
		piece->cause_index = index;
		thread_piece(thread, WHAT_RUNNABLE, ts, cpu);
		return true;
	}
	if (thread_running(thread))
		thread->early = true;
	return false;
}

static void migrate(struct thread *thread, uint32_t cpu, int64_t ts, bool waking)
{
	struct piece *piece = thread_last(thread);

	/* If a thread is woken on its way to sleep, a CPU is chosen for it only when it has left its own. */
	if (piece && waking && piece->what == WHAT_WAIT && piece->cause == CAUSE_NONE && piece->flags & PIECE_EARLY)
		thread_woken_unseen(piece);
	if (!piece || piece->what != WHAT_RUNNABLE || piece->cpu == cpu)
		return;
	/* A wake-up names the CPU that the thread last ran on; then the kernel chooses a CPU for it. */
	if (waking)
		piece->cpu = (uint16_t)cpu;
	else
		thread_piece(thread, WHAT_RUNNABLE, ts, cpu);
}

/* Asks the parts for the waker: the thread on the CPU, or the interrupt or soft interrupt that the CPU is in. */
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
	if (wake_up(wake, woken, waking.cause, waking.index, (uint32_t)at_number(at, TARGET_CPU), wake->now))
		for (const struct part *const *part = wake->hooks->woke; *part; part++)
			(*part)->woke(wake, &waking);
	at->cpu->waking = woken->index;
}

/* The event comes on the CPU that the thread was put on, perhaps in an interrupt there: it does not tell the waker. */
static void on_wakeup(struct at *at)
{
	enum { PID, TARGET_CPU };
	struct thread *woken = core_thread(at->wake, (int32_t)at_number(at, PID));
	uint32_t target = (uint32_t)at_number(at, TARGET_CPU);

	if (!thread_running(woken))
		wake_up(at->wake, woken, CAUSE_UNKNOWN, INDEX_NONE, target, at->wake->now);
	migrate(woken, target, at->wake->now, true);
}

static void on_migrate(struct at *at)
{
	enum { PID, DEST_CPU };
	struct thread *thread = core_thread(at->wake, (int32_t)at_number(at, PID));

	at->wake->migrations = true;
	migrate(thread, (uint32_t)at_number(at, DEST_CPU), at->wake->now, at->cpu->waking == thread->index);
}

static struct thread *born(const struct at *at, int32_t tid)
{
	struct thread *child = core_thread_born(at->wake, tid);

	child->born = at->wake->now;
	if (at->current && at->current->tid != TID_IDLE) {
		child->parent = at->current->index;
		at->current->forked = true;
	}
	thread_piece(child, WHAT_RUNNABLE, at->wake->now, at->cpu->number);
	return child;
}

static void on_fork(struct at *at)
{
	enum { CHILD };

	born(at, (int32_t)at_number(at, CHILD));
}

/* The event follows the fork; if forks are not traced, it stands for the fork. */
static void on_wakeup_new(struct at *at)
{
	enum { PID, TARGET_CPU };
	struct thread *thread = core_thread(at->wake, (int32_t)at_number(at, PID));

	if (thread->born == TIME_NONE || thread->pieces.count != 1)
		thread = born(at, thread->tid);
	migrate(thread, (uint32_t)at_number(at, TARGET_CPU), at->wake->now, true);
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
