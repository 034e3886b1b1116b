/*
 * spent: what a collection has cost so far, looked at now and then, and what it cost over the last seconds. Part of cost, see cost.h.
 *
 * The collector looks between rounds, and a round lasts as long as the reader of the stream takes for it: some milliseconds, or several
 * seconds. So what counts is how much time lies between two looks, not how many looks there were.
 */
#ifndef SOURCE_SPENT_H
#define SOURCE_SPENT_H

#include <stdbool.h>
#include <stdint.h>

/* Sums since the collection began; differences of two are what a time cost, in nanoseconds of CPU time. */
struct spent {
	int64_t at;	 /* CLOCK_MONOTONIC */
	int64_t own;	 /* in the collector and its helpers, */
	int64_t lookups; /* and that part of it which looks names of functions up, for stacks */
	int64_t traced;	 /* in what is traced */
	uint64_t stacks;
};

enum { SPENT_LOOKS = 11 };

/* All zero: nothing was looked at yet. */
struct spent_looks {
	struct spent looks[SPENT_LOOKS]; /* oldest first, a tenth of the period apart at least */
	int count;
};

/* Tells whether it is time for another look: a tenth of the period has passed since the last one. */
bool spent_is_due(const struct spent_looks *looks, int64_t now, int64_t period);

/* Adds a look. Those that are needed no more are dropped. */
void spent_add(struct spent_looks *looks, const struct spent *now, int64_t period);

/* The latest look that is at least a period older than the last one; NULL: there is none yet. */
const struct spent *spent_before(const struct spent_looks *looks, int64_t period);

#endif
