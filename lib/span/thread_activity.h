/*
 * thread_activity: what a thread did during a request, piece by piece, as a source tells it: the states of the thread (span/lanes.h), or its wake
 * graph (blame/thread_past.h). The pieces become nodes below the span's node, so that a ranking ends in a cause.
 */
#ifndef SPAN_THREAD_ACTIVITY_H
#define SPAN_THREAD_ACTIVITY_H

#include "base/memory.h"
#include "graph/graph.h"

struct thread_activity {
	int64_t from, to;
	const char *name;	   /* what the thread did; NULL: see node */
	const struct node *node; /* of a wake graph */
};

struct thread_activities {
	ARRAY(struct thread_activity) items;
};

/*
 * A source: tell() adds what the host's thread did in [from, to), in order of the pieces' beginnings. The pieces need not cover all of the time.
 * Texts and nodes are valid until the next call.
 */
struct activity_source {
	void (*tell)(void *context, int host, int32_t tid, int64_t from, int64_t to, struct thread_activities *activities); /* NULL: no source */
	void *context;
};

/* For times of which the first source tells nothing, the second is asked: first who held the thread up, then what it did. */
enum { ACTIVITY_SOURCES = 2 };

#endif
