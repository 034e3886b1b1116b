#include "calls/rag.h"

#include <stdlib.h>

#include "wake/function.h"

/*
 * The caller of a new call at this depth: the last open call. If that lies further up the stack, the thread has changed to another stack;
 * the caller is then the nearest call on that one.
 */
static int32_t caller_at(const struct rag *rag, const struct rag_thread *thread, int64_t depth)
{
	int32_t last = thread->open.count ? thread->open.items[thread->open.count - 1] : INDEX_NONE, next = INDEX_NONE;

	if (last == INDEX_NONE || !depth || !rag->calls.items[last].depth || rag->calls.items[last].depth > depth)
		return last;
	for (size_t i = 0; i < thread->open.count; i++) {
		int64_t there = rag->calls.items[thread->open.items[i]].depth;

		if (there > depth && (next == INDEX_NONE || there <= rag->calls.items[next].depth))
			next = thread->open.items[i];
	}
	return next;
}

static struct rag_call *add_call(struct rag *rag, const struct function_event *event, int64_t start)
{
	struct rag_thread *thread = &rag->threads[event->thread];
	int32_t caller = caller_at(rag, thread, event->depth);
	struct rag_call *call = ARRAY_ADD(&rag->calls);

	*call = (struct rag_call){
		.start = start,
		.end = TIME_NONE,
		.answered = TIME_NONE,
		.seen = start,
		.depth = event->depth,
		.wait_start = TIME_NONE,
		.wait_end = TIME_NONE,
		.thread = event->thread,
		.caller = caller,
		.parent = caller,
		.awaiter = INDEX_NONE,
		.child = INDEX_NONE,
		.next = INDEX_NONE,
		.function = event->function,
	};
	*ARRAY_ADD(&thread->calls) = (int32_t)rag->calls.count - 1;
	return call;
}

/*
 * The start of a call whose entry was lost: after the thread's last known event, and, if the thread was given work later, after that.
 */
static int64_t missing_start(const struct rag *rag, const struct function_event *event)
{
	const struct rag_thread *thread = &rag->threads[event->thread];
	struct thread *story = rag->wake->threads.items[event->thread];
	int64_t start = thread->last == TIME_NONE ? core_since(rag->wake) : thread->last;

	if (story->born != TIME_NONE && story->born > start)
		start = story->born;
	for (size_t at = thread->open.count ? 0 : thread_find(story, event->ts); at > 1; at--) {
		if (story->pieces.items[at - 1].start <= start)
			break;
		if (story->pieces.items[at - 2].what == WHAT_WAIT)
			return story->pieces.items[at - 1].start;
	}
	return start < event->ts ? start : event->ts;
}

/* Ends the calls of a thread that lie on the stack from `from` to `to`. */
static void end_between(struct rag *rag, struct rag_thread *thread, int64_t from, int64_t to, int64_t ts, uint8_t flags)
{
	size_t kept = 0;

	for (size_t i = 0; i < thread->open.count; i++) {
		struct rag_call *call = &rag->calls.items[thread->open.items[i]];

		if (call->depth < from || call->depth > to) {
			thread->open.items[kept++] = thread->open.items[i];
			continue;
		}
		call->end = ts;
		call->flags |= flags;
	}
	thread->open.count = kept;
}

static bool is_open(const struct rag *rag, const struct rag_thread *thread, int16_t function)
{
	for (size_t i = 0; i < thread->open.count; i++)
		if (rag->calls.items[thread->open.items[i]].function == function)
			return true;
	return false;
}

static bool is_of(const struct rag_call *call, const struct function_event *event)
{
	return call->function == event->function && (!call->depth || !event->depth || call->depth == event->depth);
}

/*
 * The return of a function ends all calls nested in it. With known depths it ends only the call itself: later calls may lie on another
 * stack, to which the thread comes back.
 */
static void end_call(struct rag *rag, const struct function_event *event)
{
	struct rag_thread *thread = &rag->threads[event->thread];
	struct rag_call *call;
	size_t at = thread->open.count;

	while (at > 0 && !is_of(&rag->calls.items[thread->open.items[at - 1]], event))
		at--;
	if (at > 0 && event->depth && rag->calls.items[thread->open.items[at - 1]].depth) {
		end_between(rag, thread, event->depth, event->depth, event->ts, 0);
		return;
	}
	if (at == 0 && event->depth && is_open(rag, thread, event->function))
		return; /* a jump within another call of the same function */
	if (at == 0) {
		call = add_call(rag, event, missing_start(rag, event));
		call->flags = CALL_NO_START;
		call->end = event->ts;
		return;
	}
	for (size_t i = at - 1; i < thread->open.count; i++) {
		call = &rag->calls.items[thread->open.items[i]];
		call->end = event->ts;
		call->flags |= i == at - 1 ? 0 : CALL_NO_END;
	}
	thread->open.count = at - 1;
}

/* The end of the last gap in the data between two times; TIME_NONE: there is none. */
static int64_t gap_between(const struct wake *wake, int64_t from, int64_t to)
{
	for (size_t i = wake->gaps.count; i-- > 1;)
		if (wake->gaps.items[i].to > from && wake->gaps.items[i].to <= to)
			return wake->gaps.items[i].to;
	return TIME_NONE;
}

/*
 * If a function is entered again after a gap, its return was lost more likely than that it calls itself. Its first call, with all
 * calls nested in it, was then over by the end of the gap.
 */
static void end_lost(struct rag *rag, const struct function_event *event)
{
	struct rag_thread *thread = &rag->threads[event->thread];
	int64_t gap;

	for (size_t at = 0; at < thread->open.count; at++) {
		const struct rag_call *call = &rag->calls.items[thread->open.items[at]];

		gap = call->function == event->function ? gap_between(rag->wake, call->start, event->ts) : TIME_NONE;
		if (gap == TIME_NONE)
			continue;
		for (size_t i = at; i < thread->open.count; i++) {
			struct rag_call *lost = &rag->calls.items[thread->open.items[i]];

			lost->end = gap > lost->start ? gap : lost->start;
			lost->flags |= CALL_NO_END;
		}
		thread->open.count = at;
	}
}

static void begin_call(struct rag *rag, const struct function_event *event)
{
	end_lost(rag, event);
	if (event->depth) /* calls at this depth are over, though their returns were not seen */
		end_between(rag, &rag->threads[event->thread], event->depth, event->depth, event->ts, CALL_NO_END);
	add_call(rag, event, event->ts);
	*ARRAY_ADD(&rag->threads[event->thread].open) = (int32_t)rag->calls.count - 1;
}

/* The end of a thread ends all its calls. */
static void end_threads(struct rag *rag)
{
	for (size_t i = 0; i < rag->wake->threads.count; i++) {
		const struct rag_thread *thread = &rag->threads[i];
		int64_t died = rag->wake->threads.items[i]->died;

		for (size_t n = 0; died != TIME_NONE && n < thread->open.count; n++) {
			rag->calls.items[thread->open.items[n]].end = died;
			rag->calls.items[thread->open.items[n]].flags |= CALL_NO_END;
		}
	}
}

struct rag *rag_new(struct wake *wake)
{
	struct rag *rag = NEW(struct rag);

	rag->wake = wake;
	rag->threads = memory_new(wake->threads.count + 1, sizeof(*rag->threads));
	for (size_t i = 0; i < wake->threads.count; i++)
		rag->threads[i].last = TIME_NONE;
	for (size_t i = 0; i < function_all(wake)->events.count; i++) {
		const struct function_event *event = &function_all(wake)->events.items[i];

		if (event->function == CALL_NONE)
			end_between(rag, &rag->threads[event->thread], event->depth, event->to, event->ts, 0);
		else if (event->returns)
			end_call(rag, event);
		else
			begin_call(rag, event);
		rag->threads[event->thread].last = event->ts;
	}
	end_threads(rag);
	rag_link(rag);
	return rag;
}

void rag_free(struct rag *rag)
{
	for (size_t i = 0; i < rag->wake->threads.count; i++) {
		free(rag->threads[i].calls.items);
		free(rag->threads[i].open.items);
	}
	free(rag->threads);
	free(rag->calls.items);
	free(rag->joins.items);
	free(rag->members.items);
	free(rag);
}

/* The number of the thread's calls that began at or before ts. */
static size_t begun(const struct rag *rag, int32_t index, int64_t ts)
{
	const struct rag_thread *thread = &rag->threads[index];
	size_t low = 0, high = thread->calls.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rag->calls.items[thread->calls.items[middle]].start <= ts)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool rag_nested(const struct rag_call *call)
{
	return call->caller != INDEX_NONE && call->parent == call->caller;
}

int32_t rag_common(const struct rag *rag, int32_t a, int32_t b)
{
	while (a != b && a != INDEX_NONE && b != INDEX_NONE) {
		int32_t *later = a > b ? &a : &b; /* a caller's index is less than its callees' */

		*later = rag->calls.items[*later].caller;
	}
	return a == b ? a : INDEX_NONE;
}

int32_t rag_call_before(const struct rag *rag, int32_t thread, int64_t ts)
{
	size_t count = begun(rag, thread, ts);

	return count ? rag->threads[thread].calls.items[count - 1] : INDEX_NONE;
}

int32_t rag_call_at(const struct rag *rag, int32_t thread, int64_t ts)
{
	int32_t index = rag_call_before(rag, thread, ts);

	while (index != INDEX_NONE) {
		const struct rag_call *call = &rag->calls.items[index];

		if (call->end == TIME_NONE || call->end > ts)
			return index;
		index = call->caller;
	}
	return INDEX_NONE;
}

bool rag_entered(const struct rag *rag, int32_t thread, int64_t from, int64_t to)
{
	return from < to && begun(rag, thread, to - 1) > begun(rag, thread, from - 1);
}
