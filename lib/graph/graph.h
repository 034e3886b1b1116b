/*
 * graph: who called, woke or held up whom. One model for request activity graphs (kind=rag, nodes are executions of
 * methods) and wake graphs (kind=wake, nodes are pieces of threads, interrupts, timers, requests at devices).
 * tailblame-graph(5) says what they mean, tailblame-blame(7) how they are ranked. graph-build makes a graph of events; graph_reader
 * reads it from graph, node and edge records. The ranker sees no difference.
 *
 * Life cycle: graph_new(); graph_node() and graph_edge() in any order of ids; graph_check(); read it; graph_free().
 * graph_node() invalidates node pointers, but not node indexes. The graph owns its texts and deeds. Deeds are interned: nodes with
 * the same deed have the same pointer.
 */
#ifndef GRAPH_GRAPH_H
#define GRAPH_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "graph/deed.h"

/* The later and the earlier of two times. */
static inline int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static inline int64_t sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

enum graph_kind { GRAPH_RAG, GRAPH_WAKE };
enum node_call { CALL_SYNC, CALL_ASYNC };
enum node_join { JOIN_NONE, JOIN_ALL, JOIN_ANY };

/* What a node of a wake graph is. All nodes of a request activity graph are WHAT_METHOD. */
enum node_what {
	WHAT_METHOD,
	WHAT_RUN,      /* thread on a CPU */
	WHAT_RUNNABLE, /* thread runnable, not running; its cpu edges say who ran instead */
	WHAT_WAIT,     /* thread asleep; its wake, timer, ipc or flag edge says who ended the wait */
	WHAT_IRQ,      /* interrupt handler */
	WHAT_SOFTIRQ,
	WHAT_TIMER,    /* from when it was armed until it expired */
	WHAT_QUEUE,    /* request queued before a device; its queue edges say what was served meanwhile */
	WHAT_SERVICE,  /* request in service at a device */
	WHAT_UNKNOWN,  /* the data do not say what happened in this time */
	WHATS
};

enum edge_kind {
	EDGE_CALL, EDGE_ASYNC, EDGE_JOIN, EDGE_WAKE, EDGE_TIMER, EDGE_IPC, EDGE_FLAG,
	EDGE_SEQ,   /* from the earlier piece of a thread (or request) to the later one */
	EDGE_CPU,   /* from a run that held the CPU to the runnable piece that waited for it */
	EDGE_QUEUE, /* from a request in service to the queued one that waited behind it */
	EDGE_KINDS
};

enum { NODE_NONE = -1 };
#define TIME_NONE INT64_MIN

struct node {
	int64_t id;	   /* as in the record */
	const struct deed *deed; /* interned; DEED_TEXT: the name of a method, or of a node without deed= */
	const struct deed_detail *detail; /* NULL: none */
	const char *label; /* of DEED_TEXT; NULL: none. See words_label() */
	const char *stack; /* the functions in which it waits, or from which it wakes another: "innermost;...;outermost"; NULL: not known */
	const char *threw; /* interned: the exception that it threw; NULL: none */
	int64_t start, end;
	int64_t wait_start, wait_end; /* TIME_NONE: the parent did not wait for it */
	int32_t parent;		      /* index; NODE_NONE */
	int32_t tid;		      /* of the thread that it is a piece of; 0: none */
	int32_t who_tid, whom_tid;    /* of the threads that the deed names; 0: not known */
	uint8_t call, join, what;
};

struct edge {
	int32_t from, to; /* indexes */
	int64_t ts;	  /* TIME_NONE: not given */
	uint8_t kind;
};

struct graph {
	char *id;     /* the id= of its record: a number, or a word such as total */
	char *window, *signal, *request; /* ids of what it explains; NULL: none; owned */
	enum graph_kind kind;
	bool thrown; /* of a rag: it shows the way of an exception through the calls, not who took the time */
	int64_t from, to;
	int32_t root;	/* index; NODE_NONE: the node without parent that ended last */
	int32_t target; /* of a wake graph: index of the node at the end of the abnormal interval; NODE_NONE: none */
	char *answered; /* the thread whose request the target answered; NULL: none, or not known; owned */
	int32_t answered_tid;
	ARRAY(struct node) nodes;
	ARRAY(struct edge) edges;
	struct graph_index *index; /* private: ids, texts, edges by node */
};

struct graph *graph_new(enum graph_kind kind, const char *id);
void graph_free(struct graph *graph);

/* Adds a node with this id and a copy of the deed; returns its index; -1 after fail(): the id is taken, or there are too many nodes. */
int32_t graph_node(struct graph *graph, int64_t id, const struct deed *deed);
int32_t graph_named_node(struct graph *graph, int64_t id, const char *name); /* likewise, of DEED_TEXT */
const struct deed *graph_deed(struct graph *graph, const struct deed *deed); /* the graph's copy, whose family is the graph's as well */
void graph_detail(struct graph *graph, int32_t node, const struct deed_detail *detail); /* copies it */
const char *graph_intern(struct graph *graph, const char *text);
const char *graph_keep(struct graph *graph, char *text); /* takes ownership without interning: for labels, which are seldom equal */
int32_t graph_find(const struct graph *graph, int64_t id); /* index; NODE_NONE: no such node */
void graph_edge(struct graph *graph, int32_t from, int32_t to, enum edge_kind kind, int64_t ts);

/*
 * Makes the graph ready for use: sorts the edges by (to, kind, ts, from), and indexes edges and children. Returns -1 after fail(), which
 * names the node, if a node ends before it starts, has a wait that is backward or lacks one end, is its own ancestor, or has an edge of
 * kind join to a node that is no join. May be called again after nodes or edges were added.
 */
int graph_check(struct graph *graph);

/* After graph_check(): the edges that arrive at a node; a node's children in order of id, as indexes. Each sets *count. */
const struct edge *graph_arriving(const struct graph *graph, int32_t node, size_t *count);
const int32_t *graph_children(const struct graph *graph, int32_t node, size_t *count);

#endif
