/*
 * thread_activity: what a thread did in the time of a request, one piece behind the other, as somebody who knows tells it: the states of the thread
 * (span/lanes.h), or its wake graph (blame/thread_past.h). They become nodes below the span's, so that a ranking ends in a cause.
 */
#ifndef SPAN_THREAD_ACTIVITY_H
#define SPAN_THREAD_ACTIVITY_H

#include "base/memory.h"
#include "graph/graph.h"

struct thread_activity {
	int64_t from, to;
	const char *name;	   /* what the thread did; NULL: the node tells it */
	const struct node *node; /* of a wake graph */
};

struct thread_activities {
	ARRAY(struct thread_activity) items;
};

/*
 * Adds what the host's thread did in [from, to), in order of their beginnings; not all of the time needs to be told of. Texts and nodes are
 * valid until the next call.
 */
struct activity_source {
	void (*tell)(void *context, int host, int32_t tid, int64_t from, int64_t to, struct thread_activities *activities); /* NULL: nobody knows */
	void *context;
};

/* Where the first tells nothing, the second is asked: who held the thread up, and then what it did. */
enum { ACTIVITY_SOURCES = 2 };

#endif
