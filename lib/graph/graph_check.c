#include "graph/graph_index.h"

#include <stdlib.h>

#include "base/fail.h"

int graph_check_node(const struct graph *graph, const struct node *node)
{
	long long id = node->id;

	if (node->end < node->start)
		return fail("graph %s: node %lld ends before it starts", graph->id, id);
	if ((node->wait_start == TIME_NONE) != (node->wait_end == TIME_NONE))
		return fail("graph %s: node %lld has only one of wait_start and wait_end", graph->id, id);
	if (node->wait_end < node->wait_start)
		return fail("graph %s: the wait for node %lld ends before it starts", graph->id, id);
	return 0;
}

/* Of a graph that was read: notes the place of the record that gave the node its parent. */
static void find_fault(const struct graph *graph, int32_t node)
{
	for (size_t i = 0; i < graph->index->parents.count; i++)
		if (graph->index->parents.items[i].node == node)
			graph->index->fault = graph->index->parents.items[i].place;
}

enum { UNSEEN, CLIMBING, CLEARED };

/* Climbs from a node to the first ancestor seen before. If this same climb has seen that ancestor, the parents form a circle. */
static int check_ancestors(const struct graph *graph, int32_t node, uint8_t *state)
{
	const struct node *nodes = graph->nodes.items;
	int32_t i;

	for (i = node; i != NODE_NONE && state[i] == UNSEEN; i = nodes[i].parent)
		state[i] = CLIMBING;
	if (i != NODE_NONE && state[i] == CLIMBING) {
		find_fault(graph, i);
		return fail("graph %s: node %lld is its own %s", graph->id, (long long)nodes[i].id,
			    nodes[i].parent == i ? "parent" : "ancestor");
	}
	for (i = node; i != NODE_NONE && state[i] == CLIMBING; i = nodes[i].parent)
		state[i] = CLEARED;
	return 0;
}

static int check_parents(const struct graph *graph)
{
	uint8_t *state = memory_new(graph->nodes.count + 1, 1);
	int status = 0;

	for (size_t i = 0; i < graph->nodes.count && !status; i++)
		status = check_ancestors(graph, i, state);
	free(state);
	return status;
}

static int check_edges(const struct graph *graph)
{
	for (size_t i = 0; i < graph->edges.count; i++) {
		const struct edge *edge = &graph->edges.items[i];
		const struct node *to = &graph->nodes.items[edge->to];

		if (edge->kind == EDGE_JOIN && to->join == JOIN_NONE) {
			/* before the first sort, edges are in the order in which they were read */
			if (i < graph->index->edges.count)
				graph->index->fault = graph->index->edges.items[i].place;
			return fail("graph %s: node %lld is awaited by node %lld, which is no join", graph->id,
				    (long long)graph->nodes.items[edge->from].id, (long long)to->id);
		}
	}
	return 0;
}

static int compare_edges(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	return (a->from > b->from) - (a->from < b->from);
}

/* Turns the counts of items per node into the places where each node's items begin in an array sorted by node. */
static uint32_t *places(uint32_t *counts, size_t nodes)
{
	uint32_t sum = 0;

	for (size_t i = 0; i <= nodes; i++) {
		uint32_t count = counts[i];

		counts[i] = sum;
		sum += count;
	}
	return counts;
}

static void index_edges(struct graph *graph)
{
	uint32_t *counts = memory_new(graph->nodes.count + 1, sizeof(*counts));

	if (graph->edges.count)
		qsort(graph->edges.items, graph->edges.count, sizeof(*graph->edges.items), compare_edges);
	for (size_t i = 0; i < graph->edges.count; i++)
		counts[graph->edges.items[i].to]++;
	free(graph->index->first_edge);
	graph->index->first_edge = places(counts, graph->nodes.count);
}

static int compare_ids(const void *left, const void *right, void *context)
{
	const struct node *nodes = context;
	int64_t a = nodes[*(const int32_t *)left].id, b = nodes[*(const int32_t *)right].id;

	return (a > b) - (a < b);
}

static int32_t *nodes_by_id(const struct graph *graph)
{
	int32_t *order = memory_new(graph->nodes.count + 1, sizeof(*order));

	for (size_t i = 0; i < graph->nodes.count; i++)
		order[i] = i;
	if (graph->index->scattered)
		qsort_r(order, graph->nodes.count, sizeof(*order), compare_ids, graph->nodes.items);
	return order;
}

static void index_children(struct graph *graph)
{
	struct graph_index *index = graph->index;
	size_t count = graph->nodes.count;
	uint32_t *first = memory_new(count + 1, sizeof(*first));
	uint32_t *next = memory_new(count + 1, sizeof(*next));
	int32_t *order = nodes_by_id(graph);

	free(index->first_child);
	free(index->children);
	index->children = memory_new(count + 1, sizeof(*index->children));
	for (size_t i = 0; i < count; i++)
		if (graph->nodes.items[i].parent != NODE_NONE)
			first[graph->nodes.items[i].parent]++;
	index->first_child = places(first, count);
	for (size_t i = 0; i < count; i++)
		next[i] = first[i];
	for (size_t i = 0; i < count; i++) {
		int32_t parent = graph->nodes.items[order[i]].parent;

		if (parent != NODE_NONE)
			index->children[next[parent]++] = order[i];
	}
	free(next);
	free(order);
}

int graph_check(struct graph *graph)
{
	for (size_t i = 0; i < graph->nodes.count; i++)
		if (graph_check_node(graph, &graph->nodes.items[i]) < 0)
			return -1;
	if (check_parents(graph) < 0 || check_edges(graph) < 0)
		return -1;
	index_edges(graph);
	index_children(graph);
	return 0;
}
