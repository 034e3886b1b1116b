/*
 * blame: the critical path of a graph, and every node's share of its time.
 *
 * Request activity graph (AUDIT, USENIX ATC 2018, section 3.3.2). tailblame-blame(7) has the definitions; they are
 * read as follows:
 *
 * - A node's parent waited for it if the node has wait_start and wait_end, even if that wait is empty or outside the parent's
 *   run. A parent is not active during its waits for its children, on the path or off it; waits may overlap and nest.
 * - A join that awaits nothing is on the path alone. The node that decides a join brings the children that it waited for,
 *   like any other; if that node is a join itself, the nodes that it awaits are not followed. A circle of joins ends
 *   where it closes: the path is a set.
 * - Without root=, the root is the node without parent that ended last; ties as for a join of all: longer run, lower id.
 * - The time shared lasts from the first start to the last end of any node, whatever the graph's from= and to=.
 * - The path's pieces are the stretches in which its nodes were active. They may overlap, and leave gaps.
 *
 * Wake graph. The path is walked backward (blame.c) and covers [from, to) exactly. A piece's node takes its time, with one exception:
 * time runnable or queued goes to the sources of the cpu or queue edges that arrive there, shared equally among the sources
 * active at each instant; an instant without an active source goes to the piece's own node.
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
	size_t added;			 /* index of the first node that the walk added for unknown times */
};

/* For a graph that passed graph_check() and outlives the result. A wake graph may gain nodes for unknown times. Does not fail. */
struct blame *blame_new(struct graph *graph);
void blame_free(struct blame *blame);

#endif
