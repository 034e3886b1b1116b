#include "blame/critical_path.h"

#include <stdlib.h>

#include "blame/activity.h"

static bool ended_later(const struct node *a, const struct node *b)
{
	if (a->end != b->end)
		return a->end > b->end;
	if (a->start != b->start)
		return a->start < b->start;
	return a->id < b->id;
}

int32_t path_last_node(const struct graph *graph)
{
	const struct node *nodes = graph->nodes.items;
	int32_t last = NODE_NONE;

	for (size_t i = 0; i < graph->nodes.count; i++)
		if (nodes[i].parent == NODE_NONE && nodes[i].what != WHAT_UNKNOWN &&
		    (last == NODE_NONE || ended_later(&nodes[i], &nodes[last])))
			last = i;
	return last;
}

struct search {
	const struct graph *graph;
	bool all; /* a join of any brings all nodes that it awaited */
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

/* Tells whether a rather than b decides the join: of all: ended later, or ran longer; of any: ended first, or ran shorter; ties: lower id. */
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

int32_t path_root(const struct graph *graph)
{
	return graph->root != NODE_NONE ? graph->root : path_last_node(graph);
}

void critical_path(const struct graph *graph, bool all, bool *on_path)
{
	struct search search = {.graph = graph, .all = all, .on_path = on_path};
	int32_t root = path_root(graph);

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

static void add_activity(struct activity *activity, const struct graph *graph)
{
	const struct node *nodes = graph->nodes.items;

	for (size_t i = 0; i < graph->nodes.count; i++) {
		if (nodes[i].join == JOIN_NONE)
			activity_runs(activity, i, nodes[i].start, nodes[i].end);
		if (nodes[i].parent != NODE_NONE && nodes[i].wait_start != TIME_NONE)
			activity_waits(activity, nodes[i].parent, nodes[i].wait_start, nodes[i].wait_end);
	}
}

struct pieces {
	struct blame *blame;
	size_t *last; /* by node: index of its last piece, plus 1; 0: none */
};

static void keep_piece(void *context, int32_t node, int64_t from, int64_t to)
{
	struct pieces *pieces = context;
	struct blame *blame = pieces->blame;
	size_t last = pieces->last[node];

	if (!blame->on_path[node])
		return;
	if (last && blame->path.items[last - 1].to == from) {
		blame->path.items[last - 1].to = to;
		return;
	}
	*ARRAY_ADD(&blame->path) = (struct path_piece){node, from, to};
	pieces->last[node] = blame->path.count;
}

static int compare_pieces(const void *left, const void *right, void *context)
{
	const struct path_piece *a = left, *b = right;
	const struct node *nodes = context, *m = &nodes[a->node], *n = &nodes[b->node];

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (m->id > n->id) - (m->id < n->id);
}

void blame_rag(struct blame *blame)
{
	size_t count = blame->graph->nodes.count;
	struct activity *activity = activity_new(count);
	struct pieces pieces = {.blame = blame, .last = memory_new(count + 1, sizeof(size_t))};

	blame->share = memory_new(count + 1, sizeof(*blame->share));
	blame->on_path = memory_new(count + 1, sizeof(*blame->on_path));
	critical_path(blame->graph, false, blame->on_path);
	add_activity(activity, blame->graph);
	activity_share(activity, blame->share, keep_piece, &pieces);
	if (blame->path.count)
		qsort_r(blame->path.items, blame->path.count, sizeof(*blame->path.items), compare_pieces,
			blame->graph->nodes.items);
	free(pieces.last);
	activity_free(activity);
}
