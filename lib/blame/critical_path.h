/*
 * critical_path: where the critical path of a request activity graph begins, its nodes, and each node's part in its time;
 * by the definitions in blame.h.
 */
#ifndef BLAME_CRITICAL_PATH_H
#define BLAME_CRITICAL_PATH_H

#include "blame/blame.h"

/* Sets the nodes of the path; with `all`, also the nodes below those that did not decide a join of any. */
void critical_path(const struct graph *graph, bool all, bool *on_path);

/* Where the path begins; NODE_NONE: there is no node. */
int32_t path_root(const struct graph *graph);

/* Of any graph: the node without parent, not unknown, that ended last; NODE_NONE: there is none. */
int32_t path_last_node(const struct graph *graph);

/* Finds the path of blame->graph, its pieces and shares. */
void blame_rag(struct blame *blame);

#endif
