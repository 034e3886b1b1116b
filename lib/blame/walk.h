/*
 * walk: the critical path of a wake graph, found backward from the end of the abnormal interval.
 *
 * It starts at `to` in the target (without one: in the node that ended last) and goes back to `from`:
 *
 * - through a node that did or suffered something (all but waits) back to its start, then to the piece before it: the
 *   latest to end of those with a seq edge to it; where there is none, to whoever forked or called it (async, call);
 *   where it has a seq edge and an async edge with a ts, it was asked for at that ts: back to then by the seq edge, the
 *   weaker one, and further back with whoever asked;
 * - through a wait to whoever ended it: the wake, timer, ipc or flag edge with the latest ts (none given: the wait's end),
 *   ties in that order of kinds, then lower id. What the cause did is followed back to the wait's own beginning, no further,
 *   and then what the waiter did before. A cause that was over before ts has its time until then too: that is how
 *   long its effect took to arrive. A wait without such an edge is itself on the path;
 * - an interrupt, timer or unknown without a piece before it stands for all of the wait that it ended;
 * - what no node covers goes to one that the walk adds to the graph, of what=unknown, and named by the reason: where the
 *   history of a node begins later than the time to be explained ("began before the data"), where two pieces of a
 *   thread do not meet ("gap in the data"), and where steps without end would not go back in time ("waits in a circle").
 *
 * So the pieces cover [from, to) exactly, in order of time, without overlap, on any graph that graph_check accepts,
 * and the walk takes a number of steps in proportion to the graph and its path. Nothing recurses.
 *
 * The time of a runnable or queued piece is blamed on the sources of its cpu or queue edges under the sources' own names.
 */
#ifndef BLAME_WALK_H
#define BLAME_WALK_H

#include "blame/blame.h"

/* Finds the path of blame->graph, its pieces and shares; may add nodes to the graph, which is then checked again. */
void blame_wake(struct blame *blame);

#endif
