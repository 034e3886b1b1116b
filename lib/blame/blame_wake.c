#include "blame/blame.h"

#include <stdlib.h>

#include "blame/activity.h"
#include "blame/walk.h"

/* The kind of edge that comes from those who were served while this one was not; EDGE_KINDS: it was. */
static enum edge_kind kept_back_by(enum node_what what)
{
	switch (what) {
	case WHAT_RUNNABLE:
		return EDGE_CPU;
	case WHAT_QUEUE:
		return EDGE_QUEUE;
	default:
		return EDGE_KINDS;
	}
}

static void share_among_sources(struct blame *blame, struct activity *activity, const struct path_piece *piece)
{
	const struct node *nodes = blame->graph->nodes.items;
	enum edge_kind kind = kept_back_by(nodes[piece->node].what);
	size_t count;
	const struct edge *edges = graph_arriving(blame->graph, piece->node, &count);
	struct share *own = &blame->share[piece->node];
	uint64_t busy, duration = (uint64_t)piece->to - (uint64_t)piece->from;

	for (size_t i = 0; i < count; i++)
		if (edges[i].kind == kind)
			activity_runs(activity, edges[i].from, later(nodes[edges[i].from].start, piece->from),
				      sooner(nodes[edges[i].from].end, piece->to));
	busy = activity_share(activity, blame->share, NULL, NULL);
	*own = share_plus(*own, share_whole(duration - busy));
}

void blame_wake(struct blame *blame)
{
	struct activity *activity;
	size_t count;

	walk(blame);
	count = blame->graph->nodes.count;
	blame->share = memory_new(count + 1, sizeof(*blame->share));
	blame->on_path = memory_new(count + 1, sizeof(*blame->on_path));
	activity = activity_new(count);
	for (size_t i = 0; i < blame->path.count; i++) {
		blame->on_path[blame->path.items[i].node] = true;
		share_among_sources(blame, activity, &blame->path.items[i]);
	}
	activity_free(activity);
}
