#include "wake/lock.h"

#include "wake/part.h"
#include "wake/name.h"

/*
 * A thread spins for a mutex of the kernel only while the mutex's owner has a CPU (mutex_spin_on_owner() in the
 * kernel's locking/mutex.c), and no longer than that. So if only one other thread had a CPU all the while, it is the owner,
 * and the spinner waited for it. If several had one, or if it is not known which threads did, the owner is not known.
 */

/* A shorter spin is not looked at. An owner that has unlocked may leave its CPU this long before the spin is seen to end. */
enum { SPIN_NS = 20000 };

/* The lock of the kernel that a thread tries to get, and may sleep for. */
struct wanted {
	int16_t lock; /* index of a text; CALL_NONE */
	uint64_t address;
	int64_t spins; /* since when the thread has spun for a mutex; TIME_NONE: it does not spin */
};

static struct wanted *of(const struct thread *thread)
{
	return thread->of[PART_LOCK];
}

bool lock_wanted(const struct thread *thread)
{
	return of(thread)->lock != CALL_NONE;
}

static void thread_begin(struct thread *thread)
{
	*of(thread) = (struct wanted){.lock = CALL_NONE, .spins = TIME_NONE};
}

static void thread_lost(struct thread *thread)
{
	of(thread)->lock = CALL_NONE;
	of(thread)->spins = TIME_NONE;
}

/* The thread that had the CPU from `since` until shortly before now; INDEX_NONE: no thread did. */
static int32_t tenant(const struct wake *wake, const struct cpu *cpu, int64_t since)
{
	size_t at = cpu->slices.count;

	while (at > 0 && cpu->slices.items[at - 1].start > wake->now - SPIN_NS)
		at--;
	if (at == 0 || cpu->slices.items[at - 1].start > since)
		return INDEX_NONE;
	return cpu->slices.items[at - 1].thread;
}

static int32_t find_owner(const struct wake *wake, const struct thread *spinner, int64_t since)
{
	int32_t found = INDEX_NONE;

	for (size_t i = 0; i < wake->cpus.count; i++) {
		const struct cpu *cpu = wake->cpus.items[i];
		const struct thread *thread;
		int32_t index;

		if (!cpu)
			continue;
		if (cpu->epoch != wake->gaps.count || cpu->current == INDEX_NONE)
			return INDEX_NONE;
		index = tenant(wake, cpu, since);
		thread = index == INDEX_NONE ? NULL : wake->threads.items[index];
		if (!thread || thread == spinner || thread->tid == TID_IDLE || thread->run_flags & PIECE_SPIN)
			continue;
		if (found != INDEX_NONE)
			return INDEX_NONE;
		found = index;
	}
	return found;
}

/* Tells whether the thread has only run since that piece, but for interrupts. */
static bool unbroken(const struct thread *thread, size_t piece)
{
	for (; piece < thread->pieces.count; piece++) {
		uint8_t what = thread->pieces.items[piece].what;

		if (what != WHAT_RUN && what != WHAT_IRQ && what != WHAT_SOFTIRQ)
			return false;
	}
	return true;
}

/* The thread has stopped spinning: if the owner is known, the spin becomes a wait for it. */
static void spin_over(struct wake *wake, struct thread *thread, uint32_t cpu)
{
	int64_t since = of(thread)->spins;
	struct piece *spin;
	int32_t owner;
	size_t count;

	of(thread)->spins = TIME_NONE;
	if (since == TIME_NONE || wake->now - since < SPIN_NS)
		return;
	count = thread_find(thread, since);
	if (count == 0 || thread->pieces.items[count - 1].start != since || !unbroken(thread, count - 1))
		return;
	owner = find_owner(wake, thread, since);
	if (owner == INDEX_NONE)
		return;
	spin = &thread->pieces.items[count - 1];
	spin->what = WHAT_WAIT;
	spin->cause = CAUSE_THREAD;
	spin->cause_index = owner;
	spin->call = reason_index(wake->reasons, (struct reason){.lock = "mutex"});
	spin->flags = PIECE_BUSY;
	thread->pieces.count = count;
	thread_piece(thread, WHAT_RUN, wake->now, cpu);
}

/* The kernel's flags of a contention, the more specific ones first. */
static const struct {
	int64_t flag;
	const char *name;
} locks[] = {
	{0x20, "mutex"},
	{0x10, "per-CPU semaphore"},
	{0x08, "real-time lock"},
	{0x02, "semaphore for reading"},
	{0x04, "semaphore for writing"},
};

enum { LOCK_SPIN = 1, LOCK_MUTEX = 0x20 };

static void on_contention_begin(struct at *at)
{
	enum { FLAGS, LOCK };
	struct thread *thread = at_own(at);
	int64_t flags = at_number(at, FLAGS);

	if (!thread)
		return;
	spin_over(at->wake, thread, at->cpu->number);
	thread_set_run_flags(at->wake, thread, flags & LOCK_SPIN ? thread->run_flags | PIECE_SPIN : thread->run_flags & ~PIECE_SPIN);
	if (flags & LOCK_SPIN && flags & LOCK_MUTEX)
		of(thread)->spins = at->wake->now;
	else if (flags & LOCK_SPIN)
		return; /* it will not sleep for this lock, but perhaps for the one that it wanted already */
	of(thread)->address = (uint64_t)at_number(at, LOCK);
	for (size_t i = 0; i < sizeof(locks) / sizeof(locks[0]); i++)
		if (flags & locks[i].flag) {
			of(thread)->lock = reason_index(at->wake->reasons, (struct reason){.lock = locks[i].name});
			return;
		}
}

static void on_contention_end(struct at *at)
{
	enum { LOCK };
	struct thread *thread = at_own(at);

	if (!thread)
		return;
	if (of(thread)->address == (uint64_t)at_number(at, LOCK))
		of(thread)->lock = CALL_NONE;
	spin_over(at->wake, thread, at->cpu->number);
	thread_set_run_flags(at->wake, thread, thread->run_flags & ~PIECE_SPIN);
}

static void leaves(struct wake *wake, struct thread *thread, struct cpu *cpu)
{
	spin_over(wake, thread, cpu->number);
}

static void left(struct wake *wake, struct thread *thread)
{
	(void)wake;
	if (lock_wanted(thread) && thread_asleep(thread))
		thread_last(thread)->call = of(thread)->lock;
}

static bool tell_run(const struct wake *wake, const struct piece *run, int32_t asker, struct deed *deed)
{
	(void)wake, (void)asker;
	if (run->flags & PIECE_SPIN)
		deed->kind = DEED_SPIN;
	return deed->kind == DEED_SPIN;
}

static const struct part_event events[] = {
	{"lock:contention_begin", on_contention_begin, {"flags", "lock_addr"}},
	{"lock:contention_end", on_contention_end, {"lock_addr"}},
	{0},
};

const struct part lock_part = {
	.events = events,
	.thread = sizeof(struct wanted),
	.thread_begin = thread_begin,
	.thread_lost = thread_lost,
	.leaves = leaves,
	.left = left,
	.tell_run = tell_run,
};
