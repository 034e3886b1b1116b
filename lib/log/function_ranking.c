#include "log/function_ranking.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/fail.h"
#include "blame/algorithm.h"

enum { CALLS_MOST = 1 << 16 /* of requests that have not ended */ };

struct rated_call {
	uint64_t request;
	char *name;
	int64_t start, end;
};

struct rated {
	UT_hash_handle hh;
	char *name;
	struct share best, sum; /* best in the current request; sum over all requests */
	bool excluded;
};

struct function_ranking {
	uint64_t most;
	unsigned requests;
	ARRAY(struct rated_call) calls;
	struct rated *names;
};

struct function_ranking *function_ranking_new(uint64_t most)
{
	struct function_ranking *ranking = NEW(struct function_ranking);

	ranking->most = most;
	return ranking;
}

static void forget_calls(struct function_ranking *ranking, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(ranking->calls.items[i].name);
	ARRAY_REMOVE(&ranking->calls, 0, count);
}

void function_ranking_free(struct function_ranking *ranking)
{
	struct rated *rated, *next;

	if (!ranking)
		return;
	HASH_ITER(hh, ranking->names, rated, next)
	{
		HASH_DEL(ranking->names, rated);
		free(rated->name);
		free(rated);
	}
	forget_calls(ranking, ranking->calls.count);
	free(ranking->calls.items);
	free(ranking);
}

void function_ranking_call(struct function_ranking *ranking, uint64_t request, const char *name, int64_t start, int64_t end)
{
	if (ranking->calls.count < CALLS_MOST)
		*ARRAY_ADD(&ranking->calls) = (struct rated_call){request, memory_text(name, strlen(name)), start, end};
}

/* Sorts callers before the calls that they made. */
static int outer_first(const void *left, const void *right)
{
	const struct rated_call *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end < b->end) - (a->end > b->end);
}

/* The graph of a request's calls, which are the first `count`. The root is the request itself, which has no name. */
static struct graph *graph_of(const struct function_ranking *ranking, size_t count, int64_t start, int64_t end)
{
	struct graph *graph = graph_new(GRAPH_RAG, "");
	int32_t caller = graph_named_node(graph, 0, "");

	graph->nodes.items[caller].start = graph->from = start;
	graph->nodes.items[caller].end = graph->to = end;
	graph->root = caller;
	for (size_t i = 0; i < count; i++) {
		const struct rated_call *call = &ranking->calls.items[i];
		int32_t index = graph_named_node(graph, (int64_t)i + 1, call->name);
		struct node *node = &graph->nodes.items[index];

		while (caller != 0 && graph->nodes.items[caller].end <= call->start)
			caller = graph->nodes.items[caller].parent;
		node->start = node->wait_start = call->start;
		node->end = node->wait_end = call->end;
		node->parent = caller;
		caller = index;
	}
	return graph;
}

static struct rated *rated_of(struct function_ranking *ranking, const char *name)
{
	struct rated *rated;

	HASH_FIND_STR(ranking->names, name, rated);
	if (!rated) {
		rated = NEW(struct rated);
		rated->name = memory_text(name, strlen(name));
		HASH_ADD_KEYPTR(hh, ranking->names, rated->name, strlen(rated->name), rated);
	}
	return rated;
}

void function_ranking_exclude(struct function_ranking *ranking, const char *name)
{
	rated_of(ranking, name)->excluded = true;
}

static void score(struct function_ranking *ranking, const char *name, struct share share)
{
	struct rated *rated = *name ? rated_of(ranking, name) : NULL;

	if (rated && share_compare(share, rated->best) > 0)
		rated->best = share;
}

/* A method's score is the highest of its calls'. */
static void rate(struct function_ranking *ranking, struct graph *graph)
{
	struct blame *blame = blame_new(graph);
	struct picks picks = {0};

	if (blame_algorithm("critical")->choose(blame, graph->nodes.count, &picks) == 0)
		for (size_t i = 0; i < picks.list.count; i++)
			score(ranking, graph->nodes.items[picks.list.items[i].node].deed->name, picks.list.items[i].score);
	free(picks.list.items);
	blame_free(blame);
	for (struct rated *rated = ranking->names; rated; rated = rated->hh.next) {
		rated->sum = share_plus(rated->sum, rated->best);
		rated->best = (struct share){0};
	}
}

/* Moves the calls of a request to the front, sorted. Returns their number. */
static size_t sort_calls(struct function_ranking *ranking, uint64_t request)
{
	size_t count = 0;

	for (size_t i = 0; i < ranking->calls.count; i++)
		if (ranking->calls.items[i].request == request) {
			struct rated_call call = ranking->calls.items[i];

			ranking->calls.items[i] = ranking->calls.items[count];
			ranking->calls.items[count++] = call;
		}
	if (count)
		qsort(ranking->calls.items, count, sizeof(struct rated_call), outer_first);
	return count;
}

unsigned function_ranking_request(struct function_ranking *ranking, uint64_t request, int64_t start, int64_t end)
{
	size_t count = sort_calls(ranking, request);
	struct graph *graph;

	if (count == 0)
		return ranking->requests;
	graph = graph_of(ranking, count, start, end);
	if (graph_check(graph) == 0) {
		rate(ranking, graph);
		ranking->requests++;
	}
	graph_free(graph);
	forget_calls(ranking, count);
	return ranking->requests;
}

static int most_first(const struct rated *a, const struct rated *b)
{
	int order = share_compare(b->sum, a->sum);

	return order ? order : strcmp(a->name, b->name);
}

void function_ranking_best(struct function_ranking *ranking, struct ranked_names *names)
{
	names->most = ranking->most;
	HASH_SORT(ranking->names, most_first);
	for (const struct rated *rated = ranking->names; rated && names->list.count < ranking->most + FUNCTION_RANKING_SPARE; rated = rated->hh.next)
		if (!rated->excluded && !share_is_zero(rated->sum))
			*ARRAY_ADD(&names->list) = memory_text(rated->name, strlen(rated->name));
}
