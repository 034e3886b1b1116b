#include "blame/depth.h"

#include <stdlib.h>

enum { UNKNOWN = 0 }; /* until all depths are found, each is stored with 1 added */

/* Climbs to the first caller whose depth is known, then goes down the same way and numbers the nodes. */
static void find_depth(const struct graph *graph, int32_t node, uint32_t *depth, int32_t *way)
{
	size_t steps = 0;
	int32_t i;

	for (i = node; i != NODE_NONE && depth[i] == UNKNOWN; i = graph->nodes.items[i].parent)
		way[steps++] = i;
	for (uint32_t above = i == NODE_NONE ? 0 : depth[i]; steps; above++)
		depth[way[--steps]] = above + 1;
}

uint32_t *depth_of_nodes(const struct graph *graph)
{
	size_t count = graph->nodes.count;
	uint32_t *depth = memory_new(count + 1, sizeof(*depth));
	int32_t *way = memory_new(count + 1, sizeof(*way));

	for (size_t i = 0; i < count; i++)
		find_depth(graph, i, depth, way);
	for (size_t i = 0; i < count; i++)
		depth[i]--;
	free(way);
	return depth;
}
