/*
 * replay_wake: how much sooner the target of a wake graph would have been done if all deeds of some families had taken
 * no time between the graph's `from` and `to`.
 *
 * The replay runs the graph again; only the recorded times tell what follows what. Time before `from` passes as recorded.
 *
 * - A node starts when the piece before it is over (the source of its seq edges that ended last), and when the node that forked or
 *   queued it (async or call edge) has got to the point at which it did so; the recorded delay after that passes again. If it has both,
 *   it had waited longer for the piece before, so the delay since it was asked for is not kept. If it has neither, it starts
 *   at its recorded time.
 * - A run or a service takes as long as recorded, or no time if its deed is taken as zero.
 * - A wait ends when the node that ended it (the wake, timer, ipc or flag edge with the latest ts) gets to that point, but not before the
 *   wait began. An interrupt, a timer or an unknown that nothing precedes takes as long as the wait did. A wait without such an
 *   edge lasts as long as recorded, or no time if its deed is taken as zero.
 * - Time runnable or queued is shorter by those parts in which all nodes that held the CPU, or were served, are taken as
 *   zero. The parts in which no node did belong to the deed of the runnable or queued node itself.
 *
 * Nobody knows which thread would have had the CPU or the disk instead. So the result is a bound on the time that could be gained.
 */
#ifndef BLAME_REPLAY_WAKE_H
#define BLAME_REPLAY_WAKE_H

#include "graph/graph.h"

struct wake_replay;

/* For a wake graph that passed graph_check(); target: index of the node at its end. */
struct wake_replay *wake_replay_new(const struct graph *graph, int32_t target);
void wake_replay_free(struct wake_replay *replay);

/* Takes all nodes of this family of deeds as zero, or again as recorded. In one graph, a family has one pointer. */
void wake_replay_zero(struct wake_replay *replay, const struct deed *family, bool zero);

/*
 * The replayed time from `from` to the target's end, in nanoseconds, at most UINT64_MAX. If nothing is taken as zero, it is `to` less `from`.
 * The graph's times may have any value.
 */
uint64_t wake_replay_latency(struct wake_replay *replay);

#endif
