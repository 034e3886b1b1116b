#include "log/rating.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/fail.h"
#include "blame/algorithm.h"

enum { CALLS_MOST = 1 << 16 /* of requests that are not over */ };

struct rated_call {
	uint64_t request;
	char *name;
	int64_t start, end;
};

struct rated {
	UT_hash_handle hh;
	char *name;
	struct share best, sum; /* of the request at hand; of all */
	bool excluded;
};

struct rating {
	uint64_t most;
	unsigned requests;
	ARRAY(struct rated_call) calls;
	struct rated *names;
};

struct rating *rating_new(uint64_t most)
{
	struct rating *rating = NEW(struct rating);

	rating->most = most;
	return rating;
}

static void forget_calls(struct rating *rating, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(rating->calls.items[i].name);
	ARRAY_REMOVE(&rating->calls, 0, count);
}

void rating_free(struct rating *rating)
{
	struct rated *rated, *next;

	if (!rating)
		return;
	HASH_ITER(hh, rating->names, rated, next)
	{
		HASH_DEL(rating->names, rated);
		free(rated->name);
		free(rated);
	}
	forget_calls(rating, rating->calls.count);
	free(rating->calls.items);
	free(rating);
}

void rating_call(struct rating *rating, uint64_t request, const char *name, int64_t start, int64_t end)
{
	if (rating->calls.count < CALLS_MOST)
		*ARRAY_ADD(&rating->calls) = (struct rated_call){request, memory_text(name, strlen(name)), start, end};
}

/* Callers before the calls that they made. */
static int outer_first(const void *left, const void *right)
{
	const struct rated_call *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end < b->end) - (a->end > b->end);
}

/* The calls of a request, which are the first. Its root is the request itself, which no function is called by. */
static struct graph *graph_of(const struct rating *rating, size_t count, int64_t start, int64_t end)
{
	struct graph *graph = graph_new(GRAPH_RAG, "");
	int32_t caller = graph_named_node(graph, 0, "");

	graph->nodes.items[caller].start = graph->from = start;
	graph->nodes.items[caller].end = graph->to = end;
	graph->root = caller;
	for (size_t i = 0; i < count; i++) {
		const struct rated_call *call = &rating->calls.items[i];
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

static struct rated *rated_of(struct rating *rating, const char *name)
{
	struct rated *rated;

	HASH_FIND_STR(rating->names, name, rated);
	if (!rated) {
		rated = NEW(struct rated);
		rated->name = memory_text(name, strlen(name));
		HASH_ADD_KEYPTR(hh, rating->names, rated->name, strlen(rated->name), rated);
	}
	return rated;
}

void rating_exclude(struct rating *rating, const char *name)
{
	rated_of(rating, name)->excluded = true;
}

static void score(struct rating *rating, const char *name, struct share share)
{
	struct rated *rated = *name ? rated_of(rating, name) : NULL;

	if (rated && share_compare(share, rated->best) > 0)
		rated->best = share;
}

/* A method's score is the highest of its calls'. */
static void rate(struct rating *rating, struct graph *graph)
{
	struct blame *blame = blame_new(graph);
	struct picks picks = {0};

	if (blame_algorithm("critical")->choose(blame, graph->nodes.count, &picks) == 0)
		for (size_t i = 0; i < picks.list.count; i++)
			score(rating, graph->nodes.items[picks.list.items[i].node].deed->name, picks.list.items[i].score);
	free(picks.list.items);
	blame_free(blame);
	for (struct rated *rated = rating->names; rated; rated = rated->hh.next) {
		rated->sum = share_plus(rated->sum, rated->best);
		rated->best = (struct share){0};
	}
}

/* Puts the calls of a request first, in order. Returns how many there are. */
static size_t sort_calls(struct rating *rating, uint64_t request)
{
	size_t count = 0;

	for (size_t i = 0; i < rating->calls.count; i++)
		if (rating->calls.items[i].request == request) {
			struct rated_call call = rating->calls.items[i];

			rating->calls.items[i] = rating->calls.items[count];
			rating->calls.items[count++] = call;
		}
	if (count)
		qsort(rating->calls.items, count, sizeof(struct rated_call), outer_first);
	return count;
}

unsigned rating_request(struct rating *rating, uint64_t request, int64_t start, int64_t end)
{
	size_t count = sort_calls(rating, request);
	struct graph *graph;

	if (count == 0)
		return rating->requests;
	graph = graph_of(rating, count, start, end);
	if (graph_check(graph) == 0) {
		rate(rating, graph);
		rating->requests++;
	}
	graph_free(graph);
	forget_calls(rating, count);
	return rating->requests;
}

static int most_first(const struct rated *a, const struct rated *b)
{
	int order = share_compare(b->sum, a->sum);

	return order ? order : strcmp(a->name, b->name);
}

void rating_best(struct rating *rating, struct rated_names *names)
{
	names->most = rating->most;
	HASH_SORT(rating->names, most_first);
	for (const struct rated *rated = rating->names; rated && names->list.count < rating->most + RATING_SPARE; rated = rated->hh.next)
		if (!rated->excluded && !share_is_zero(rated->sum))
			*ARRAY_ADD(&names->list) = memory_text(rated->name, strlen(rated->name));
}
