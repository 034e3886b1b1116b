/*
 * parts: what is left of a range that ends piece by piece, in any order: a list of parts by position, which neither overlap nor
 * are empty.
 *
 * Parts come from a pool. All zero is a new pool; parts_pool_free() ends it, after all lists were dropped.
 */
#ifndef CHART_PARTS_H
#define CHART_PARTS_H

#include <stdbool.h>
#include <stdint.h>

enum {
	PARTS_MAX = 1 << 16,   /* of a pool in use at once */
	PARTS_OF_ONE = 1 << 9, /* of a list, for all are looked at */
};

struct part {
	int64_t from, to;
	struct part *next;
};

struct parts {
	struct part *first; /* NULL: nothing is left */
	int count;
};

struct part_pool {
	struct part *spare;
	int used;
	uint64_t overflowed; /* how often there were too many, and the shorter side of a cut was dropped with what was cut out */
};

void parts_pool_free(struct part_pool *pool);

/* The range [from, to) as a whole, which may be empty. */
struct parts parts_of(struct part_pool *pool, int64_t from, int64_t to);
void parts_drop(struct part_pool *pool, struct parts *parts);

/* Takes what two lists have in common out of both. */
void parts_meet(struct part_pool *pool, struct parts *some, struct parts *others);

#endif
