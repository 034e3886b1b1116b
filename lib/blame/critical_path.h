/*
 * critical_path: the critical path of a request activity graph: its root, its nodes, and each node's share of the time.
 * blame.h says how the definitions are read.
 */
#ifndef BLAME_CRITICAL_PATH_H
#define BLAME_CRITICAL_PATH_H

#include "blame/blame.h"

/* Sets on_path[] for the nodes of the path. With `all`, a join of any brings all nodes that it awaited, not only the one that decided it. */
void critical_path(const struct graph *graph, bool all, bool *on_path);

/* The node where the path begins; NODE_NONE: there is none. */
int32_t path_root(const struct graph *graph);

/* Of any graph: among the nodes without parent and not of WHAT_UNKNOWN, the one that ended last; NODE_NONE: there is none. */
int32_t path_last_node(const struct graph *graph);

/* Finds the path of blame->graph (of GRAPH_RAG), its pieces and shares. */
void blame_rag(struct blame *blame);

#endif
