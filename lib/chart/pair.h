/*
 * pair: finds the start that an end belongs to. A table holds the open starts of one chart; all tables of a
 * program share one pool, which bounds how many are open at once.
 *
 * Keys are up to four numbers. In a ranged table the last is where a range of `length` units begins. Each unit of an end's range ends
 * that unit of the oldest start that still lacks it, and a start is over when all its units have ended. So ranges may
 * overlap, be merged and be split in any way. Of several starts with the same key
 *
 *	in a ranged table	each is a request of its own
 *	in a nesting table	the newest ends first
 *	else			only the newest is kept
 *
 * Life: pairs_new, pair_table_new for each chart, pair_start and pair_end, start_release for each start that was
 * handed out, pair_table_free, pairs_free.
 */
#ifndef CHART_PAIR_H
#define CHART_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "chart/start.h"

enum {
	PAIR_OPEN_MAX = 1 << 15,     /* starts open at once, over all tables */
	PAIR_SAME_MAX = 64,	     /* starts with the same key at once */
	PAIR_SLOT_MAX = 1 << 10,     /* starts of long ranges at once; an end looks at all of them */
	PAIR_RANGES_MAX = 1 << 16,   /* pieces of ranges that have ended in part */
	PAIR_RANGES_OF_ONE = 1 << 9, /* the same of one start: an end looks at all of them */
};

struct pairs;
struct pair_table;

struct pairs *pairs_new(void);
void pairs_free(struct pairs *pairs);
struct pair_table *pair_table_new(struct pairs *pairs, struct active_chart *chart, bool ranged, bool nest, int keys);
void pair_table_free(struct pair_table *table); /* with its starts */

/*
 * Makes a start and links it; the caller's fields are left to the caller. If it has to push another start out (the same key again, or
 * too many), it hands that one out in *pushed_out, else NULL. `length` counts in a ranged table only and must be above zero there.
 */
struct start *pair_start(struct pair_table *table, const int64_t *key, int64_t length, int64_t ts,
			 struct start **pushed_out);

/* Hands out the starts that this end ends, as a list linked by `next`; NULL: none. */
struct start *pair_end(struct pair_table *table, const int64_t *key, int64_t length);

/*
 * The same in a ranged table, for an end that comes once for each start, with the rest of its range, which may be empty: the oldest start
 * that ends where this range does is over, whatever else it lacks.
 */
struct start *pair_end_whole(struct pair_table *table, const int64_t *key, int64_t length);

/* Hands out the same way the starts with this very key whose depth is from `from` to `to`. */
struct start *pair_end_between(struct pair_table *table, const int64_t *key, int64_t from, int64_t to);

/* The start that pair_end() would hand out of a table that is not ranged; NULL: none. */
struct start *pair_find(struct pair_table *table, const int64_t *key);

/* Hands out the same way all starts with this very key. */
struct start *pair_forget(struct pair_table *table, const int64_t *key);

/* The oldest start of all tables, still linked; NULL: none. */
struct start *pairs_oldest(const struct pairs *pairs);

/*
 * Counts the starts pushed out because PAIR_OPEN_MAX were open, or PAIR_SLOT_MAX with long ranges; and the times that a start's range
 * was in too many pieces, so that one of them was taken as ended.
 */
uint64_t pairs_overflowed(const struct pairs *pairs);

#endif
