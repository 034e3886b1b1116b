/* AUDIT (USENIX ATC 2018), section 3.3.1: the call chain of an exception, by distance from the throw. */
#include "blame/algorithm.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/number.h"
#include "blame/depth.h"

enum { FAR = -1 }; /* neither it nor any node below it threw */

/* All nodes, callers before the nodes that they called: by depth, least first, then by index. */
static int32_t *order_by_depth(const struct graph *graph, const uint32_t *depth)
{
	size_t count = graph->nodes.count;
	size_t *place = memory_new(count + 2, sizeof(*place)); /* by depth: where its next node goes in `order` */
	int32_t *order = memory_new(count + 1, sizeof(*order));

	for (size_t i = 0; i < count; i++)
		place[depth[i] + 1]++;
	for (size_t i = 1; i <= count; i++)
		place[i] += place[i - 1];
	for (size_t i = 0; i < count; i++)
		order[place[depth[i]]++] = i;
	free(place);
	return order;
}

/* By node: the calls between it and the nearest throw below it; 0 if it threw and no node below it did; else FAR. */
static int32_t *distances(const struct graph *graph)
{
	const struct node *nodes = graph->nodes.items;
	uint32_t *depth = depth_of_nodes(graph);
	int32_t *order = order_by_depth(graph, depth);
	int32_t *distance = memory_new(graph->nodes.count + 1, sizeof(*distance));

	for (size_t i = 0; i < graph->nodes.count; i++)
		distance[i] = FAR;
	for (size_t i = graph->nodes.count; i--;) { /* nodes before their callers */
		int32_t node = order[i], parent = nodes[node].parent;

		if (distance[node] == FAR && nodes[node].threw)
			distance[node] = 0;
		if (distance[node] != FAR && parent != NODE_NONE &&
		    (distance[parent] == FAR || distance[parent] > distance[node] + 1))
			distance[parent] = distance[node] + 1;
	}
	free(depth);
	free(order);
	return distance;
}

static int choose_exception(const struct blame *blame, size_t count, struct picks *picks)
{
	const struct graph *graph = blame->graph;
	struct reciprocals reciprocals = {0};
	int32_t *distance;

	if (graph->kind != GRAPH_RAG)
		return fail("graph %s: 'exception' ranks the calls of a request activity graph; this is a wake graph",
			    graph->id);
	distance = distances(graph);
	for (size_t i = 0; i < graph->nodes.count; i++)
		if (distance[i] != FAR && graph->nodes.items[i].join == JOIN_NONE)
			picks_add(picks, i, share_of(&reciprocals, NSEC_PER_SEC, distance[i] + 1));
	picks_sort(picks, graph);
	picks_cut(picks, count);
	free(distance);
	free(reciprocals.of.items);
	return 0;
}

const struct blame_algorithm algorithm_exception = {"exception", choose_exception, .timeless = true};
