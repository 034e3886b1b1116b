/*
 * graph_index: the private part of a graph: its texts and deeds, the nodes by id, the edges and children by node, and, while
 * the graph is being read, the ids that its records mention. Private to graph.c, graph_check.c and graph_reader.c.
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
	UT_hash_handle hh; /* by deed->key */
};

struct graph_id {
	int64_t id;
	int32_t node;
	UT_hash_handle hh;
};

/* A node that a record mentions by id; resolved when all nodes are there. */
struct graph_mention {
	int32_t node; /* index of the node whose record it is; of root and target: see below */
	int64_t id;
	uint64_t place; /* of the record, see stream_place() */
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

	/* False while the id of each node i is the id of node 0 plus i. Then the index follows from the id, and the table of ids stays empty. */
	bool scattered;
	struct graph_id *ids;

	/* After graph_check(): the edges to node i are at first_edge[i] up to, but not including, first_edge[i + 1]; likewise its children. */
	uint32_t *first_edge, *first_child;
	int32_t *children;

	ARRAY(struct graph_mention) parents;
	ARRAY(struct edge_mention) edges;
	struct graph_mention root, target; /* node: 1 if the graph's record has the key, else 0 */
	uint64_t first_place, place;	   /* places of the graph's first record, and of the record at hand */
	uint64_t fault;			   /* place of the record that is wrong; 0: not known */
};

/* 0 if the node's own times make sense; -1 after fail(). */
int graph_check_node(const struct graph *graph, const struct node *node);

#endif
