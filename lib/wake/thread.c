#include "wake/core.h"

#include <string.h>

/* Room for the first pieces: most threads of a window have few. */
enum { PIECES_FIRST = 2 };

struct piece *thread_last(const struct thread *thread)
{
	return thread->pieces.count ? &thread->pieces.items[thread->pieces.count - 1] : NULL;
}

bool thread_asleep(const struct thread *thread)
{
	return thread->pieces.count && thread_last(thread)->what == WHAT_WAIT;
}

bool thread_unseen(const struct thread *thread)
{
	return !thread->pieces.count || thread_last(thread)->flags & PIECE_LOST;
}

bool thread_running(const struct thread *thread)
{
	uint8_t what = thread->pieces.count ? thread_last(thread)->what : WHAT_UNKNOWN;

	return what == WHAT_RUN || what == WHAT_IRQ || what == WHAT_SOFTIRQ;
}

bool thread_runnable(const struct thread *thread)
{
	return thread->pieces.count && thread_last(thread)->what == WHAT_RUNNABLE;
}

struct piece *thread_piece(struct thread *thread, enum node_what what, int64_t ts, uint32_t cpu)
{
	struct piece *piece;

	/* Drop pieces without length, and, if a loss of events begins here, pieces that began later: their ends were not seen. */
	while (thread->pieces.count && thread_last(thread)->start >= ts)
		thread->pieces.count--;
	thread->died = TIME_NONE; /* it lives, even if its end was seen before */
	if (!thread->pieces.room)
		thread->pieces.items = memory_grow(NULL, thread->pieces.room = PIECES_FIRST, sizeof(*thread->pieces.items));
	piece = ARRAY_ADD(&thread->pieces);
	*piece = (struct piece){.start = ts,
				.cause_index = INDEX_NONE,
				.node = NODE_NONE,
				.call = CALL_NONE,
				.cpu = (uint16_t)cpu,
				.what = what};
	if (what == WHAT_RUN) {
		piece->flags = thread->run_flags;
		piece->cause = thread->for_cause;
		piece->cause_index = thread->for_index;
	}
	return piece;
}

void thread_split(struct thread *thread, int64_t ts)
{
	size_t at = thread_find(thread, ts);
	struct piece *piece;

	if (at == 0 || thread->pieces.items[at - 1].start == ts || thread->pieces.items[at - 1].what != WHAT_RUN)
		return;
	piece = ARRAY_INSERT(&thread->pieces, at);
	*piece = piece[-1];
	piece->start = ts;
	piece->flags &= (piece_flags)~PIECE_ASSUMED;
}

void thread_set_run_flags(struct wake *wake, struct thread *thread, piece_flags flags)
{
	if (thread->run_flags == flags)
		return;
	thread->run_flags = flags;
	if (thread_running(thread))
		thread_piece(thread, WHAT_RUN, wake->now, thread_last(thread)->cpu);
}

void thread_woken_unseen(struct piece *wait)
{
	/*
	 * The waker emits its event before it takes the lock that orders it with the sleeper. So if the sleeper is just leaving
	 * the CPU, the wake-up may come before the switch.
	 */
	if (wait->flags & PIECE_EARLY)
		wait->what = WHAT_RUNNABLE;
	else
		wait->cause = CAUSE_UNKNOWN;
}

size_t thread_find(const struct thread *thread, int64_t ts)
{
	return COUNT_UNTIL(thread->pieces.items, thread->pieces.count, start, ts);
}

int64_t thread_piece_end(const struct wake *wake, const struct thread *thread, size_t piece)
{
	if (piece + 1 < thread->pieces.count)
		return thread->pieces.items[piece + 1].start;
	return thread->died != TIME_NONE ? thread->died : wake->now;
}

bool thread_idled(const struct thread *thread, size_t first, size_t last, piece_flags flags)
{
	int64_t slept = 0, did = 0;

	for (size_t i = first; i <= last; i++) {
		const struct piece *piece = &thread->pieces.items[i];
		int64_t time = piece[1].start - piece->start;

		if (piece->what == WHAT_WAIT && (piece->flags & flags) == flags)
			slept += time;
		else if (piece->what == WHAT_WAIT || piece->what == WHAT_RUN)
			did += time;
	}
	return did <= slept / IDLENESS;
}

/* Tells whether the piece belongs to the same run: it is a run with the same cause and flags of parts, or the thread had only lost its CPU. */
static bool continues(const struct piece *run, const struct piece *piece)
{
	if (piece->what == WHAT_RUN)
		return (run->flags ^ piece->flags) >> LOCK_BITS == 0 && run->cause == piece->cause && run->cause_index == piece->cause_index;
	return piece->what != WHAT_WAIT && piece->what != WHAT_UNKNOWN;
}

void thread_run_around(const struct thread *thread, size_t piece, size_t *first, size_t *last)
{
	const struct piece *pieces = thread->pieces.items;

	*first = *last = piece;
	while (*first > 0 && continues(&pieces[piece], &pieces[*first - 1]))
		--*first;
	while (*last + 1 < thread->pieces.count && continues(&pieces[piece], &pieces[*last + 1]))
		++*last;
}
