/*
 * cost_history: what a collection had cost at several looks over the last seconds. Part of cost, see cost.h.
 *
 * The collector looks between rounds, and a round lasts as long as the reader of the stream takes for it: some milliseconds, or several
 * seconds. So the history counts the time between two looks, not the looks.
 */
#ifndef SOURCE_COST_HISTORY_H
#define SOURCE_COST_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

/* Sums since the collection began, in nanoseconds of CPU time; the difference of two is the cost of the time between them. */
struct cost_sums {
	int64_t at;	 /* CLOCK_MONOTONIC */
	int64_t own;	 /* in the collector and its helpers */
	int64_t lookups; /* the part of `own` that looks up names of functions, for stacks */
	int64_t traced;	 /* in the traced programs */
	uint64_t stacks; /* how many were taken */
};

enum { COST_HISTORY_LOOKS = 11 };

/* All zero: no look yet. */
struct cost_history {
	struct cost_sums looks[COST_HISTORY_LOOKS]; /* oldest first, a tenth of the period apart at least */
	int count;
};

/* Tells whether it is time for another look: a tenth of the period has passed since the last one. */
bool cost_history_is_due(const struct cost_history *history, int64_t now, int64_t period);

/* Adds a look, and drops those that no later call needs. */
void cost_history_add(struct cost_history *history, const struct cost_sums *now, int64_t period);

/* The latest look that is at least a period older than the last one; NULL: there is none yet. */
const struct cost_sums *cost_history_before(const struct cost_history *history, int64_t period);

#endif
