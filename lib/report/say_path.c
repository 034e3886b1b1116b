/* Paths and rankings in words. */
#include <inttypes.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "report/words.h"

#define CALLS_MAX 1e9

char *words_cleaned(char *raw)
{
	char *clean = words_clean(raw);

	free(raw);
	return clean;
}

static int compare_tids(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return x < y ? -1 : x > y;
}

/* How many different threads, other than `self`, the edges of a kind come from; `*sources`: how many edges. */
static uint64_t others_behind(const struct graph *graph, int32_t index, enum edge_kind kind, uint64_t *sources)
{
	size_t count, i, n = 0;
	const struct edge *edges = graph_arriving(graph, index, &count);
	int32_t *tids = memory_new(count + 1, sizeof(*tids));
	int32_t self = graph->nodes.items[index].tid, tid;
	uint64_t others = 0;

	*sources = 0;
	for (i = 0; i < count; i++) {
		if (edges[i].kind != kind)
			continue;
		++*sources;
		tid = graph->nodes.items[edges[i].from].tid;
		if (tid != self)
			tids[n++] = tid;
	}
	qsort(tids, n, sizeof(*tids), compare_tids);
	for (i = 0; i < n; i++)
		others += tids[i] != 0 && (i == 0 || tids[i] != tids[i - 1]);
	free(tids);
	return others;
}

/* " while 9,412 requests of 319 others were served" */
static char *say_served(const struct graph *graph, int32_t index)
{
	uint64_t requests, others = others_behind(graph, index, EDGE_QUEUE, &requests);
	char *served, *whose, *words;

	if (requests == 0)
		return memory_format("%s", "");
	served = words_count(requests, "request");
	whose = words_count(others, "other");
	words = memory_format(" while %s%s%s %s served", served, others ? " of " : "", others ? whose : "",
			      requests == 1 ? "was" : "were");
	free(served);
	free(whose);
	return words;
}

char *words_meanwhile(const struct graph *graph, int32_t index)
{
	switch (graph->nodes.items[index].what) {
	case WHAT_QUEUE:
		return say_served(graph, index);
	case WHAT_RUN:
		return words_cleaned(words_circumstance(&graph->nodes.items[index]));
	default:
		return memory_format("%s", "");
	}
}

/* "318 threads", "318 threads of 2 processes"; "2 processes" where each has one. */
static char *say_crowd(uint64_t threads, uint64_t processes)
{
	char *crowd = words_count(threads, "thread"), number[NUMBER_ROOM], *words;

	if (processes < 2)
		return crowd;
	number_human_count(number, processes);
	words = memory_format("%s%s%s processes", processes == threads ? "" : crowd, processes == threads ? "" : " of ", number);
	free(crowd);
	return words;
}

char *words_culprit(const struct deed *deed, uint64_t threads, uint64_t processes)
{
	char *crowd = threads < 2 ? memory_format("%s", "") : say_crowd(threads, processes), *words;

	words = words_cleaned(words_blame(deed, crowd));
	free(crowd);
	return words;
}

char *words_score(const struct culprit *culprit)
{
	long calls = culprit->score > 0 ? lround(fmin(1 / culprit->score, CALLS_MAX)) - 1 : 0;
	char *count, *words;

	if (!culprit->timeless)
		return words_seconds(culprit->score);
	if (calls == 0)
		return memory_format("threw");
	count = words_count((uint64_t)calls, "call");
	words = memory_format("%s up", count);
	free(count);
	return words;
}
