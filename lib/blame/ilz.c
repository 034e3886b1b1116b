/* Iterative logical zeroing, after AUDIT (USENIX ATC 2018), section 6.2, and IPS-2's logical zeroing. */
#include "blame/algorithm.h"

#include <stdlib.h>

#include "blame/critical_path.h"
#include "blame/replay.h"
#include "blame/replay_wake.h"

/* In a graph where zeroing seldom helps, each turn gives up after this number of replays. */
enum { NODE_TRIES = 1000 };

struct zeroing {
	struct replay *replay;
	uint64_t latency;
	struct choices nodes; /* that have work, the most first */
	bool *chosen;	      /* by place in `nodes` */
};

static int start(struct zeroing *zeroing, const struct graph *graph, int32_t root)
{
	zeroing->replay = replay_new(graph, root);
	if (replay_latency(zeroing->replay, &zeroing->latency) < 0)
		return -1;
	for (size_t i = 0; i < graph->nodes.count; i++)
		if (replay_work_of(zeroing->replay, i))
			choices_add(&zeroing->nodes, i, share_whole(replay_work_of(zeroing->replay, i)));
	choices_sort(&zeroing->nodes, graph);
	zeroing->chosen = memory_new(zeroing->nodes.list.count + 1, sizeof(bool));
	return 0;
}

static void finish(struct zeroing *zeroing)
{
	replay_free(zeroing->replay);
	free(zeroing->nodes.list.items);
	free(zeroing->chosen);
}

/* How long the request takes if this node's work is taken so, too. */
static uint64_t latency_with(struct zeroing *zeroing, int32_t node, enum replay_work work)
{
	uint64_t latency = zeroing->latency;

	replay_take(zeroing->replay, node, work);
	replay_latency(zeroing->replay, &latency); /* what could be replayed before still can */
	replay_take(zeroing->replay, node, WORK_AS_IT_WAS);
	return latency;
}

struct best {
	size_t place; /* in `nodes` */
	uint64_t gain;
	bool critical; /* were it longer, so would be the request */
};

/* Whether the node with so much work, and none that comes after it, can take the place of the best. */
static bool can_win(const struct best *best, struct share work)
{
	int order = share_compare(work, share_whole(best->gain));

	return best->critical || !best->gain ? order > 0 : order >= 0;
}

static void try_node(struct zeroing *zeroing, size_t place, struct best *best)
{
	int32_t node = zeroing->nodes.list.items[place].node;
	uint64_t gain = zeroing->latency - latency_with(zeroing, node, WORK_ZERO);
	bool critical;

	if (!gain || gain < best->gain)
		return;
	critical = latency_with(zeroing, node, WORK_LONGER) > zeroing->latency;
	if (gain > best->gain || (critical && !best->critical))
		*best = (struct best){place, gain, critical};
}

static struct best best_node(struct zeroing *zeroing)
{
	const struct choice *nodes = zeroing->nodes.list.items;
	struct best best = {0};
	int tries = 0;

	replay_look_back(zeroing->replay);
	for (size_t i = 0; i < zeroing->nodes.list.count && tries < NODE_TRIES; i++) {
		if (zeroing->chosen[i] || !replay_matters(zeroing->replay, nodes[i].node))
			continue;
		if (!can_win(&best, nodes[i].score))
			break;
		try_node(zeroing, i, &best);
		tries++;
	}
	return best;
}

static void choose_nodes(struct zeroing *zeroing, size_t count, struct choices *choices)
{
	for (uint32_t turn = 1; turn <= count; turn++) {
		struct best best = best_node(zeroing);
		int32_t node;

		if (!best.gain)
			return;
		node = zeroing->nodes.list.items[best.place].node;
		zeroing->chosen[best.place] = true;
		replay_take(zeroing->replay, node, WORK_ZERO);
		replay_latency(zeroing->replay, &zeroing->latency);
		*ARRAY_ADD(&choices->list) =
			(struct choice){.node = node, .turn = turn, .score = share_whole(best.gain)};
	}
}

/* A wake graph is zeroed deed by deed, for the pieces of a thread are pieces of one story. */
enum { DEED_TRIES = 200 }; /* deeds that are tried in a turn, those with the most time first */

struct candidate {
	const struct deed *family; /* NULL: chosen already */
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

static int compare_families(const void *left, const void *right, void *context)
{
	const struct node *nodes = context;
	const struct deed *a = nodes[*(const int32_t *)left].deed->family, *b = nodes[*(const int32_t *)right].deed->family;

	if (a != b)
		return a > b ? 1 : -1;
	return *(const int32_t *)left - *(const int32_t *)right;
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

	if (!last || last->family != node->deed->family) {
		last = ARRAY_ADD(&candidates->list);
		*last = (struct candidate){.family = node->deed->family, .node = index, .node_time = time};
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
	int32_t *by_family = memory_new(graph->nodes.count + 1, sizeof(*by_family));

	for (size_t i = 0; i < graph->nodes.count; i++)
		by_family[i] = (int32_t)i;
	qsort_r(by_family, graph->nodes.count, sizeof(*by_family), compare_families, graph->nodes.items);
	for (size_t i = 0; i < graph->nodes.count; i++)
		add_node(blame, candidates, by_family[i]);
	qsort(candidates->list.items, candidates->list.count, sizeof(struct candidate), compare_candidates);
	free(by_family);
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
	for (size_t i = 0; i < candidates->list.count && tries < DEED_TRIES; i++) {
		struct candidate *candidate = &candidates->list.items[i];
		uint64_t without;

		if (!candidate->family)
			continue;
		tries++;
		wake_replay_zero(replay, candidate->family, true);
		without = wake_replay_latency(replay);
		wake_replay_zero(replay, candidate->family, false);
		if (without < latency && latency - without > *gain) {
			*gain = latency - without;
			best = candidate;
		}
	}
	return best;
}

static void choose_deeds(const struct blame *blame, size_t count, struct choices *choices)
{
	const struct graph *graph = blame->graph;
	int32_t target = graph->target != NODE_NONE ? graph->target : path_last_node(graph);
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
		wake_replay_zero(replay, best->family, true);
		latency -= gain;
		best->family = NULL;
		*ARRAY_ADD(&choices->list) =
			(struct choice){.node = best->node, .turn = turn, .score = share_whole(gain)};
	}
	free(candidates.list.items);
	wake_replay_free(replay);
}

static int choose_ilz(const struct blame *blame, size_t count, struct choices *choices)
{
	const struct graph *graph = blame->graph;
	struct zeroing zeroing = {0};
	int32_t root;
	int status;

	if (graph->kind == GRAPH_WAKE) {
		choose_deeds(blame, count, choices);
		return 0;
	}
	root = path_root(graph);
	if (root == NODE_NONE)
		return 0;
	status = start(&zeroing, graph, root);
	if (status == 0)
		choose_nodes(&zeroing, count, choices);
	finish(&zeroing);
	return status;
}

const struct blame_algorithm algorithm_ilz = {"ilz", choose_ilz};
