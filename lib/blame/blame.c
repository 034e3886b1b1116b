#include "blame/blame.h"

#include <stdlib.h>

static void (*const kinds[])(struct blame *) = {[GRAPH_RAG] = blame_rag, [GRAPH_WAKE] = blame_wake};

struct blame *blame_new(struct graph *graph)
{
	struct blame *blame = NEW(struct blame);

	blame->graph = graph;
	blame->added = graph->nodes.count;
	kinds[graph->kind](blame);
	return blame;
}

void blame_free(struct blame *blame)
{
	free(blame->on_path);
	free(blame->path.items);
	free(blame->share);
	free(blame);
}

static bool ended_later(const struct node *a, const struct node *b)
{
	if (a->end != b->end)
		return a->end > b->end;
	if (a->start != b->start)
		return a->start < b->start;
	return a->id < b->id;
}

int32_t blame_last_node(const struct graph *graph)
{
	const struct node *nodes = graph->nodes.items;
	int32_t last = NODE_NONE;

	for (size_t i = 0; i < graph->nodes.count; i++)
		if (nodes[i].parent == NODE_NONE && nodes[i].what != WHAT_UNKNOWN &&
		    (last == NODE_NONE || ended_later(&nodes[i], &nodes[last])))
			last = i;
	return last;
}
