#include "calls/rag.h"

#include <stdlib.h>

#include "wake/function.h"

static struct rag_call *add_call(struct rag *rag, const struct function_event *event, int64_t start)
{
	struct rag_thread *thread = &rag->threads[event->thread];
	int32_t caller = thread->open.count ? thread->open.items[thread->open.count - 1] : INDEX_NONE;
	struct rag_call *call = ARRAY_ADD(&rag->calls);

	*call = (struct rag_call){
		.start = start,
		.end = TIME_NONE,
		.answered = TIME_NONE,
		.seen = start,
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
 * A return whose entry was lost: the function was entered after whatever the thread is known to have done last, and if
 * it was given its work meanwhile, after that.
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

/* The return of one function witnesses the end of all that it had called. */
static void end_call(struct rag *rag, const struct function_event *event)
{
	struct rag_thread *thread = &rag->threads[event->thread];
	struct rag_call *call;
	size_t at = thread->open.count;

	while (at > 0 && rag->calls.items[thread->open.items[at - 1]].function != event->function)
		at--;
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

/* The last gap in the data between two times, by its end; TIME_NONE: there is none. */
static int64_t gap_between(const struct wake *wake, int64_t from, int64_t to)
{
	for (size_t i = wake->gaps.count; i-- > 1;)
		if (wake->gaps.items[i].to > from && wake->gaps.items[i].to <= to)
			return wake->gaps.items[i].to;
	return TIME_NONE;
}

/*
 * A function that is entered again, with a gap since it was entered, may call itself, but rather its return is lost: then it
 * was over by the end of the gap, with all that it had called.
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
	add_call(rag, event, event->ts);
	*ARRAY_ADD(&rag->threads[event->thread].open) = (int32_t)rag->calls.count - 1;
}

/* The end of a thread is that of all its calls. */
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

		if (event->returns)
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

/* Number of the thread's calls that began at or before ts. */
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
		int32_t *later = a > b ? &a : &b; /* a caller's index is less than that of what nests in it */

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
