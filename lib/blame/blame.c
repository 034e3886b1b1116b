#include "blame/blame.h"

#include <stdlib.h>

#include "blame/critical_path.h"
#include "blame/walk.h"

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
