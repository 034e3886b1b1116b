/* Which starts an end ends. */
#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "chart/pair.h"

static struct pairs *pairs;

static struct start *start(struct pair_table *table, int64_t dev, int64_t at, int64_t length, int64_t ts)
{
	const int64_t key[CHART_KEYS_MAX] = {dev, at};
	struct start *out, *made = pair_start(table, key, length, ts, &out);

	if (out)
		start_release(out);
	return made;
}

/* Ends, and returns how many starts that ended; *sum is the sum of their times. */
static int end(struct pair_table *table, int64_t dev, int64_t at, int64_t length, int64_t *sum)
{
	const int64_t key[CHART_KEYS_MAX] = {dev, at};
	struct start *list = pair_end(table, key, length), *next;
	int count = 0;

	*sum = 0;
	for (; list; list = next, count++) {
		next = list->next;
		*sum += list->sample.start;
		start_release(list);
	}
	return count;
}

static void merged_and_split(void)
{
	struct pair_table *table = pair_table_new(pairs, NULL, true, false, 2);
	int64_t sum;

	start(table, 7, 100, 8, 1);
	start(table, 7, 108, 8, 2);
	start(table, 8, 108, 8, 4); /* another device */
	assert(end(table, 7, 100, 16, &sum) == 2 && sum == 3);
	assert(end(table, 7, 100, 16, &sum) == 0);

	start(table, 7, 1000, 3000, 8);
	assert(end(table, 7, 1000, 1500, &sum) == 0);
	assert(end(table, 7, 2500, 1499, &sum) == 0);
	assert(end(table, 7, 3999, 1, &sum) == 1 && sum == 8);

	/* Longer than what is looked for piece by piece, with a short one beside it. */
	start(table, 7, 0, 1 << 20, 16);
	start(table, 7, 5000, 8, 32);
	assert(end(table, 7, 0, 1 << 19, &sum) == 0);
	assert(end(table, 7, 5000, 8, &sum) == 1 && sum == 32);
	assert(end(table, 7, 1 << 19, 1 << 19, &sum) == 1 && sum == 16);

	/* An end longer than all that. */
	start(table, 7, 77, 8, 64);
	start(table, 7, 1 << 22, 8, 128);
	assert(end(table, 7, 0, INT64_MAX, &sum) == 2 && sum == 192);
	assert(end(table, 8, 108, 8, &sum) == 1 && sum == 4);
	assert(end(table, 8, 108, 0, &sum) == 0);
	assert(end(table, 8, INT64_MAX - 3, 8, &sum) == 0);
	pair_table_free(table);
}

/* Two readers of the same block: each end is that of the older one. */
static void same_range(void)
{
	struct pair_table *table = pair_table_new(pairs, NULL, true, false, 2);
	int64_t sum;

	start(table, 7, 100, 8, 1);
	start(table, 7, 100, 8, 2);
	start(table, 7, 108, 8, 4);
	start(table, 7, 100, 8, 8);
	assert(end(table, 7, 100, 8, &sum) == 1 && sum == 1);
	assert(end(table, 7, 100, 16, &sum) == 2 && sum == 6);
	assert(end(table, 7, 100, 8, &sum) == 1 && sum == 8);
	pair_table_free(table);
}

/* The same block read by many, the requests split in several ways: when all parts have ended, nothing stays open. */
static void same_range_split(void)
{
	static const struct {
		int64_t at, length;
	} parts[] = {{100, 6}, {100, 4}, {104, 4}, {106, 2}, {100, 8}, {100, 7}, {107, 1}, {100, 8}};
	struct pair_table *table = pair_table_new(pairs, NULL, true, false, 2);
	int64_t sum;
	int ended = 0;

	for (int i = 0; i < 5; i++)
		start(table, 7, 100, 8, i);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		ended += end(table, 7, parts[i].at, parts[i].length, &sum);
	assert(ended == 5);
	assert(!pairs_oldest(pairs));
	start(table, 7, 100, 4, 1); /* from the same place, but not as far */
	start(table, 7, 100, 8, 2);
	ended = end(table, 7, 100, 8, &sum);
	ended += end(table, 7, 100, 4, &sum);
	assert(ended == 2 && !pairs_oldest(pairs));
	start(table, 7, 100, 4, 1);
	start(table, 7, 100, 4, 2);
	start(table, 7, 200, 4, 4);
	assert(end(table, 7, 0, INT64_MAX, &sum) == 2 && sum == 5); /* whole ones are none's but the oldest's */
	assert(end(table, 7, 100, 4, &sum) == 1 && sum == 2);
	pair_table_free(table);
}

/* What one request's pieces gave to another comes back to it when those of the other end: two readers, split unevenly. */
static void overlapping(void)
{
	struct pair_table *table = pair_table_new(pairs, NULL, true, false, 2);
	int64_t sum;

	start(table, 7, 851968, 3528, 1);
	start(table, 7, 851968, 2184, 2);
	assert(end(table, 7, 851968, 2016, &sum) == 0);
	assert(end(table, 7, 853984, 1504, &sum) == 0);
	assert(end(table, 7, 851968, 1160, &sum) == 0);
	assert(end(table, 7, 853128, 1024, &sum) == 1 && sum == 2);
	assert(end(table, 7, 855488, 8, &sum) == 1 && sum == 1);
	start(table, 7, 100, 16, 1);
	start(table, 7, 104, 8, 2);
	assert(end(table, 7, 104, 8, &sum) == 0);
	assert(end(table, 7, 108, 8, &sum) == 0);
	assert(end(table, 7, 100, 4, &sum) == 1 && sum == 1);
	assert(end(table, 7, 104, 4, &sum) == 1 && sum == 2);
	assert(!pairs_oldest(pairs));
	pair_table_free(table);
}

static int end_whole(struct pair_table *table, int64_t at, int64_t length, int64_t *sum)
{
	const int64_t key[CHART_KEYS_MAX] = {7, at};
	struct start *list = pair_end_whole(table, key, length), *next;
	int count = 0;

	*sum = 0;
	for (; list; list = next, count++) {
		next = list->next;
		*sum += list->sample.start;
		start_release(list);
	}
	return count;
}

/* A device that tells the end of a bio as a whole tells what it had left of it: all, the last part, or nothing. */
static void whole_ones(void)
{
	struct pair_table *table = pair_table_new(pairs, NULL, true, false, 2);
	int64_t sum;

	start(table, 7, 100, 100, 1);
	start(table, 7, 120, 20, 2);
	assert(end_whole(table, 120, 20, &sum) == 1 && sum == 2);
	assert(end_whole(table, 150, 50, &sum) == 1 && sum == 1);
	start(table, 7, 100, 8, 4);
	assert(end_whole(table, 108, 0, &sum) == 1 && sum == 4);
	assert(end_whole(table, 108, 0, &sum) == 0);
	start(table, 7, 100, 16, 1); /* fails as a whole, after a request of the other was taken for a part of it */
	start(table, 7, 108, 8, 2);
	assert(end(table, 7, 108, 8, &sum) == 0);
	assert(end_whole(table, 100, 16, &sum) == 2 && sum == 3);
	start(table, 7, INT64_MAX - 8, 100, 1);
	assert(end_whole(table, INT64_MAX - 8, 100, &sum) == 0);
	assert(end_whole(table, INT64_MIN, 0, &sum) == 0);
	assert(end_whole(table, 0, INT64_MAX, &sum) == 1);
	pair_table_free(table);
}

/* Holes are bounded, too: what is cut out of more ends with its shorter side. */
static void holes(void)
{
	struct pair_table *table = pair_table_new(pairs, NULL, true, false, 2);
	uint64_t overflowed = pairs_overflowed(pairs);
	int64_t sum;

	start(table, 7, 0, 8 * PAIR_RANGES_OF_ONE, 1);
	for (int64_t i = 0; i < 2 * PAIR_RANGES_OF_ONE; i++)
		assert(end(table, 7, 4 * i + 1, 1, &sum) == 0);
	assert(pairs_overflowed(pairs) > overflowed);
	assert(end(table, 7, 0, INT64_MAX, &sum) == 1);
	for (int64_t i = 0; i < 4 * PAIR_RANGES_MAX / PAIR_RANGES_OF_ONE; i++)
		start(table, 7, 8 * PAIR_RANGES_OF_ONE * i, 8 * PAIR_RANGES_OF_ONE, i);
	overflowed = pairs_overflowed(pairs);
	for (int64_t i = 0; i < 2 * PAIR_RANGES_MAX; i++)
		assert(end(table, 7, 8 * i + 1, 1, &sum) == 0);
	assert(pairs_overflowed(pairs) > overflowed);
	assert(end(table, 7, 0, INT64_MAX, &sum) == 4 * PAIR_RANGES_MAX / PAIR_RANGES_OF_ONE);
	pair_table_free(table);
}

static void nested(void)
{
	struct pair_table *table = pair_table_new(pairs, NULL, false, true, 1);
	int64_t sum;

	for (int i = 0; i < PAIR_SAME_MAX + 10; i++)
		start(table, 5, 0, 0, i);
	start(table, 6, 0, 0, 1000);
	assert(end(table, 5, 0, 0, &sum) == 1 && sum == PAIR_SAME_MAX + 9);
	for (int i = 1; i < PAIR_SAME_MAX; i++)
		assert(end(table, 5, 0, 0, &sum) == 1 && sum == PAIR_SAME_MAX + 9 - i);
	assert(end(table, 5, 0, 0, &sum) == 0);
	assert(pairs_oldest(pairs)->sample.start == 1000);
	pair_table_free(table);
	assert(!pairs_oldest(pairs));
}

static void replaced_and_forgotten(void)
{
	struct pair_table *table = pair_table_new(pairs, NULL, false, false, 1);
	const int64_t key[CHART_KEYS_MAX] = {5};
	struct start *gone;
	int64_t sum;

	start(table, 5, 0, 0, 1);
	start(table, 5, 0, 0, 2);
	assert(end(table, 5, 0, 0, &sum) == 1 && sum == 2);
	start(table, 5, 0, 0, 4);
	gone = pair_forget(table, key);
	assert(gone && !gone->next && gone->sample.start == 4);
	start_release(gone);
	assert(!pair_forget(table, key));
	pair_table_free(table);
}

/* Of ranges, those that begin there. */
static void forgotten_ranges(void)
{
	struct pair_table *table = pair_table_new(pairs, NULL, true, false, 2);
	const int64_t key[CHART_KEYS_MAX] = {7, 64};
	struct start *gone, *next;
	int64_t sum = 0;

	start(table, 7, 0, 8, 1);
	start(table, 7, 64, 8, 2);
	start(table, 7, 64, 8, 4);
	start(table, 7, 64, 1 << 20, 8);
	start(table, 7, 72, 1 << 20, 16);
	for (gone = pair_forget(table, key); gone; gone = next) {
		next = gone->next;
		sum += gone->sample.start;
		start_release(gone);
	}
	assert(sum == 2 + 4 + 8);
	assert(end(table, 7, 0, INT64_MAX, &sum) == 2 && sum == 1 + 16);
	pair_table_free(table);
}

/* Starts of long ranges, at which every end has to look, are fewer. */
static void long_ranges(void)
{
	struct pair_table *table = pair_table_new(pairs, NULL, true, false, 2);
	uint64_t overflowed = pairs_overflowed(pairs);
	int64_t sum;

	for (int64_t i = 0; i < PAIR_SLOT_MAX + 10; i++)
		start(table, 1, i << 20, 1 << 20, i);
	assert(pairs_overflowed(pairs) == overflowed + 10);
	assert(pairs_oldest(pairs)->sample.start == 10);
	start(table, 1, 10 << 20, 1 << 20, 5000); /* the same range again */
	assert(end(table, 1, 0, INT64_MAX, &sum) == PAIR_SLOT_MAX);
	assert(end(table, 1, 0, INT64_MAX, &sum) == 1 && sum == 5000);
	assert(!pairs_oldest(pairs));
	pair_table_free(table);
}

/* However many starts have no end, so many are kept and the oldest go. */
static void bounded(void)
{
	struct pair_table *table = pair_table_new(pairs, NULL, true, false, 2), *other = pair_table_new(pairs, NULL, false, true, 1);
	int64_t sum;

	for (int64_t i = 0; i < 2 * PAIR_OPEN_MAX; i++)
		start(i % 2 ? table : other, 1, i, 8, i);
	for (int64_t i = 0; i < 2 * PAIR_OPEN_MAX; i++)
		start(table, 1, i * 8, 8, i + 1000000);
	assert(pairs_overflowed(pairs) > 0);
	assert(pairs_oldest(pairs)->sample.start == 1000000 + PAIR_OPEN_MAX);
	assert(end(table, 1, 8 * PAIR_OPEN_MAX, 8 * PAIR_OPEN_MAX, &sum) == PAIR_OPEN_MAX);
	pair_table_free(table);
	pair_table_free(other);
}

int main(void)
{
	pairs = pairs_new();
	merged_and_split();
	same_range();
	same_range_split();
	overlapping();
	whole_ones();
	holes();
	nested();
	replaced_and_forgotten();
	forgotten_ranges();
	long_ranges();
	bounded();
	pairs_free(pairs);
	return 0;
}
