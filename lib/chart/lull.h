/*
 * lull: a silence after which a start either goes on or is over. The start ends where its lull began, once nothing can go on any more.
 *
 * A turn is in a lull after each answer, because another may follow. A wait for an answer is in a lull after its time limit or a signal: a
 * thread that waits for many descriptors with a limit goes right back to waiting, as curl does. All these waits are one start, which lasts
 * until the answer is there. If no answer comes, it lasted until its last time limit.
 *
 * A server to which numbers are sent never answers. So as long as nothing has ever come by that connection, the wait is not reported while it
 * lasts, and without an answer it lasted until its first time limit.
 *
 * No function here ends a start: each returns the one that its caller ends with the beginning of its lull.
 */
#ifndef CHART_LULL_H
#define CHART_LULL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct start;
struct pair_table;
struct traffic;

/* The lull of a start; all zero: it is in none. */
struct lull {
	int64_t since;	  /* the last answer of a turn was sent, or the last time limit of a wait came */
	int64_t question; /* of a wait: when its thread asked */
	int64_t first;	  /* of a wait: its first time limit, if there may be no answer */
	bool again;	  /* of a wait: its thread waits again, so only an answer ends it */
};

/* The lulls of a chart: of turns, or of waits for answers. */
struct lulls {
	struct pair_table *waits; /* NULL: the chart's starts are no such waits, and the functions below do nothing */
	struct traffic *traffic;
	size_t count; /* starts that may be in a lull; of turns never 0 */
	int64_t swept; /* when those that are over were last looked for; INT64_MIN: never */
};

/* Until when a start in a lull may go on; and when it ended if it did not. */
int64_t lull_over(const struct lull *lull);
int64_t lull_end(const struct lull *lull);

/* The key of a start in the table: waits have keys of their own, because their threads call other things in between. */
void lull_key(const struct lulls *lulls, const int64_t *key, bool waits, int64_t place[]);

/* A thread enters a call: hands out its wait if that has not ended yet, because the end was not seen; NULL: there is none. */
struct start *lull_unended(struct lulls *lulls, int32_t tid);

/* The same call, which `waits` or does not. Returns the start that is over; NULL: none is. Sets *goes_on: the call is a part of the earlier wait. */
struct start *lull_enter(struct lulls *lulls, int32_t tid, bool waits, bool *goes_on);

/* A wait is about to return: true, it is now in a lull. */
bool lull_return(struct lulls *lulls, int32_t tid, int64_t result, int64_t now);

/* A thread has transferred something, perhaps its answer. Returns the start that is over; NULL: none is. */
struct start *lull_transfer(struct lulls *lulls, int32_t tid);

/* A thread ends. Returns the start that is over, or hands out in *unended a wait that is in no lull; NULL: there is none. */
struct start *lull_exit(struct lulls *lulls, int32_t tid, struct start **unended);

#endif
