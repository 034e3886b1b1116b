/*
 * rag: request activity graphs of traced functions: which call made which, on the same thread or another. Private to
 * lib/calls.
 *
 * A graph is made at the end of a window, from struct wake, in three steps. First, entries and returns of functions become calls, nested by
 * thread. Second, a call becomes the child of the call that handed over what it works on (a `handoff` record), no matter who woke its thread;
 * if there is none, and the call nests in no other, of the call that created or woke its thread. Third, a call that slept until such a child
 * woke it waited for this child, or for several.
 *
 * A run is an outermost call with all calls nested in it.
 */
#ifndef CALLS_RAG_H
#define CALLS_RAG_H

#include "wake/core.h"
#include "stream/fields.h"

enum call_flag {
	CALL_ASYNC_CHILD = 1, /* it is the asynchronous child of another call */
	CALL_NO_START = 2,    /* its entry is not in the data */
	CALL_NO_END = 4,      /* it is over, but its return is not in the data */
	CALL_WOKE = 8,	      /* it ended a sleep of the current wait */
};

struct rag_call {
	int64_t start, end;	      /* TIME_NONE: not yet over */
	int64_t answered;	      /* when it last woke a call that waited for it; TIME_NONE */
	int64_t seen;		      /* latest time at which it is known to run, while it is not over */
	int64_t wait_start, wait_end; /* if it is asynchronous: its parent's first wait for it alone; else TIME_NONE */
	int64_t depth; /* stack pointer; 0: unknown */
	int32_t thread;
	int32_t caller;	     /* the call around it on its thread: index of a call; INDEX_NONE */
	int32_t parent;	     /* the call that made it: its caller, or a call of another thread; INDEX_NONE */
	int32_t giver;	     /* the call that handed over what it works on, by a `handoff` record; INDEX_NONE */
	int32_t awaiter;     /* if it is asynchronous: the last call that waited for it, in the same run as its parent; INDEX_NONE */
	int32_t child, next; /* its first asynchronous child that it may wait for; its parent's next child; by start */
	int16_t function;    /* index of its name */
	uint8_t flags;
};

struct rag_join { /* a call waited for several calls, or for one call again, or for one that another call of its run had made */
	int32_t parent;
	bool all;	     /* the parent went on after the last of them; else after the first */
	int64_t wait_start, wait_end;
	size_t first, count; /* in rag.members */
};

struct rag_thread {
	ARRAY(int32_t) calls; /* in order of their starts */
	ARRAY(int32_t) open;  /* outermost first */
	int64_t last; /* time of its last entry or return; TIME_NONE */
};

struct rag {
	struct wake *wake;
	struct rag_thread *threads; /* by index of the thread */
	ARRAY(struct rag_call) calls;
	ARRAY(struct rag_join) joins;
	ARRAY(int32_t) members;
};

/* Makes the calls of the window, and links them. */
struct rag *rag_new(struct wake *wake);
void rag_free(struct rag *rag);

/* Tells whether the call is synchronous: its parent is the call around it. */
bool rag_nested(const struct rag_call *call);

/* The innermost call that contains or equals both, which are then on one thread. INDEX_NONE: none does. */
int32_t rag_common(const struct rag *rag, int32_t a, int32_t b);

/* Ends calls whose returns are lost; call it once. `running` is a call that had not ended before `ts`; INDEX_NONE: none is known. */
void rag_witness(struct rag *rag, int32_t running, int64_t ts);

/* Learns the names of the functions in a `chart` record (rag_graph.c). Returns 0. */
int rag_chart(struct wake *wake, const struct fields *fields);

/*
 * The graph of the request that contains the call that thread `tid` began at `from`, and that lasted at least until `to`.
 * NULL: there is no such call, the request took no time, or the data have only one function.
 */
struct graph *rag_graph(struct wake *wake, int32_t tid, int64_t from, int64_t to);

#endif
