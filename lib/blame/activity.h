/*
 * activity: who is active when, and the duration of every piece of time shared equally among those active in it.
 *
 * A node is active at t if t is in one of its runs and in none of its waits; all are half open, and one that is empty
 * has no effect. Time is cut at every start and end; the sharers of a piece get duration/sharers each, exactly.
 * A sum that runs along with time makes that cheap: what a node gets from an active stretch is the sum at its end less
 * that at its start, however many others came and went.
 *
 *	struct activity *activity = activity_new(nodes);
 *	activity_runs(activity, node, from, to), activity_waits(activity, node, from, to)	in any order
 *	busy = activity_share(activity, share, NULL, NULL);	then it is empty again
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

/* Called for each stretch in which a node was active, in the order of their ends. Stretches of a node may touch. */
typedef void activity_stretch(void *context, int32_t node, int64_t from, int64_t to);

/*
 * Adds each node's part to share[node] and forgets all runs and waits. Returns for how many nanoseconds at least one node
 * was active.
 */
uint64_t activity_share(struct activity *activity, struct share *share, activity_stretch *stretch, void *context);

#endif
