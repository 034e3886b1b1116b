#include "walk/similar.h"

#include <stdlib.h>

#include "walk/whole_find.h"
#include "walk/whole_words.h"

typedef ARRAY(uint32_t) word_list;

/* A stream. Words of two streams are compared by their common numbers (normal_stream.h). */
struct place {
	const struct whole *whole;
	const struct normal_stream *normal; /* NULL: there is one stream */
};

static void add_set(const struct place *place, word_list *words, uint32_t set)
{
	const struct whole *whole = place->whole;
	bool theirs = place->normal && whole == normal_stream_whole(place->normal);

	size_t count;
	const uint32_t *members = whole_members(whole, set, &count);

	for (size_t i = 0; i < count; i++)
		*ARRAY_ADD(words) = place->normal ? normal_stream_word(place->normal, theirs, members[i]) : members[i];
}

/* The words of the segment, and, if they are few, of the segments before; sorted, each once. */
static void gather(const struct place *place, word_list *words, uint32_t number)
{
	const struct whole *whole = place->whole;

	words->count = 0;
	add_set(place, words, segment_at(whole, number)->set);
	if (words->count <= SET_FEW) {
		for (int i = 0; i < SETS_JOINED; i++) {
			number = segment_at(whole, number)->before;
			if (number == NUMBER_NONE)
				break;
			add_set(place, words, segment_at(whole, number)->set);
		}
	}
	words->count = whole_unique(words->items, words->count);
}

static uint32_t count_both(const word_list *a, const word_list *b)
{
	uint32_t both = 0;

	for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
		uint32_t one = a->items[i], other = b->items[k];

		both += one == other;
		i += one <= other;
		k += other <= one;
	}
	return both;
}

/* What a segment's words and the wanted words have in common. Known by set, because it depends on nothing else unless sets are joined. */
struct likeness {
	bool known, fits;
	uint32_t both, either;
};

struct search {
	struct place here, there; /* the segment's stream, and the stream to search */
	uint32_t of;
	word_list wanted, words;
	struct likeness *by_set;
	struct similar_list list;
};

static bool waits_alike(const struct search *search, const struct segment *of, const struct segment *segment)
{
	return search->there.normal ? normal_stream_identity_is(search->there.normal, of->identity, segment->identity) : segment->identity == of->identity;
}

static struct likeness likeness_of(struct search *search, uint32_t number)
{
	uint32_t set = segment_at(search->there.whole, number)->set, both;
	struct likeness likeness = search->by_set[set];
	size_t members;

	if (likeness.known)
		return likeness;
	gather(&search->there, &search->words, number);
	both = count_both(&search->wanted, &search->words);
	likeness.fits = both == search->wanted.count || both == search->words.count;
	likeness.both = both;
	likeness.either = (uint32_t)(search->wanted.count + search->words.count) - both;
	whole_members(search->there.whole, set, &members);
	likeness.known = members > SET_FEW;
	if (likeness.known)
		search->by_set[set] = likeness;
	return likeness;
}

/*
 * A similar segment waited less than half as long. On recordings of tests/incidents/desktop.c an eighth, a quarter, a half and the whole find the
 * same 26 to 38 segments (an eighth one less): normal waits took 8 to 930 us, the bad ones 150 ms. A half leaves out waits that were nearly as slow.
 */
static void consider(struct search *search, uint32_t number)
{
	const struct segment *of = segment_at(search->here.whole, search->of), *segment = segment_at(search->there.whole, number);
	int64_t wait = segment->end - segment->wait_from;
	struct likeness likeness;

	if (segment == of || !waits_alike(search, of, segment) || !segment_is_normal(search->there.whole, number) ||
	    wait >= of->end - of->wait_from - wait) /* twice the wait may not fit */
		return;
	likeness = likeness_of(search, number);
	if (likeness.fits)
		*ARRAY_ADD(&search->list.found) = (struct similar){number, likeness.both, likeness.either};
}

/* How far the starts are apart. In another stream, the times are of that stream's clock. */
static int64_t distance(const struct search *search, uint32_t number)
{
	int64_t apart = segment_at(search->there.whole, number)->start - segment_at(search->here.whole, search->of)->start;

	return apart < 0 ? -apart : apart;
}

static int compare_found(const void *a, const void *b, void *context)
{
	const struct search *search = context;
	const struct similar *one = a, *other = b;
	/* two empty sets have likeness 1 */
	uint64_t left = (uint64_t)(one->either ? one->both : 1) * (other->either ? other->either : 1);
	uint64_t right = (uint64_t)(other->either ? other->both : 1) * (one->either ? one->either : 1);
	int64_t near = distance(search, one->segment), far = distance(search, other->segment);

	if (left != right)
		return left > right ? -1 : 1;
	if (near != far)
		return near < far ? -1 : 1;
	return segment_id(search->there.whole, one->segment) < segment_id(search->there.whole, other->segment) ? -1 : 1;
}

static void swap(struct similar *one, struct similar *other)
{
	struct similar kept = *one;

	*one = *other;
	*other = kept;
}

/* Quickselect: moves the first `most` items, in the order of compare_found(), to the front. */
static void select_first(struct similar *items, size_t count, uint64_t most, struct search *search)
{
	size_t low = 0, high = count;

	while (low < most && most < high) {
		size_t border = low, last = high - 1;

		swap(&items[low + (high - low) / 2], &items[last]);
		for (size_t i = low; i < last; i++)
			if (compare_found(&items[i], &items[last], search) < 0)
				swap(&items[i], &items[border++]);
		swap(&items[border], &items[last]);
		if (most <= border)
			high = border;
		else
			low = border + 1;
	}
}

/* Tells whether segments of a thread there may be similar to segments of the thread here. */
static bool thread_fits(const struct search *search, uint32_t own, uint32_t thread, bool any_thread)
{
	const struct whole *whole = search->here.whole;

	if (search->there.normal)
		return normal_stream_thread_is(search->there.normal, own, thread);
	return thread == own || (any_thread && whole->threads.items[thread].name == whole->threads.items[own].name);
}

struct similar_list similar_find(const struct whole *whole, uint32_t segment, bool any_thread, const struct normal_stream *normal, uint64_t most)
{
	struct search search = {.here = {whole, normal}, .there = {normal ? normal_stream_whole(normal) : whole, normal}, .of = segment};
	uint32_t own = segment_at(whole, segment)->thread;
	size_t first;

	search.by_set = memory_new(search.there.whole->sets.pieces.count, sizeof(*search.by_set));
	gather(&search.here, &search.wanted, segment);
	for (uint32_t thread = 0; thread < search.there.whole->threads.count; thread++) {
		size_t count;
		const uint32_t *segments = whole_segments(search.there.whole, thread, &count);

		for (size_t i = 0; i < count && thread_fits(&search, own, thread, any_thread); i++)
			consider(&search, segments[i]);
	}
	select_first(search.list.found.items, search.list.found.count, most, &search);
	first = search.list.found.count < most ? search.list.found.count : most;
	if (first)
		qsort_r(search.list.found.items, first, sizeof(*search.list.found.items), compare_found, &search);
	free(search.wanted.items);
	free(search.words.items);
	free(search.by_set);
	return search.list;
}

void similar_free(struct similar_list *list)
{
	free(list->found.items);
}
