#include "walk/whole.h"

#include <stdlib.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/hash.h"
#include "walk/abnormal.h"
#include "walk/whole_words.h"

struct tid_entry { /* the last thread with this tid */
	int32_t tid;
	uint32_t thread;
	UT_hash_handle hh;
};

static const char *const endings[ENDINGS] = {NULL, "open", "thread", "timer", "device", "outside", "unknown"};

const char *ending_name(enum ending ending)
{
	return endings[ending];
}

struct whole *whole_new(void)
{
	struct whole *whole = NEW(struct whole);

	whole_word(whole, "");
	whole_set(whole, NULL, 0);
	whole_sequence(whole, NULL, 0);
	whole_identity(whole, (struct wait_identity){0});
	return whole;
}

void whole_free(struct whole *whole)
{
	if (!whole)
		return;
	HASH_FREE(whole->by_tid);
	intern_free(&whole->words);
	intern_free(&whole->sets);
	intern_free(&whole->sequences);
	intern_free(&whole->identities);
	free(whole->threads.items);
	free(whole->segments.items);
	free(whole->edges.items);
	free(whole->gaps.items);
	free(whole->signals.items);
	free(whole->windows.items);
	free(whole->counters.items);
	free(whole->samples.items);
	free(whole->ids.items);
	free(whole->kinds.items);
	abnormal_free(whole);
	free(whole->of_threads);
	free(whole->thread_begins);
	free(whole->edge_begins);
	free(whole);
}

static struct tid_entry *find_tid(const struct whole *whole, int32_t tid)
{
	struct tid_entry *entry;

	HASH_FIND_INT(whole->by_tid, &tid, entry);
	return entry;
}

uint32_t whole_thread(struct whole *whole, int32_t tid)
{
	struct tid_entry *entry = find_tid(whole, tid);
	uint32_t thread = (uint32_t)whole->threads.count, earlier = 0;

	if (entry) {
		const struct whole_thread *old = &whole->threads.items[entry->thread];

		earlier = old->earlier + old->segments;
	} else {
		entry = NEW(struct tid_entry);
		entry->tid = tid;
		HASH_ADD_INT(whole->by_tid, tid, entry);
	}
	entry->thread = thread;
	*ARRAY_ADD(&whole->threads) =
		(struct whole_thread){.tid = tid, .last = NUMBER_NONE, .earlier = earlier};
	return thread;
}

uint32_t whole_thread_of(const struct whole *whole, int32_t tid)
{
	const struct tid_entry *entry = find_tid(whole, tid);

	return entry ? entry->thread : NUMBER_NONE;
}

uint32_t whole_segment(struct whole *whole, uint32_t number, int64_t start)
{
	struct whole_thread *thread = &whole->threads.items[number];
	uint32_t segment = (uint32_t)whole->segments.count;

	*ARRAY_ADD(&whole->segments) = (struct segment){.start = start,
							.wait_from = start,
							.end = start,
							.thread = number,
							.n = thread->earlier + ++thread->segments,
							.before = thread->last};
	thread->last = segment;
	return segment;
}

void whole_edge(struct whole *whole, uint32_t from, uint32_t to, enum edge_kind kind, int64_t ts, bool weak)
{
	*ARRAY_ADD(&whole->edges) = (struct whole_edge){.ts = ts, .from = from, .to = to, .kind = (uint8_t)kind, .weak = weak};
}

static int compare_edges(const void *a, const void *b, void *whole)
{
	const struct whole_edge *one = a, *other = b;

	if (one->to != other->to)
		return one->to < other->to ? -1 : 1;
	if (one->ts != other->ts)
		return one->ts < other->ts ? -1 : 1;
	if (one->kind != other->kind)
		return one->kind < other->kind ? -1 : 1;
	return segment_id(whole, one->from) < segment_id(whole, other->from) ? -1 : 1;
}

static int check_segments(const struct whole *whole)
{
	for (size_t i = 0; i < whole->segments.count; i++) {
		const struct segment *segment = &whole->segments.items[i];

		if (segment->wait_from < segment->start || segment->end < segment->wait_from)
			return fail("segment %lld goes back in time", (long long)segment_id(whole, (uint32_t)i));
		if (segment->before != NUMBER_NONE && segment->start < segment_at(whole, segment->before)->end)
			return fail("segment %lld begins before segment %lld of its thread has ended", (long long)segment_id(whole, (uint32_t)i),
				    (long long)segment_id(whole, segment->before));
	}
	return 0;
}

static int check_edges(const struct whole *whole)
{
	for (size_t i = 0; i < whole->edges.count; i++) {
		const struct whole_edge *edge = &whole->edges.items[i];

		if (segment_at(whole, edge->from)->start > edge->ts)
			return fail("the edge from %lld to %lld goes back in time", (long long)segment_id(whole, edge->from),
				    (long long)segment_id(whole, edge->to));
	}
	return 0;
}

static int compare_segments(const void *a, const void *b, void *whole)
{
	uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
	const struct segment *one = segment_at(whole, first), *other = segment_at(whole, second);

	if (one->start != other->start)
		return one->start < other->start ? -1 : 1;
	if (one->end != other->end)
		return one->end < other->end ? -1 : 1;
	return segment_id(whole, first) < segment_id(whole, second) ? -1 : 1;
}

/* Links a thread's segments in the order of time, because records may have another order. */
static void link_thread(struct whole *whole, struct whole_thread *thread, uint32_t *segments, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (compare_segments(&segments[i - 1], &segments[i], whole) > 0) {
			qsort_r(segments, count, sizeof(*segments), compare_segments, whole);
			break;
		}
	}
	for (size_t i = 0; i < count; i++) {
		struct segment *segment = &whole->segments.items[segments[i]];

		segment->n = thread->earlier + (uint32_t)i + 1;
		segment->before = i > 0 ? segments[i - 1] : NUMBER_NONE;
	}
	thread->last = count ? segments[count - 1] : NUMBER_NONE;
}

static void index_threads(struct whole *whole)
{
	size_t at = 0, *next = memory_new(whole->threads.count + 1, sizeof(*next));

	whole->of_threads = memory_grow(whole->of_threads, whole->segments.count + 1, sizeof(*whole->of_threads));
	whole->thread_begins = memory_grow(whole->thread_begins, whole->threads.count + 1, sizeof(*whole->thread_begins));
	for (size_t i = 0; i < whole->threads.count; i++) {
		whole->thread_begins[i] = next[i] = at;
		at += whole->threads.items[i].segments;
	}
	whole->thread_begins[whole->threads.count] = at;
	for (size_t i = 0; i < whole->segments.count; i++)
		whole->of_threads[next[whole->segments.items[i].thread]++] = (uint32_t)i;
	for (size_t i = 0; i < whole->threads.count; i++)
		link_thread(whole, &whole->threads.items[i], whole->of_threads + whole->thread_begins[i], whole->threads.items[i].segments);
	free(next);
}

static int compare_counts(const void *a, const void *b)
{
	const struct whole_count *one = a, *other = b;

	if (one->segment != other->segment)
		return one->segment < other->segment ? -1 : 1;
	return one->word < other->word ? -1 : one->word > other->word;
}

static void sort_counts(struct whole_counts *counts)
{
	if (counts->count)
		qsort(counts->items, counts->count, sizeof(*counts->items), compare_counts);
}

/* Edges that whole_write() wrote are sorted already. */
static void sort_edges(struct whole *whole)
{
	size_t sorted_so_far = 1;

	while (sorted_so_far < whole->edges.count &&
	       compare_edges(&whole->edges.items[sorted_so_far - 1], &whole->edges.items[sorted_so_far], whole) <= 0)
		sorted_so_far++;
	if (sorted_so_far < whole->edges.count)
		qsort_r(whole->edges.items, whole->edges.count, sizeof(*whole->edges.items), compare_edges, whole);
}

void whole_index_edges(struct whole *whole)
{
	size_t edge = 0;

	whole->edge_begins = memory_grow(whole->edge_begins, whole->segments.count + 1, sizeof(*whole->edge_begins));
	for (size_t segment = 0; segment <= whole->segments.count; segment++) {
		while (edge < whole->edges.count && whole->edges.items[edge].to < segment)
			edge++;
		whole->edge_begins[segment] = edge;
	}
}

int whole_ready(struct whole *whole)
{
	index_threads(whole);
	if (check_segments(whole) < 0 || check_edges(whole) < 0)
		return -1;
	sort_edges(whole);
	whole_index_edges(whole);
	sort_counts(&whole->counters);
	sort_counts(&whole->samples);
	abnormal_ready(whole);
	return 0;
}
