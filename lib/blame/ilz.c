/* Iterative logical zeroing, after AUDIT (USENIX ATC 2018), section 6.2, and IPS-2's logical zeroing. */
#include "blame/algorithm.h"

#include <stdlib.h>

#include "base/fail.h"
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
		if (replay_work(zeroing->replay, i))
			choices_add(&zeroing->nodes, i, share_whole(replay_work(zeroing->replay, i)));
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

/* By how much the request is shorter without this node's work, too. */
static uint64_t gain_of(struct zeroing *zeroing, int32_t node)
{
	uint64_t latency = zeroing->latency;

	replay_zero(zeroing->replay, node, true);
	replay_latency(zeroing->replay, &latency); /* what could be replayed before still can */
	replay_zero(zeroing->replay, node, false);
	return zeroing->latency - latency;
}

/* The place of the node with the most gain; those with less work than the best gain so far need not be tried. */
static size_t best_node(struct zeroing *zeroing, uint64_t *gain)
{
	const struct choice *nodes = zeroing->nodes.list.items;
	size_t best = 0;
	int tries = 0;

	*gain = 0;
	replay_look_back(zeroing->replay);
	for (size_t i = 0; i < zeroing->nodes.list.count && tries < TRIES; i++) {
		uint64_t this_gain;

		if (zeroing->chosen[i] || !replay_matters(zeroing->replay, nodes[i].node))
			continue;
		if (share_compare(nodes[i].score, share_whole(*gain)) <= 0)
			break;
		this_gain = gain_of(zeroing, nodes[i].node);
		tries++;
		if (this_gain > *gain) {
			*gain = this_gain;
			best = i;
		}
	}
	return best;
}

static void choose(struct zeroing *zeroing, size_t count, struct choices *choices)
{
	for (uint32_t turn = 1; turn <= count; turn++) {
		uint64_t gain;
		size_t best = best_node(zeroing, &gain);
		int32_t node;

		if (!gain)
			return;
		node = zeroing->nodes.list.items[best].node;
		zeroing->chosen[best] = true;
		replay_zero(zeroing->replay, node, true);
		replay_latency(zeroing->replay, &zeroing->latency);
		*ARRAY_ADD(&choices->list) = (struct choice){.node = node, .turn = turn, .score = share_whole(gain)};
	}
}

int choose_ilz(const struct blame *blame, size_t count, struct choices *choices)
{
	const struct graph *graph = blame->graph;
	struct zeroing zeroing = {0};
	int32_t root = blame_root(graph);
	int status;

	if (graph->kind != GRAPH_RAG)
		return fail("graph %s: 'ilz' replays the calls of a request activity graph; this is a wake graph", graph->id);
	if (root == NODE_NONE)
		return 0;
	status = start(&zeroing, graph, root);
	if (status == 0)
		choose(&zeroing, count, choices);
	finish(&zeroing);
	return status;
}
