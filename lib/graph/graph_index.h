/*
 * graph_index: what a graph keeps to itself: its texts, its ids, its edges and children by node, and, while it is being
 * read, the ids that its records named. Private to graph.c, graph_check.c and graph_reader.c.
 */
#ifndef GRAPH_GRAPH_INDEX_H
#define GRAPH_GRAPH_INDEX_H

#include <uthash.h>

#include "graph/graph.h"

struct graph_text {
	UT_hash_handle hh;
	char text[];
};

struct graph_deed {
	struct deed *deed;
	UT_hash_handle hh; /* by its key */
};

struct graph_id {
	int64_t id;
	int32_t node;
	UT_hash_handle hh;
};

/* A record's mention of a node by id, resolved when all nodes are there. */
struct graph_mention {
	int32_t node;
	int64_t id;
	uint64_t place; /* of the record */
};

struct edge_mention {
	int64_t from, to, ts;
	uint64_t place;
	enum edge_kind kind;
};

struct graph_index {
	struct graph_text *texts;
	ARRAY(char *) copies; /* texts that are not interned */
	struct graph_deed *deeds;
	ARRAY(struct deed_detail *) details;

	/* While node i has the id of node 0 plus i there is no table, because the ids are the indexes. */
	bool scattered;
	struct graph_id *ids;

	/* After graph_check: the edges to node i are those from first_edge[i] up to first_edge[i + 1]; so its children. */
	uint32_t *first_edge, *first_child;
	int32_t *children;

	ARRAY(struct graph_mention) parents;
	ARRAY(struct edge_mention) edges;
	struct graph_mention root, target; /* node: 0 where there is none, else 1 */
	uint64_t first_place, place;	   /* of the graph's first record, and of the one at hand */
	uint64_t fault;			   /* of the one that is wrong; 0: not known */
};

/* Tells whether a node's own times make sense; -1 after fail(). */
int graph_check_node(const struct graph *graph, const struct node *node);

#endif
