#include "walk/whole_find.h"

const uint32_t *whole_segments(const struct whole *whole, uint32_t thread, size_t *count)
{
	*count = whole->thread_begins[thread + 1] - whole->thread_begins[thread];
	return whole->of_threads + whole->thread_begins[thread];
}

uint32_t whole_find(const struct whole *whole, int32_t tid, uint64_t n)
{
	for (size_t i = whole->threads.count; i-- > 0;) {
		const struct whole_thread *thread = &whole->threads.items[i];

		if (thread->tid == tid && n > thread->earlier && n <= (uint64_t)thread->earlier + thread->segments)
			return whole->of_threads[whole->thread_begins[i] + (size_t)(n - thread->earlier - 1)];
	}
	return NUMBER_NONE;
}

size_t whole_first(const struct whole *whole, uint32_t thread, int64_t ts)
{
	size_t low = 0, high;
	const uint32_t *segments = whole_segments(whole, thread, &high);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (segment_at(whole, segments[middle])->end <= ts)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t whole_at(const struct whole *whole, uint32_t thread, int64_t ts)
{
	size_t count, at = whole_first(whole, thread, ts);
	const uint32_t *segments = whole_segments(whole, thread, &count);

	return at < count && segment_at(whole, segments[at])->start <= ts ? segments[at] : NUMBER_NONE;
}

uint32_t whole_thread_then(const struct whole *whole, uint32_t thread, int64_t from, int64_t to)
{
	int32_t tid = whole->threads.items[thread].tid;

	for (uint32_t i = 0; i < whole->threads.count; i++) {
		size_t count, first;
		const uint32_t *segments = whole_segments(whole, i, &count);

		if (whole->threads.items[i].tid != tid)
			continue;
		first = whole_first(whole, i, from);
		if (first < count && segment_at(whole, segments[first])->start < to)
			return i;
	}
	return thread;
}

uint32_t whole_after(const struct whole *whole, uint32_t segment)
{
	const struct segment *of = segment_at(whole, segment);
	const struct whole_thread *thread = &whole->threads.items[of->thread];
	size_t at = of->n - thread->earlier;

	return at < thread->segments ? whole->of_threads[whole->thread_begins[of->thread] + at] : NUMBER_NONE;
}

uint32_t whole_origin(const struct whole *whole, uint32_t segment)
{
	do
		segment = segment_at(whole, segment)->before;
	while (segment != NUMBER_NONE && segment_at(whole, segment)->flags & SEGMENT_BOUNDARY);
	return segment != NUMBER_NONE && segment_waits(segment_at(whole, segment)) ? segment : NUMBER_NONE;
}

const struct whole_count *whole_counts_of(const struct whole_counts *counts, uint32_t segment, size_t *count)
{
	size_t end = COUNT_UNTIL(counts->items, counts->count, segment, segment);
	size_t begin = segment ? COUNT_UNTIL(counts->items, end, segment, segment - 1) : 0;

	*count = end - begin;
	return counts->items + begin;
}

const struct whole_edge *whole_arriving(const struct whole *whole, uint32_t segment, size_t *count)
{
	*count = whole->edge_begins[segment + 1] - whole->edge_begins[segment];
	return whole->edges.items + whole->edge_begins[segment];
}

const struct whole_edge *whole_ender(const struct whole *whole, uint32_t segment)
{
	size_t count;
	const struct whole_edge *edges = whole_arriving(whole, segment, &count), *ender = NULL;

	while (count-- > 0) {
		const struct whole_edge *edge = &edges[count];

		if (edge->weak || edge->cut || edge->ts < segment_at(whole, segment)->wait_from || (ender && !edge->joined))
			continue;
		ender = edge;
		if (edge->joined)
			break;
	}
	return ender;
}

const struct whole_edge *whole_edge_numbered(const struct whole *whole, uint32_t segment, size_t number)
{
	size_t count;
	const struct whole_edge *edges = whole_arriving(whole, segment, &count);

	if (number > 0 && number <= count)
		return &edges[number - 1];
	for (size_t i = 0; i < whole->edges.count && number > count; i++)
		if (whole->edges.items[i].from == segment && ++count == number)
			return &whole->edges.items[i];
	return NULL;
}

bool whole_lost(const struct whole *whole, int64_t from, int64_t to)
{
	for (size_t i = 0; i < whole->gaps.count; i++)
		if (whole->gaps.items[i].from < to && whole->gaps.items[i].to > from)
			return true;
	return false;
}
