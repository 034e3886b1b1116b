/*
 * depth: how many callers each node of a graph has above it.
 */
#ifndef BLAME_DEPTH_H
#define BLAME_DEPTH_H

#include "graph/graph.h"

uint32_t *depth_of_nodes(const struct graph *graph); /* by node; the caller frees it */

#endif
