/* Iterative logical zeroing of a wake graph, name by name, for the pieces of a thread are pieces of one story. */
#include "blame/ilz_wake.h"

#include <stdlib.h>

#include "blame/replay_wake.h"

enum { TRIES = 200 }; /* names that are tried in a turn, those with the most time first */

struct candidate {
	const char *name;	/* NULL: chosen already */
	unsigned __int128 time; /* of all its nodes, between the graph's times */
	int32_t node;		/* that stands for it: the longest, of those on the path if there are any */
	uint64_t node_time;
};

struct candidates {
	ARRAY(struct candidate) list;
};

static uint64_t time_within(const struct graph *graph, const struct node *node)
{
	int64_t from = node->start > graph->from ? node->start : graph->from;
	int64_t to = node->end < graph->to ? node->end : graph->to;

	return to > from ? (uint64_t)to - (uint64_t)from : 0;
}

static int compare_names(const void *left, const void *right, void *context)
{
	const struct node *nodes = context, *a = &nodes[*(const int32_t *)left], *b = &nodes[*(const int32_t *)right];

	return (a->name > b->name) - (a->name < b->name);
}

static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

static void add_node(const struct blame *blame, struct candidates *candidates, int32_t index)
{
	const struct node *node = &blame->graph->nodes.items[index];
	uint64_t time = time_within(blame->graph, node);
	struct candidate *last = candidates->list.count ? &candidates->list.items[candidates->list.count - 1] : NULL;

	if (!last || last->name != node->name) {
		last = ARRAY_ADD(&candidates->list);
		*last = (struct candidate){.name = node->name, .node = index, .node_time = time};
	}
	last->time += time;
	if (blame->on_path[index] != blame->on_path[last->node] ? blame->on_path[index] : time > last->node_time) {
		last->node = index;
		last->node_time = time;
	}
}

static void find_candidates(const struct blame *blame, struct candidates *candidates)
{
	const struct graph *graph = blame->graph;
	int32_t *by_name = memory_new(graph->nodes.count + 1, sizeof(*by_name));

	for (size_t i = 0; i < graph->nodes.count; i++)
		by_name[i] = (int32_t)i;
	qsort_r(by_name, graph->nodes.count, sizeof(*by_name), compare_names, graph->nodes.items);
	for (size_t i = 0; i < graph->nodes.count; i++)
		add_node(blame, candidates, by_name[i]);
	qsort(candidates->list.items, candidates->list.count, sizeof(struct candidate), compare_candidates);
	free(by_name);
}

/*
 * The candidate that shortens the latency most. It may shorten it by more than its own time: an interrupt that ends a wait
 * stands for all of that. NULL: none does.
 */
static struct candidate *best_of(struct candidates *candidates, struct wake_replay *replay, uint64_t latency, uint64_t *gain)
{
	struct candidate *best = NULL;
	int tries = 0;

	*gain = 0;
	for (size_t i = 0; i < candidates->list.count && tries < TRIES; i++) {
		struct candidate *candidate = &candidates->list.items[i];
		uint64_t without;

		if (!candidate->name)
			continue;
		tries++;
		wake_replay_zero(replay, candidate->name, true);
		without = wake_replay_latency(replay);
		wake_replay_zero(replay, candidate->name, false);
		if (without < latency && latency - without > *gain) {
			*gain = latency - without;
			best = candidate;
		}
	}
	return best;
}

void choose_ilz_wake(const struct blame *blame, size_t count, struct choices *choices)
{
	const struct graph *graph = blame->graph;
	int32_t target = graph->target != NODE_NONE ? graph->target : blame_last_node(graph);
	struct candidates candidates = {0};
	struct wake_replay *replay;
	uint64_t latency, gain;

	if (target == NODE_NONE)
		return;
	replay = wake_replay_new(graph, target);
	latency = wake_replay_latency(replay);
	find_candidates(blame, &candidates);
	for (uint32_t turn = 1; turn <= count; turn++) {
		struct candidate *best = best_of(&candidates, replay, latency, &gain);

		if (!best)
			break;
		wake_replay_zero(replay, best->name, true);
		latency -= gain;
		best->name = NULL;
		*ARRAY_ADD(&choices->list) =
			(struct choice){.node = best->node, .turn = turn, .score = share_whole(gain)};
	}
	free(candidates.list.items);
	wake_replay_free(replay);
}
