/*
 * rag: request activity graphs out of the functions that were traced: who called whom, on the same thread or through
 * another. Private to lib/calls.
 *
 * Made at the end of a window, in three steps from what struct wake remembers: the entries and returns of functions
 * become calls, nested by thread; calls that nest in none are linked to the call that made their thread or woke it;
 * and where a call slept until one that it had started so woke it, it waited for that one, or for several.
 */
#ifndef CALLS_RAG_H
#define CALLS_RAG_H

#include "wake/core.h"
#include "stream/line.h"

enum call_flag {
	CALL_ASYNC_CHILD = 1, /* of a call on another thread */
	CALL_NO_START = 2,    /* its entry is not in the data */
	CALL_NO_END = 4,      /* nor its return, though it is over */
	CALL_WOKE = 8,	      /* ended a sleep of the wait at hand */
};

struct rag_call {
	int64_t start, end;	      /* TIME_NONE: not yet over */
	int64_t answered;	      /* when it last woke one that waited for it; TIME_NONE */
	int64_t seen;		      /* when it is last known to have gone on, as long as it is not over */
	int64_t wait_start, wait_end; /* when its parent first waited for it alone, if it is asynchronous; else TIME_NONE */
	int64_t depth; /* where on the stack; 0: not known */
	int32_t thread;
	int32_t caller;	     /* in which it nests on its thread: index of a call; INDEX_NONE */
	int32_t parent;	     /* who made it: its caller, or a call of another thread; INDEX_NONE */
	int32_t awaiter;     /* the call that waited for it last, if it is asynchronous: of one run with its parent; INDEX_NONE */
	int32_t child, next; /* its first asynchronous child that it may wait for; the next one of its parent's; by start */
	int16_t function;    /* index of its name */
	uint8_t flags;
};

struct rag_join { /* a call waited for several; or for one that another call of its run had made, or again */
	int32_t parent;
	bool all;	     /* it went on after the last of them; else after the first */
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

/* rag_call.c */
struct rag *rag_new(struct wake *wake);
void rag_free(struct rag *rag);

/* Whether its caller made it. */
bool rag_nested(const struct rag_call *call);

/* The innermost call whose run, on the same thread, both are part of, or are. INDEX_NONE: they are of different runs. */
int32_t rag_common(const struct rag *rag, int32_t a, int32_t b);

/* The innermost call that a thread was in, and the last one that it had begun, over or not. INDEX_NONE: none. */
int32_t rag_call_at(const struct rag *rag, int32_t thread, int64_t ts);
int32_t rag_call_before(const struct rag *rag, int32_t thread, int64_t ts);

/* Whether the thread entered a function at or after `from` and before `to`. */
bool rag_entered(const struct rag *rag, int32_t thread, int64_t from, int64_t to);

/* rag_link.c: the second and third step */
void rag_link(struct rag *rag);

/* Then, once: ends of calls whose returns are lost. This one had not ended before `ts`; INDEX_NONE: nothing is known of any. */
void rag_witness(struct rag *rag, int32_t running, int64_t ts);

/* rag_graph.c: what the functions of a `chart` record are called. Returns 0. */
int rag_chart(struct wake *wake, const struct fields *fields);

/*
 * The graph of the request that the call is part of which a thread (by tid) began at `from`, and which went on until `to` at
 * least, and of all that came of it. NULL: there is none, it took no time, or only one function is in the data.
 */
struct graph *rag_graph(struct wake *wake, int32_t tid, int64_t from, int64_t to);

#endif
