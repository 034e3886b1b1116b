/*
 * depth: how many callers each node of a graph has above it, and an order in which callers come before the called.
 */
#ifndef BLAME_DEPTH_H
#define BLAME_DEPTH_H

#include "graph/graph.h"

uint32_t *depth_of_nodes(const struct graph *graph); /* by node; the caller frees it */

/* All nodes, the least depth first, those of a depth by index; the caller frees it. */
int32_t *depth_order(const struct graph *graph, const uint32_t *depth);

#endif
