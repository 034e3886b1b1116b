#include "run/run_sample.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* A labelled run. Sorted by class and node, then by `chance`, a hash of its id. */
struct candidate {
	struct run_row *row;
	const char *node; /* "": unknown */
	bool bad;
	uint64_t chance;
};

/* The runs of a class on a node. */
struct share {
	size_t from, count, kept;
	double rest; /* the fraction of a run by which `kept` was rounded down */
};

static int compare(const void *a, const void *b)
{
	const struct candidate *one = a, *other = b;

	if (one->bad != other->bad)
		return one->bad ? 1 : -1;
	if (strcmp(one->node, other->node))
		return strcmp(one->node, other->node);
	return one->chance < other->chance ? -1 : one->chance > other->chance;
}

/* Sorts the greater rest first; of equal rests, the earlier share. */
static int compare_rests(const void *a, const void *b)
{
	const struct share *one = a, *other = b;

	if (one->rest != other->rest)
		return one->rest > other->rest ? -1 : 1;
	return one->from < other->from ? -1 : one->from > other->from;
}

static bool is_together(const struct candidate *one, const struct candidate *other)
{
	return one->bad == other->bad && !strcmp(one->node, other->node);
}

/* Divides `most` runs among the shares: whole runs first, then one more for those with the greatest rest. */
static void divide(struct share *shares, size_t count, size_t all, size_t most)
{
	size_t given = 0;

	for (size_t i = 0; i < count; i++) {
		double wanted = (double)shares[i].count * (double)most / (double)all;

		shares[i].kept = (size_t)wanted;
		shares[i].rest = wanted - (double)shares[i].kept;
		given += shares[i].kept;
	}
	qsort(shares, count, sizeof(*shares), compare_rests);
	for (size_t i = 0; i < count && given < most; i++)
		if (shares[i].kept < shares[i].count) {
			shares[i].kept++;
			given++;
		}
}

size_t run_sample(struct run_table *table, size_t most, uint64_t seed)
{
	ARRAY(struct candidate) all = {0};
	ARRAY(struct share) shares = {0};
	size_t left;

	for (size_t i = 0; i < table->rows.count; i++) {
		struct run_row *row = table->rows.items[i];
		const char *node = row->node == RUN_UNKNOWN_NODE ? "" : table->nodes.items[row->node];
		bool bad = row->label && !strcmp(row->label, "bad");

		if (bad || (row->label && !strcmp(row->label, "good")))
			*ARRAY_ADD(&all) = (struct candidate){row, node, bad, XXH3_64bits_withSeed(row->id, strlen(row->id), seed)};
	}
	left = all.count;
	if (left > most) {
		qsort(all.items, all.count, sizeof(*all.items), compare);
		for (size_t i = 0; i < all.count; i++) {
			if (i == 0 || !is_together(&all.items[i - 1], &all.items[i]))
				*ARRAY_ADD(&shares) = (struct share){.from = i};
			shares.items[shares.count - 1].count++;
		}
		divide(shares.items, shares.count, all.count, most);
		for (size_t i = 0; i < shares.count; i++)
			for (size_t j = shares.items[i].kept; j < shares.items[i].count; j++) {
				struct run_row *row = all.items[shares.items[i].from + j].row;

				free(row->label);
				row->label = NULL;
			}
		left = most;
	}
	free(all.items);
	free(shares.items);
	return left;
}
