#include "wake/wake.h"

/*
 * Who spins for a mutex of the kernel does so only while the mutex's owner has a CPU (mutex_spin_on_owner() in the
 * kernel's locking/mutex.c), and no longer than that. So if but one other thread had a CPU all the while, that is the
 * owner, and the spinner waited for it; of several nobody knows which, nor where it is not known who has a CPU.
 */

/* What is shorter is not worth it; and so late an owner may have left its CPU after it had unlocked. */
enum { SPIN_NS = 20000 };

/* The thread that had the CPU from then to shortly before now; INDEX_NONE: there is none. */
static int32_t tenant(const struct wake *wake, const struct cpu *cpu, int64_t since)
{
	size_t at = cpu->tenures.count;

	while (at > 0 && cpu->tenures.items[at - 1].start > wake->now - SPIN_NS)
		at--;
	if (at == 0 || cpu->tenures.items[at - 1].start > since)
		return INDEX_NONE;
	return cpu->tenures.items[at - 1].thread;
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
		if (!thread || thread == spinner || thread->tid == TID_IDLE || thread->doing & PIECE_SPIN)
			continue;
		if (found != INDEX_NONE)
			return INDEX_NONE;
		found = index;
	}
	return found;
}

void spin_begin(struct wake *wake, struct thread *thread)
{
	thread->spins = wake->now;
}

/* Whether all since that piece was one spin, but for interrupts. */
static bool unbroken(const struct thread *thread, size_t piece)
{
	for (; piece < thread->pieces.count; piece++) {
		uint8_t what = thread->pieces.items[piece].what;

		if (what != WHAT_RUN && what != WHAT_IRQ && what != WHAT_SOFTIRQ)
			return false;
	}
	return true;
}

void spin_over(struct wake *wake, struct thread *thread, uint32_t cpu)
{
	int64_t since = thread->spins;
	struct piece *spin;
	int32_t owner;
	size_t count;

	thread->spins = TIME_NONE;
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
	spin->call = wake_name_text(wake->names, "kernel mutex");
	spin->flags = PIECE_SPIN;
	thread->pieces.count = count;
	thread_piece(thread, WHAT_RUN, wake->now, cpu);
}
