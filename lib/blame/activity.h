/*
 * activity: which nodes are active when; shares the duration of every piece of time equally among the nodes active in it.
 *
 * A node is active at t if t is in one of its runs and in none of its waits. All intervals are half open; an empty one
 * has no effect. Time is cut at every start and end; the nodes active in a piece get duration/number each, exactly.
 * A running sum makes that cheap: an active stretch gives a node the sum at the stretch's end less the sum
 * at its start, however many other nodes came and went.
 *
 *	struct activity *activity = activity_new(nodes);
 *	activity_runs(activity, node, from, to), activity_waits(activity, node, from, to)	in any order
 *	busy = activity_share(activity, share, NULL, NULL);	then the activity is empty again
 *	activity_free(activity);
 */
#ifndef BLAME_ACTIVITY_H
#define BLAME_ACTIVITY_H

#include <stddef.h>

#include "blame/share.h"

struct activity;

struct activity *activity_new(size_t nodes); /* nodes are numbered from 0 */
void activity_free(struct activity *activity);

void activity_runs(struct activity *activity, int32_t node, int64_t from, int64_t to);
void activity_waits(struct activity *activity, int32_t node, int64_t from, int64_t to);

/* Called for each stretch in which a node was active, in the order of the ends. Stretches of one node may touch. */
typedef void activity_stretch(void *context, int32_t node, int64_t from, int64_t to);

/*
 * Adds each node's part to share[node], and forgets all runs and waits. `stretch` may be NULL. Returns the time in which at least one node
 * was active, in nanoseconds.
 */
uint64_t activity_share(struct activity *activity, struct share *share, activity_stretch *stretch, void *context);

#endif
