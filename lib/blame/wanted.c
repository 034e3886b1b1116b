/*
 * What the request waited for, whether it came or not. A timeout ends a wait without having done anything; what should
 * have ended it is the work that did not come, and a timer cannot be made faster.
 */
#include "blame/algorithm.h"

#include <stdlib.h>

#include "blame/activity.h"
#include "blame/critical_path.h"

static void share_work(const struct graph *graph, struct share *share)
{
	struct activity *activity = activity_new(graph->nodes.count);

	for (size_t i = 0; i < graph->nodes.count; i++) {
		const struct node *node = &graph->nodes.items[i];

		if (node->what == WHAT_TIMER)
			continue;
		if (node->join == JOIN_NONE)
			activity_runs(activity, i, node->start, node->end);
		if (node->parent != NODE_NONE && node->wait_start != TIME_NONE)
			activity_waits(activity, node->parent, node->wait_start, node->wait_end);
	}
	activity_share(activity, share, NULL, NULL);
	activity_free(activity);
}

int choose_wanted(const struct blame *blame, size_t count, struct choices *choices)
{
	const struct graph *graph = blame->graph;
	struct share *share;
	bool *wanted;

	if (graph->kind == GRAPH_WAKE)
		return choose_critical(blame, count, choices);
	share = memory_new(graph->nodes.count + 1, sizeof(*share));
	wanted = memory_new(graph->nodes.count + 1, sizeof(*wanted));
	critical_path(graph, true, wanted);
	share_work(graph, share);
	choose_top(graph, blame->on_path, wanted, share, count, choices);
	free(share);
	free(wanted);
	return 0;
}
