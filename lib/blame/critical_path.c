#include "blame/blame.h"

#include <stdlib.h>

struct search {
	const struct graph *graph;
	bool all; /* whatever a join of any awaited */
	bool *on_path;
	bool *entered;
	ARRAY(int32_t) pending; /* nodes whose own critical path is still to be added */
};

static void enter(struct search *search, int32_t node)
{
	if (search->entered[node])
		return;
	search->entered[node] = true;
	*ARRAY_ADD(&search->pending) = node;
}

/* Whether a decides the join rather than b: ended last and ran longest, or ended first and ran shortest. */
static bool decides(enum node_join join, const struct node *a, const struct node *b)
{
	if (a->end != b->end)
		return join == JOIN_ALL ? a->end > b->end : a->end < b->end;
	if (a->start != b->start) /* the same end: the earlier start is the longer run */
		return join == JOIN_ALL ? a->start < b->start : a->start > b->start;
	return a->id < b->id;
}

static int32_t deciding_node(const struct graph *graph, int32_t join)
{
	const struct node *nodes = graph->nodes.items;
	int32_t best = NODE_NONE;
	size_t count;
	const struct edge *edges = graph_arriving(graph, join, &count);

	for (size_t i = 0; i < count; i++)
		if (edges[i].kind == EDGE_JOIN &&
		    (best == NODE_NONE || decides(nodes[join].join, &nodes[edges[i].from], &nodes[best])))
			best = edges[i].from;
	return best;
}

static void enter_awaited(struct search *search, int32_t join)
{
	size_t count;
	const struct edge *edges = graph_arriving(search->graph, join, &count);

	for (size_t i = 0; i < count; i++)
		if (edges[i].kind == EDGE_JOIN)
			enter(search, edges[i].from);
}

static void enter_child(struct search *search, int32_t child)
{
	const struct node *node = &search->graph->nodes.items[child];
	int32_t awaited;

	if (node->wait_start == TIME_NONE)
		return;
	if (node->join == JOIN_NONE) {
		enter(search, child);
		return;
	}
	search->on_path[child] = true;
	if (search->all && node->join == JOIN_ANY) {
		enter_awaited(search, child);
		return;
	}
	awaited = deciding_node(search->graph, child);
	if (awaited != NODE_NONE)
		enter(search, awaited);
}

int32_t blame_root(const struct graph *graph)
{
	return graph->root != NODE_NONE ? graph->root : blame_last_node(graph);
}

void critical_path(const struct graph *graph, bool all, bool *on_path)
{
	struct search search = {.graph = graph, .all = all, .on_path = on_path};
	int32_t root = blame_root(graph);

	search.entered = memory_new(graph->nodes.count + 1, sizeof(bool));
	if (root != NODE_NONE)
		enter(&search, root);
	while (search.pending.count) {
		int32_t node = search.pending.items[--search.pending.count];
		size_t count;
		const int32_t *children = graph_children(graph, node, &count);

		on_path[node] = true;
		for (size_t i = 0; i < count; i++)
			enter_child(&search, children[i]);
	}
	free(search.pending.items);
	free(search.entered);
}
