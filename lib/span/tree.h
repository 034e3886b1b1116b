/*
 * tree: the request activity graph of one tree of spans. Private to lib/span.
 *
 * A node is a span, called "SERVICE: OPERATION" with `*` for numbers and ids in it, clipped to its parent's time. Spans do not tell
 * when a parent waited. The parent is assumed to have waited for the child that ended last, from that child's start on; before that, for
 * the child that ended last until then; and so on. It did not wait for a child that FOLLOWS_FROM it, or that has no time in common with
 * it: such a child is asynchronous, and clipped to the root's time.
 *
 * The network lies between a client's span and that of the server that it called. It is a node as long as the client's, which the client
 * waits for; it has the client's children. So the time that no server's span covers is the network's, not the client's. The time that a
 * request was in a server's queue before it was read is a node as well. Below the server's node and the queue's are nodes of what the
 * server's thread did meanwhile, if that is known (span/thread_activity.h); if there are very many, those that lasted longest. If several
 * requests were read together, each begins where the one before it ends.
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
	char *key;	       /* "TRACE", NUL, "ID"; TRACE is "" if there are no traces */
	size_t key_length;
	const char *id;	       /* in key */
	char *parent_id;       /* NULL: not told */
	const char *name, *service, *host, *peer, *at, *error; /* interned; NULL: not told */
	int64_t start, end, pid;
	int32_t parent, child, next; /* indexes, set when all spans are linked: parent, first child, the parent's next child; SPAN_NONE */
	int32_t twin;		     /* the server's span with the same id; SPAN_NONE */
	uint8_t kind;
	bool follows, orphan, found, sure, behind, message;
	int32_t tid;
	uint64_t candidates, bytes_in, bytes_out;
	int64_t taken, width, own_until, left, sent; /* see spans.h */
	int32_t host_number;
	bool queue_own;
};

/* The tree's graph. NULL: its root took no time. Adds to the counts `outside` and `late`. `sources`: NULL: none. */
struct graph *tree_graph(const struct kept_span *spans, int32_t root, const char *id, const struct activity_source *sources,
			 struct spans_counts *counts);

/*
 * The graph of the messages that the root, a span, left in queues, and of the messages that these caused: from the first that it left to the
 * last that arrived. Each message is a node called "network: SERVICE to SERVICE at ADDRESS". Below it are nodes of the time in the sender's
 * queue, the time in the reader's queue, and the span. NULL: the messages took no time.
 */
struct graph *tree_messages_graph(const struct kept_span *spans, int32_t root, const char *id, const struct activity_source *sources,
				  struct spans_counts *counts);

#endif
