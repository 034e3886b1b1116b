/* Iterative logical zeroing, after AUDIT (USENIX ATC 2018), section 6.2, and IPS-2's logical zeroing. */
#include "blame/algorithm.h"

#include <stdlib.h>

#include "blame/ilz_wake.h"
#include "blame/replay.h"

/* In a graph where zeroing seldom helps, each turn gives up after so many replays. */
enum { TRIES = 1000 };

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
	for (size_t i = 0; i < zeroing->nodes.list.count && tries < TRIES; i++) {
		if (zeroing->chosen[i] || !replay_matters(zeroing->replay, nodes[i].node))
			continue;
		if (!can_win(&best, nodes[i].score))
			break;
		try_node(zeroing, i, &best);
		tries++;
	}
	return best;
}

static void choose(struct zeroing *zeroing, size_t count, struct choices *choices)
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

int choose_ilz(const struct blame *blame, size_t count, struct choices *choices)
{
	const struct graph *graph = blame->graph;
	struct zeroing zeroing = {0};
	int32_t root;
	int status;

	if (graph->kind == GRAPH_WAKE) {
		choose_ilz_wake(blame, count, choices);
		return 0;
	}
	root = blame_root(graph);
	if (root == NODE_NONE)
		return 0;
	status = start(&zeroing, graph, root);
	if (status == 0)
		choose(&zeroing, count, choices);
	finish(&zeroing);
	return status;
}
