/*
 * blame: the critical path of a graph, and every node's part in its time.
 *
 * Request activity graph (AUDIT, USENIX ATC 2018, section 3.3.2). The definitions are those of blame-rank(1); this
 * is how their words are read:
 *
 * - A node's parent waited for it if the node has wait_start and wait_end, be that wait empty or outside the parent's
 *   run. It is not active within any of its children's waits, on the path or off it; waits may overlap and nest.
 * - A join that awaits nothing is on the path alone. The node that decides a join brings the children that it waited for,
 *   like any other; if it is a join itself, what that one awaits is not followed further. A circle of joins ends
 *   where it closes: the path is a set.
 * - Without root=, the root is the node without parent that ended last; ties as for a join of all: longer run, lower id.
 * - The time shared is that of the nodes, from the first start to the last end, whatever the graph's from= and to=.
 * - Its pieces are the stretches in which the path's nodes were active. They may overlap, and leave gaps.
 *
 * Wake graph. The path is walked backward (blame.c) and covers [from, to) exactly. A piece's time is its node's, but the
 * time runnable and the time queued goes to the sources of the cpu and queue edges that arrive there, shared
 * equally among those active at each instant; where there are none, to the piece itself.
 */
#ifndef BLAME_BLAME_H
#define BLAME_BLAME_H

#include "blame/share.h"
#include "graph/graph.h"

struct path_piece {
	int32_t node;
	int64_t from, to;
};

struct blame {
	struct graph *graph;
	bool *on_path;			 /* by node */
	ARRAY(struct path_piece) path;	 /* in order of time, then of id */
	struct share *share;		 /* by node: its blame */
	size_t added;			 /* nodes from this one on are not the graph's own: the walk adds them for unknown times */
};

/* For a graph that passed graph_check; it must stay, and a wake graph may gain nodes for what is unknown. Does not fail. */
struct blame *blame_new(struct graph *graph);
void blame_free(struct blame *blame);

#endif
