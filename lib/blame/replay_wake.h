/*
 * replay_wake: how much sooner the target of a wake graph would have been done if all of some families of deeds had taken
 * no time between the graph's `from` and `to`.
 *
 * The graph is run again, with the times of its record as the only guide to what follows what; what was before `from`
 * happens as it did.
 *
 * - A node starts when the piece before it is over (the latest to end of its seq edges), and when it was asked for by whoever
 *   forked or queued it (async edges); what passed between in the record passes again. Where both are there, it was the
 *   piece before that it waited for longer, so the delay since it was asked for is not kept. Without either it starts
 *   when it did.
 * - What runs, or is served, takes as long as it did; or no time, if its deed is taken as zero.
 * - A wait ends when the node that ended it (the wake, timer, ipc or flag edge with the latest ts) gets so far, but not before it
 *   began. An interrupt, a timer or something unknown that nothing precedes takes as long as the wait did. A wait that
 *   nobody ended lasts as long as it did.
 * - Time runnable and time queued is shorter by those parts in which all who held the CPU, or were served, are taken as
 *   zero; its own deed stands for the parts in which there was nobody.
 *
 * It cannot tell which thread would have had the CPU or the disk instead. So it is a bound on the time that could be gained.
 */
#ifndef BLAME_REPLAY_WAKE_H
#define BLAME_REPLAY_WAKE_H

#include "graph/graph.h"

struct wake_replay;

/* For a wake graph that passed graph_check; target: the node at its end. */
struct wake_replay *wake_replay_new(const struct graph *graph, int32_t target);
void wake_replay_free(struct wake_replay *replay);

/* All nodes of this family of deeds. In one graph, a family has one pointer. */
void wake_replay_zero(struct wake_replay *replay, const struct deed *family, bool zero);

/*
 * From `from` to the target's end, in nanoseconds, UINT64_MAX where it is longer; with nothing taken as zero, `to` less `from`.
 * Times may be anything.
 */
uint64_t wake_replay_latency(struct wake_replay *replay);

#endif
