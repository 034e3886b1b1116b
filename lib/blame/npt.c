/* NPT, after AUDIT (USENIX ATC 2018), section 6.2: running time divided evenly among concurrently running methods. */
#include "blame/algorithm.h"

#include <stdlib.h>

#include "blame/activity.h"

static bool works(enum node_what what)
{
	switch (what) {
	case WHAT_METHOD:
	case WHAT_RUN:
	case WHAT_IRQ:
	case WHAT_SOFTIRQ:
	case WHAT_SERVICE:
		return true;
	default:
		return false;
	}
}

static struct share *share_all_work(const struct graph *graph)
{
	struct share *share = memory_new(graph->nodes.count + 1, sizeof(*share));
	struct activity *activity = activity_new(graph->nodes.count);

	for (size_t i = 0; i < graph->nodes.count; i++) {
		const struct node *node = &graph->nodes.items[i];

		if (works(node->what))
			activity_runs(activity, i, node->start > graph->from ? node->start : graph->from,
				      node->end < graph->to ? node->end : graph->to);
	}
	activity_share(activity, share, NULL, NULL);
	activity_free(activity);
	return share;
}

static void choose_all(const struct graph *graph, const struct share *share, struct picks *picks)
{
	for (size_t i = 0; i < graph->nodes.count; i++)
		if (graph->nodes.items[i].join == JOIN_NONE && !share_is_zero(share[i]))
			picks_add(picks, i, share[i]);
}

static int choose_npt(const struct blame *blame, size_t count, struct picks *picks)
{
	struct share *work;

	if (blame->graph->kind == GRAPH_RAG) {
		choose_all(blame->graph, blame->share, picks);
		picks_sort(picks, blame->graph);
		picks_cut(picks, count);
		return 0;
	}
	work = share_all_work(blame->graph);
	choose_all(blame->graph, work, picks);
	free(work);
	return 0;
}

const struct blame_algorithm algorithm_npt = {"npt", choose_npt};
