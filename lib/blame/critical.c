/* AUDIT (USENIX ATC 2018), section 3.3.2: critical blame, and the selection of top methods. */
#include "blame/algorithm.h"

#include <stdlib.h>

#include "blame/activity.h"
#include "blame/critical_path.h"

struct interval {
	int64_t from, to;
};

struct cover { /* the time in which any node of B1 runs, as disjoint intervals in order */
	ARRAY(struct interval) list;
};

static int compare_intervals(const void *left, const void *right)
{
	const struct interval *a = left, *b = right;

	return (a->from > b->from) - (a->from < b->from);
}

static void cover_nodes(struct cover *cover, const struct graph *graph, const struct picks *picks)
{
	size_t kept = 0;

	for (size_t i = 0; i < picks->list.count; i++) {
		const struct node *node = &graph->nodes.items[picks->list.items[i].node];

		if (node->start < node->end)
			*ARRAY_ADD(&cover->list) = (struct interval){node->start, node->end};
	}
	if (!cover->list.count)
		return;
	qsort(cover->list.items, cover->list.count, sizeof(struct interval), compare_intervals);
	for (size_t i = 1; i < cover->list.count; i++) {
		struct interval *last = &cover->list.items[kept], *next = &cover->list.items[i];

		if (next->from > last->to)
			cover->list.items[++kept] = *next;
		else if (next->to > last->to)
			last->to = next->to;
	}
	cover->list.count = kept + 1;
}

static bool covers_some(const struct cover *cover, const struct node *node)
{
	size_t low = 0, high = cover->list.count;

	while (low < high) { /* the first interval that ends after the node's start */
		size_t middle = low + (high - low) / 2;

		if (cover->list.items[middle].to > node->start)
			high = middle;
		else
			low = middle + 1;
	}
	return node->start < node->end && low < cover->list.count && cover->list.items[low].from < node->end;
}

static void add_interfering(const struct graph *graph, const bool *on_path, const bool *also, const struct share *share,
			    struct picks *picks)
{
	struct share alpha = picks->list.items[picks->list.count - 1].score;
	struct cover cover = {0};

	cover_nodes(&cover, graph, picks);
	for (size_t i = 0; i < graph->nodes.count; i++) {
		const struct node *node = &graph->nodes.items[i];

		if (!on_path[i] && node->join == JOIN_NONE && share_compare(share[i], alpha) >= 0 &&
		    ((also && also[i]) || covers_some(&cover, node)))
			picks_add(picks, i, share[i]);
	}
	free(cover.list.items);
}

/* Adds B1 and B2 by the blame in `share`. Nodes in `also` (NULL: none) may be in B2 even if they do not run at the same time as B1. */
static void choose_top(const struct graph *graph, const bool *on_path, const bool *also, const struct share *share,
		       size_t count, struct picks *picks)
{
	for (size_t i = 0; i < graph->nodes.count; i++)
		if (on_path[i] && graph->nodes.items[i].join == JOIN_NONE)
			picks_add(picks, i, share[i]);
	picks_sort(picks, graph);
	picks_cut(picks, count);
	if (picks->list.count)
		add_interfering(graph, on_path, also, share, picks);
}

static int choose_critical(const struct blame *blame, size_t count, struct picks *picks)
{
	if (blame->graph->kind == GRAPH_RAG) {
		choose_top(blame->graph, blame->on_path, NULL, blame->share, count, picks);
		return 0;
	}
	for (size_t i = 0; i < blame->graph->nodes.count; i++)
		if (!share_is_zero(blame->share[i]))
			picks_add(picks, i, blame->share[i]);
	return 0;
}

const struct blame_algorithm algorithm_critical = {"critical", choose_critical};

/*
 * Shares the time as for `critical`, but a timer is never active, and a node that waits for a timer stays active. A timeout ends a wait
 * without doing anything, and a timer cannot be made faster: to blame is the work that should have ended the wait.
 */
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

static int choose_wanted(const struct blame *blame, size_t count, struct picks *picks)
{
	const struct graph *graph = blame->graph;
	struct share *share;
	bool *wanted;

	if (graph->kind == GRAPH_WAKE)
		return choose_critical(blame, count, picks);
	share = memory_new(graph->nodes.count + 1, sizeof(*share));
	wanted = memory_new(graph->nodes.count + 1, sizeof(*wanted));
	critical_path(graph, true, wanted);
	share_work(graph, share);
	choose_top(graph, blame->on_path, wanted, share, count, picks);
	free(share);
	free(wanted);
	return 0;
}

const struct blame_algorithm algorithm_wanted = {"wanted", choose_wanted};
