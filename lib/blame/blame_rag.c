#include "blame/blame.h"

#include <stdlib.h>

#include "blame/activity.h"

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
	size_t *last; /* by node: place of its last piece, plus 1 */
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
