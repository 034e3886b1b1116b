#include "chart/pair.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

#include "base/memory.h"

/*
 * Ranges are found by the piece of 512 units in which they begin. An end looks at the pieces of its range and, for
 * starts that reach into it, at as many before it as the longest start seen spans. Starts longer than WIDE pieces
 * would make every end look far back, so they share one slot of their own; an end longer than LONG pieces looks at
 * all open starts instead.
 */
enum { PIECE_SHIFT = 9, WIDE = 16, LONG = 4096 };

struct pair_slot {
	int64_t key[CHART_KEYS_MAX];
	struct start *starts; /* the first start of each key */
	int keys;	      /* how many keys there are */
	struct pair_slot *next_free;
	UT_hash_handle hh;
};

struct pair_table {
	struct pairs *pairs;
	struct active_chart *chart;
	bool ranged, nest;
	int keys;
	int64_t longest; /* length of the longest start that is not wide */
	ARRAY(struct start *) near; /* scratch: the starts that the current end may end */
	struct pair_slot *slots, *free_slots;
};

/*
 * The rest of a start's range, which ends piece by piece in any order: a list of ranges by position, which neither overlap nor are
 * empty. Ranges come from the pool.
 */
struct range {
	int64_t from, to;
	struct range *next;
};

struct range_pool {
	struct range *spare;
	int used;
	uint64_t overflowed; /* how often there were too many, so that the shorter side of a cut was dropped, too */
};

struct pairs {
	struct start *oldest, *free_starts; /* the oldest of all by age; starts for reuse */
	int open;
	struct range_pool ranges;
	uint64_t overflowed;
};

static void range_pool_free(struct range_pool *pool)
{
	while (pool->spare) {
		struct range *range = pool->spare;

		pool->spare = range->next;
		free(range);
	}
	*pool = (struct range_pool){0};
}

static struct range *take_range(struct range_pool *pool, int64_t from, int64_t to, struct range *next)
{
	struct range *range = pool->spare;

	if (range)
		pool->spare = range->next;
	else
		range = NEW(struct range);
	pool->used++;
	*range = (struct range){from, to, next};
	return range;
}

static void drop_range(struct range_pool *pool, struct ranges *ranges, struct range **at)
{
	struct range *range = *at;

	*at = range->next;
	range->next = pool->spare;
	pool->spare = range;
	pool->used--;
	ranges->count--;
}

/* The range [from, to) as a whole, which may be empty. */
static struct ranges ranges_of(struct range_pool *pool, int64_t from, int64_t to)
{
	return from < to ? (struct ranges){take_range(pool, from, to, NULL), 1} : (struct ranges){0};
}

static void ranges_drop(struct range_pool *pool, struct ranges *ranges)
{
	while (ranges->first)
		drop_range(pool, ranges, &ranges->first);
}

/* Cuts [from, to) out of the middle of a range. */
static void cut_in_two(struct range_pool *pool, struct ranges *ranges, struct range *range, int64_t from, int64_t to)
{
	int64_t before = from - range->from, behind = range->to - to;

	if (pool->used < PAIR_RANGES_MAX && ranges->count < PAIR_RANGES_OF_ONE) {
		range->next = take_range(pool, to, range->to, range->next);
		ranges->count++;
		range->to = from;
		return;
	}
	pool->overflowed++;
	if (behind > before)
		range->from = to;
	else
		range->to = from;
}

/* Cuts [from, to) out of the range that it lies in, and returns the link to the first range that may lie behind. */
static struct range **cut_range(struct range_pool *pool, struct ranges *ranges, struct range **at, int64_t from, int64_t to)
{
	struct range *range = *at;

	if (range->from == from && range->to == to) {
		drop_range(pool, ranges, at);
		return at;
	}
	if (range->from < from && to < range->to)
		cut_in_two(pool, ranges, range, from, to);
	else if (range->from < from)
		range->to = from;
	else
		range->from = to;
	return range->to <= from ? &range->next : at;
}

/* Takes what two lists have in common out of both. */
static void ranges_meet(struct range_pool *pool, struct ranges *some, struct ranges *others)
{
	struct range **one = &some->first, **other = &others->first;

	while (*one && *other) {
		int64_t from = (*one)->from > (*other)->from ? (*one)->from : (*other)->from;
		int64_t to = (*one)->to < (*other)->to ? (*one)->to : (*other)->to;

		if (from < to) {
			one = cut_range(pool, some, one, from, to);
			other = cut_range(pool, others, other, from, to);
		} else if ((*one)->to <= (*other)->to) {
			one = &(*one)->next;
		} else {
			other = &(*other)->next;
		}
	}
}

struct pairs *pairs_new(void)
{
	return NEW(struct pairs);
}

void pairs_free(struct pairs *pairs)
{
	while (pairs && pairs->free_starts) {
		struct start *start = pairs->free_starts;

		pairs->free_starts = start->next;
		free(start);
	}
	if (pairs)
		range_pool_free(&pairs->ranges);
	free(pairs);
}

struct pair_table *pair_table_new(struct pairs *pairs, struct active_chart *chart, bool ranged, bool nest, int keys)
{
	struct pair_table *table = NEW(struct pair_table);

	*table = (struct pair_table){.pairs = pairs, .chart = chart, .ranged = ranged, .nest = nest, .keys = keys};
	return table;
}

void pair_table_free(struct pair_table *table)
{
	struct start *start = table->pairs->oldest, *newer;

	for (; start; start = newer) {
		newer = start->newer;
		if (start->table != table)
			continue;
		start_take(start);
		start_release(start);
	}
	while (table->free_slots) {
		struct pair_slot *slot = table->free_slots;

		table->free_slots = slot->next_free;
		free(slot);
	}
	HASH_CLEAR(hh, table->slots);
	free(table->near.items);
	free(table);
}

static unsigned hash_key(const int64_t key[CHART_KEYS_MAX])
{
	uint64_t hash = 0;

	for (int i = 0; i < CHART_KEYS_MAX; i++)
		hash = (hash ^ (uint64_t)key[i]) * UINT64_C(0x9e3779b97f4a7c15), hash ^= hash >> 29;
	return (unsigned)(hash >> 8);
}

static struct pair_slot *find_slot(struct pair_table *table, const int64_t key[CHART_KEYS_MAX])
{
	struct pair_slot *slot;

	HASH_FIND_BYHASHVALUE(hh, table->slots, key, sizeof(slot->key), hash_key(key), slot);
	return slot;
}

static struct pair_slot *find_or_add_slot(struct pair_table *table, const int64_t key[CHART_KEYS_MAX])
{
	unsigned hash = hash_key(key);
	struct pair_slot *slot;

	HASH_FIND_BYHASHVALUE(hh, table->slots, key, sizeof(slot->key), hash, slot);
	if (slot)
		return slot;
	slot = table->free_slots;
	if (slot)
		table->free_slots = slot->next_free;
	else
		slot = NEW(struct pair_slot);
	memcpy(slot->key, key, sizeof(slot->key));
	slot->starts = NULL;
	slot->keys = 0;
	HASH_ADD_KEYPTR_BYHASHVALUE(hh, table->slots, slot->key, sizeof(slot->key), hash, slot);
	return slot;
}

static int64_t end_of(int64_t begin, int64_t length)
{
	int64_t end;

	return __builtin_add_overflow(begin, length, &end) ? INT64_MAX : end;
}

static int64_t piece_of(int64_t at)
{
	return at >> PIECE_SHIFT;
}

/* The key of the slot for starts with this key: exact, or with the piece in place of the range's begin. */
static void slot_key(const struct pair_table *table, const int64_t *key, int64_t length, int64_t out[CHART_KEYS_MAX])
{
	memset(out, 0, CHART_KEYS_MAX * sizeof(*out));
	memcpy(out, key, (size_t)table->keys * sizeof(*out));
	if (!table->ranged)
		return;
	if (length > (int64_t)WIDE << PIECE_SHIFT)
		out[table->keys - 1] = INT64_MIN;
	else
		out[table->keys - 1] = piece_of(key[table->keys - 1]);
}

static bool same_key(const struct pair_table *table, const struct start *start, const int64_t *key)
{
	return !memcmp(start->sample.key, key, (size_t)table->keys * sizeof(*key));
}

static struct start *first_of_key(const struct pair_slot *slot, const struct pair_table *table, const int64_t *key)
{
	struct start *first = slot->starts;

	while (first && !same_key(table, first, key))
		first = first->next;
	return first;
}

void start_take(struct start *start)
{
	struct pair_table *table = start->table;
	struct pair_slot *slot = start->slot;
	struct start *first = first_of_key(slot, table, start->sample.key), *heir = start->behind;

	if (first == start) {
		DL_DELETE(slot->starts, start);
		slot->keys -= !heir;
		if (heir) {
			heir->same = start->same - 1;
			DL_APPEND(slot->starts, heir);
		}
	} else {
		struct start *ahead = first;

		while (ahead->behind != start)
			ahead = ahead->behind;
		ahead->behind = heir;
		first->same--;
	}
	if (!slot->starts) {
		HASH_DEL(table->slots, slot);
		slot->next_free = table->free_slots;
		table->free_slots = slot;
	}
	DL_DELETE2(table->pairs->oldest, start, older, newer);
	table->pairs->open--;
	start->next = start->behind = NULL;
}

struct active_chart *start_chart(const struct start *start)
{
	return start->table->chart;
}

bool start_is_range(const struct start *start)
{
	return start->table->ranged;
}

void start_release(struct start *start)
{
	struct pairs *pairs = start->table->pairs;

	ranges_drop(&pairs->ranges, &start->lacks);
	free(start->shown);
	start->next = pairs->free_starts;
	pairs->free_starts = start;
}

/* The start that must go before another with the key of `first` can come; NULL: none. */
static struct start *surplus(const struct pair_table *table, struct start *first)
{
	if (!table->ranged && !table->nest)
		return first;
	if (first->same < PAIR_SAME_MAX)
		return NULL;
	while (table->nest && first->behind)
		first = first->behind;
	return first;
}

/* Links a start into its slot: in a nesting table in front of the starts with its key, else behind them. */
static void link_slot(struct pair_slot *slot, struct start *start)
{
	struct pair_table *table = start->table;
	struct start *first = first_of_key(slot, table, start->sample.key);

	start->slot = slot;
	slot->keys += !first;
	if (!first || table->nest) {
		start->behind = first;
		start->same = first ? first->same + 1 : 1;
		if (first) {
			first->same = 0;
			DL_DELETE(slot->starts, first);
		}
		DL_APPEND(slot->starts, start);
		return;
	}
	first->same++;
	while (first->behind)
		first = first->behind;
	first->behind = start;
}

static struct start *push_out(struct pair_table *table, const int64_t *slot_of, const int64_t *key)
{
	struct pairs *pairs = table->pairs;
	struct pair_slot *slot = find_slot(table, slot_of);
	struct start *first = slot ? first_of_key(slot, table, key) : NULL, *out = first ? surplus(table, first) : NULL;

	if (!out && (pairs->open >= PAIR_OPEN_MAX || (slot && !first && slot->keys >= PAIR_SLOT_MAX))) {
		out = pairs->open >= PAIR_OPEN_MAX ? pairs->oldest : slot->starts;
		pairs->overflowed++;
	}
	if (out)
		start_take(out);
	return out;
}

struct start *pair_start(struct pair_table *table, const int64_t *key, int64_t length, int64_t ts,
			 struct start **pushed_out)
{
	struct pairs *pairs = table->pairs;
	struct start *start;
	int64_t slot_of[CHART_KEYS_MAX];

	slot_key(table, key, length, slot_of);
	*pushed_out = push_out(table, slot_of, key);
	start = pairs->free_starts;
	if (start)
		pairs->free_starts = start->next;
	else
		start = memory_new(1, sizeof(*start));
	memset(start, 0, sizeof(*start));
	memcpy(start->sample.key, key, (size_t)table->keys * sizeof(*key));
	start->sample.start = ts;
	start->table = table;
	if (table->ranged)
		start->to = end_of(key[table->keys - 1], length);
	if (length > table->longest && length <= (int64_t)WIDE << PIECE_SHIFT)
		table->longest = length;
	link_slot(find_or_add_slot(table, slot_of), start);
	DL_APPEND2(pairs->oldest, start, older, newer);
	pairs->open++;
	return start;
}

static void hand_out(struct start *start, struct start **list)
{
	start_take(start);
	start->next = *list;
	*list = start;
}

/* Collects the starts of a slot that reach into [begin, end). */
static void gather_in_slot(struct pair_table *table, const struct pair_slot *slot, int64_t begin, int64_t end)
{
	for (struct start *first = slot ? slot->starts : NULL; first; first = first->next)
		for (struct start *start = first; start; start = start->behind)
			if (start->sample.key[table->keys - 1] < end && start->to > begin)
				*ARRAY_ADD(&table->near) = start;
}

static void gather_everywhere(struct pair_table *table, const int64_t *key, int64_t begin, int64_t end)
{
	const struct pair_slot *slot, *next;

	HASH_ITER(hh, table->slots, slot, next)
		if (!memcmp(slot->key, key, (size_t)(table->keys - 1) * sizeof(*key)))
			gather_in_slot(table, slot, begin, end);
}

static int by_age(const void *a, const void *b)
{
	const struct start *one = *(struct start *const *)a, *two = *(struct start *const *)b;

	return one->sample.start < two->sample.start ? -1 : one->sample.start > two->sample.start;
}

/* Collects the starts that reach into [begin, end), the oldest first. */
static void gather(struct pair_table *table, const int64_t *key, int64_t begin, int64_t end)
{
	int64_t slot_of[CHART_KEYS_MAX], back, *piece = &slot_of[table->keys - 1];

	table->near.count = 0;
	if (__builtin_sub_overflow(begin, table->longest, &back))
		back = INT64_MIN + 1;
	if (piece_of(end) - piece_of(begin) > LONG) {
		gather_everywhere(table, key, begin, end);
	} else {
		slot_key(table, key, INT64_MAX, slot_of);
		gather_in_slot(table, find_slot(table, slot_of), begin, end);
		for (*piece = piece_of(back); *piece <= piece_of(end - 1); ++*piece)
			gather_in_slot(table, find_slot(table, slot_of), begin, end);
	}
	if (table->near.count > 1)
		qsort(table->near.items, table->near.count, sizeof(*table->near.items), by_age);
}

/* Takes the units that this start lacks out of both lists, and hands the start out if it lacks none then. */
static void end_units(struct start *start, struct ranges *units, struct start **done)
{
	struct pair_table *table = start->table;
	struct range_pool *pool = &table->pairs->ranges;

	if (!start->lacks.first)
		start->lacks = ranges_of(pool, start->sample.key[table->keys - 1], start->to);
	ranges_meet(pool, &start->lacks, units);
	if (!start->lacks.first)
		hand_out(start, done);
}

/*
 * Shares an end out: each of its units ends that unit of the oldest start that still lacks it. The units of an end are whole requests
 * or pieces of several, and if requests overlap, nobody can tell which of them a piece was of. That does no harm: each unit of each
 * request has an end, so when all have ended, none stays open here; and because the oldest comes first, no time is longer than the
 * longest was.
 */
static void share_out(struct pair_table *table, int64_t begin, int64_t end, struct start **done)
{
	struct ranges units = ranges_of(&table->pairs->ranges, begin, end);

	for (size_t i = 0; units.first && i < table->near.count; i++)
		end_units(table->near.items[i], &units, done);
	ranges_drop(&table->pairs->ranges, &units);
}

static struct start *end_range(struct pair_table *table, const int64_t *key, int64_t length)
{
	int64_t begin = key[table->keys - 1], end;
	struct start *done = NULL;

	if (length <= 0 || __builtin_add_overflow(begin, length, &end))
		return NULL;
	gather(table, key, begin, end);
	if (table->near.count > 0)
		share_out(table, begin, end, &done);
	return done;
}

static bool is_among(const struct start *list, const struct start *start)
{
	while (list && list != start)
		list = list->next;
	return list != NULL;
}

struct start *pair_end_whole(struct pair_table *table, const int64_t *key, int64_t length)
{
	int64_t begin = key[table->keys - 1], end;
	struct start *done = NULL, *whole = NULL;

	if (length < 0 || begin == INT64_MIN || __builtin_add_overflow(begin, length, &end))
		return NULL;
	gather(table, key, length ? begin : end - 1, end);
	for (size_t i = table->near.count; i > 0; i--)
		if (table->near.items[i - 1]->to == end)
			whole = table->near.items[i - 1];
	share_out(table, begin, end, &done);
	if (whole && !is_among(done, whole))
		hand_out(whole, &done);
	return done;
}

struct start *pair_find(struct pair_table *table, const int64_t *key)
{
	int64_t slot_of[CHART_KEYS_MAX];
	struct pair_slot *slot;

	slot_key(table, key, 0, slot_of);
	slot = find_slot(table, slot_of);
	return slot ? slot->starts : NULL;
}

struct start *pair_end(struct pair_table *table, const int64_t *key, int64_t length)
{
	struct start *done = NULL;
	int64_t slot_of[CHART_KEYS_MAX];
	struct pair_slot *slot;

	if (table->ranged)
		return end_range(table, key, length);
	slot_key(table, key, 0, slot_of);
	slot = find_slot(table, slot_of);
	if (slot)
		hand_out(slot->starts, &done);
	return done;
}

struct start *pair_end_between(struct pair_table *table, const int64_t *key, int64_t from, int64_t to)
{
	struct start *done = NULL, *start, *behind;
	int64_t slot_of[CHART_KEYS_MAX];
	struct pair_slot *slot;

	slot_key(table, key, 0, slot_of);
	slot = find_slot(table, slot_of);
	for (start = slot ? first_of_key(slot, table, key) : NULL; start; start = behind) {
		behind = start->behind;
		if (start->depth >= from && start->depth <= to)
			hand_out(start, &done);
	}
	return done;
}

static void forget_in_slot(struct pair_table *table, const int64_t *key, int64_t length, struct start **done)
{
	int64_t slot_of[CHART_KEYS_MAX];
	struct pair_slot *slot;
	struct start *first;

	slot_key(table, key, length, slot_of);
	while ((slot = find_slot(table, slot_of)) && (first = first_of_key(slot, table, key)))
		hand_out(first, done);
}

struct start *pair_forget(struct pair_table *table, const int64_t *key)
{
	struct start *done = NULL;

	forget_in_slot(table, key, 0, &done);
	if (table->ranged)
		forget_in_slot(table, key, INT64_MAX, &done);
	return done;
}

struct start *pairs_oldest(const struct pairs *pairs)
{
	return pairs->oldest;
}

struct start *start_newer(const struct start *start)
{
	return start->newer;
}

uint64_t pairs_overflowed(const struct pairs *pairs)
{
	return pairs->overflowed + pairs->ranges.overflowed;
}
