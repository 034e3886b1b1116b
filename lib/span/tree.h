/*
 * tree: the request activity graph of one tree of spans. Private to lib/span.
 *
 * A node is a span, called "SERVICE: OPERATION" with `*` for numbers and ids in it, clipped to its parent's time. Spans do not tell
 * when a parent waited. It is taken to have waited for the child that ended last, from that child's start on; before that, for the
 * child that ended last until then; and so on. It did not wait for a child that FOLLOWS_FROM it, or that has no time in common with
 * it: such a child is asynchronous, and clipped to the root's time.
 *
 * Between a client's span and the server's that it called lies the network. It is a node of the client's length that the client
 * waits for, whose children the client's are: so the time that no server's span covers is the network's, not the client's. The time that a
 * request was in a server's queue before it was read is a node as well. Below both are nodes of what the server's thread did meanwhile, where that is
 * told (span/thread_activity.h); of very many, those that lasted longest. Of several requests that were read together each begins where the one
 * before it ends.
 */
#ifndef SPAN_TREE_H
#define SPAN_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph/graph.h"
#include "span/spans.h"

enum { SPAN_NONE = -1 };

struct kept_span {
	char *key;	       /* "TRACE", NUL, "ID"; "" where there are no traces */
	size_t key_length;
	const char *id;	       /* in key */
	char *parent_id;       /* NULL: none told */
	const char *name, *service, *host, *peer, *at, *error; /* interned; NULL: not told */
	int64_t start, end, pid;
	int32_t parent, child, next; /* indexes, once all are linked: the first child, the parent's next child; SPAN_NONE */
	int32_t twin;		     /* the server's span of the same id; SPAN_NONE */
	uint8_t kind;
	bool follows, orphan, found, sure, behind, message;
	int32_t tid;
	uint64_t candidates, bytes_in, bytes_out;
	int64_t taken, width, own_until, left, sent; /* see spans.h */
	int32_t host_number;
	bool queue_own;
};

/* The tree's graph. NULL: its root took no time. Adds to the counts of spans outside and late. `sources`: NULL: none. */
struct graph *tree_graph(const struct kept_span *spans, int32_t root, const char *id, const struct activity_source *sources,
			 struct spans_counts *counts);

/*
 * The graph of the messages that the root, a span, left in queues, and of what came of them: from the first that it left to the last that arrived. Each
 * is a node called "network: SERVICE to SERVICE at ADDRESS", below which are the time in the sender's queue, in the reader's, and the span. NULL: they took no time.
 */
struct graph *tree_messages_graph(const struct kept_span *spans, int32_t root, const char *id, const struct activity_source *sources,
				  struct spans_counts *counts);

#endif
