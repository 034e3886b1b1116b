/* The graph model: ids in and out of order, interned names, indexes after a check, what a check refuses, and the words of every deed. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "graph/deed_family.h"
#include "graph/graph.h"

static struct graph *graph_of(const int64_t *ids, int count)
{
	struct graph *graph = graph_new(GRAPH_RAG, "1");

	for (int i = 0; i < count; i++)
		assert(graph_named_node(graph, ids[i], i % 2 ? "odd" : "even") == i);
	return graph;
}

static void check_ids(const int64_t *ids, int count)
{
	struct graph *graph = graph_of(ids, count);

	for (int i = 0; i < count; i++) {
		assert(graph_find(graph, ids[i]) == i);
		assert(graph_named_node(graph, ids[i], "again") == -1);
	}
	assert(graph_find(graph, INT64_MIN) == NODE_NONE);
	assert(graph->nodes.items[0].deed == graph->nodes.items[2].deed);
	assert(graph->nodes.items[0].deed != graph->nodes.items[1].deed);
	graph_free(graph);
}

static void check_indexes(void)
{
	struct graph *graph = graph_of((int64_t[]){30, 10, 20, 40}, 4);
	const struct edge *edges;
	const int32_t *children;
	size_t count;

	for (int i = 1; i < 4; i++)
		graph->nodes.items[i].parent = 0;
	graph_edge(graph, 3, 0, EDGE_SEQ, TIME_NONE);
	graph_edge(graph, 1, 0, EDGE_WAKE, 7);
	graph_edge(graph, 2, 0, EDGE_WAKE, 5);
	assert(graph_check(graph) == 0);
	children = graph_children(graph, 0, &count);
	assert(count == 3 && children[0] == 1 && children[1] == 2 && children[2] == 3);
	graph_children(graph, 1, &count);
	assert(count == 0);
	edges = graph_arriving(graph, 0, &count);
	assert(count == 3 && edges[0].from == 2 && edges[1].from == 1 && edges[2].kind == EDGE_SEQ);
	assert(graph_named_node(graph, 50, "late") == 4 && graph_check(graph) == 0); /* checked again after it grew */
	graph_arriving(graph, 4, &count);
	assert(count == 0);
	graph_free(graph);
}

static void refuse(struct graph *graph, const char *reason)
{
	assert(graph_check(graph) == -1);
	assert(strstr(fail_text(), reason));
	graph_free(graph);
}

static void check_refusals(void)
{
	const int64_t ids[] = {1, 2, 3};
	struct graph *graph = graph_of(ids, 3);

	graph->nodes.items[1].end = -1;
	refuse(graph, "node 2 ends before it starts");
	graph = graph_of(ids, 3);
	graph->nodes.items[0].parent = 2;
	graph->nodes.items[2].parent = 1;
	graph->nodes.items[1].parent = 2;
	refuse(graph, "is its own ancestor");
	graph = graph_of(ids, 3);
	graph_edge(graph, 0, 2, EDGE_JOIN, TIME_NONE);
	refuse(graph, "node 1 is awaited by node 3, which is no join");
}

static void check_words(void)
{
	for (enum deed_kind kind = DEED_TEXT + 1; kind < DEEDS; kind++) {
		struct deed *deed = deed_copy(&(struct deed){.kind = kind, .cpu = CPU_NONE});

		assert(strstr(deed->name, ": "));
		free(deed);
	}
}

/* The ranked deed of a family may have lost all keys of its deeds but the function. */
static void check_families(void)
{
	struct graph *graph = graph_new(GRAPH_WAKE, "1");
	struct deed hold = {.kind = DEED_HOLD_CPU, .cpu = 1, .who = "xz", .whom = "redis", .function = "compress"}, ranked = hold;
	const struct deed *deed = graph_deed(graph, &hold);

	ranked.cpu = CPU_NONE;
	ranked.whom = NULL;
	assert(deed_covers(graph_deed(graph, &ranked), deed));
	ranked.who = "gzip";
	assert(!deed_covers(graph_deed(graph, &ranked), deed));
	graph_free(graph);
}

int main(void)
{
	check_ids((int64_t[]){0, 1, 2, 3}, 4);
	check_ids((int64_t[]){7, 8, 9, 100, 10}, 5);
	check_ids((int64_t[]){INT64_MAX, 0, -5, INT64_MAX - 1}, 4);
	check_indexes();
	check_refusals();
	check_words();
	check_families();
	return 0;
}
