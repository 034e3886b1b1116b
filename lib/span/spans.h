/*
 * spans: requests through services, as the services reported them. Keeps spans until all have come, then writes them tree by tree, as
 * `span` records and as a request activity graph of each tree (span/tree.h).
 *
 * A span is identified by its trace and id. Its parent may come later, or from another file. If a client and a server share one id (as
 * with Zipkin's libraries), the server's span is the client's child. A span whose parent never comes is the root of a tree.
 *
 *	struct spans *spans = spans_new();
 *	spans_add(spans, &told)			for each
 *	spans_write(spans, stream)		trees by start
 *	spans_counts(spans)			numbers for messages
 *	spans_free(spans)
 */
#ifndef SPAN_SPANS_H
#define SPAN_SPANS_H

#include <stdbool.h>
#include <stdint.h>

#include "span/thread_activity.h"
#include "stream/stream.h"

enum span_kind { SPAN_UNKNOWN, SPAN_INTERNAL, SPAN_SERVER, SPAN_CLIENT, SPAN_PRODUCER, SPAN_CONSUMER, SPAN_KINDS };

/* The kind of a name such as "server"; SPAN_UNKNOWN: there is no such kind. */
enum span_kind span_kind_of(const char *name);

#define SPAN_WIDTH_UNKNOWN INT64_MAX
#define SPAN_BYTES_UNKNOWN UINT64_MAX

/* A span as its source tells it. The caller owns the texts; NULL: unknown. */
struct span_told {
	const char *trace; /* NULL: there are no traces; ids are unique among all spans */
	const char *id;
	const char *parent;	/* the parent's id, in the same trace */
	const char *name, *service, *host, *peer, *error;
	int64_t pid; /* 0: not told */
	int64_t start, end; /* ns; end >= start */
	enum span_kind kind;
	bool follows; /* the parent caused it, but did not wait for it */
	/* of spans that were found in events: */
	int32_t tid; /* 0: not found */
	bool found;  /* the span was found in events: the fields below count */
	bool sure;   /* it is certain what caused it, or that nothing in the data did */
	uint64_t candidates; /* if not sure: how many spans may have caused it */
	uint64_t bytes_in, bytes_out; /* SPAN_BYTES_UNKNOWN: several spans share the bytes */
	bool message;	     /* its parent left it in a queue, and goes on without an answer */
	const char *at;	     /* of a message: the address at which it came in */
	int64_t left, sent;  /* of a message: when its parent left it in the queue, and when it was sent; TIME_NONE: unknown */
	bool behind;	     /* until `taken`, requests before it were served: that time is theirs */
	int64_t taken;	     /* from start until then it was in a queue */
	int32_t host_number; /* for sources of activities */
	bool queue_own;	     /* only the thread could have taken it out of the queue */
	int64_t own_until;   /* from taken until then the thread worked only on this request; TIME_NONE: unknown */
	int64_t width;	     /* how far the host's clock may be off from those of other hosts, ns; SPAN_WIDTH_UNKNOWN */
};

struct spans;

struct spans *spans_new(void);
void spans_free(struct spans *spans);

/* Copies the span; cuts texts at 255 bytes, except ids and traces. */
void spans_add(struct spans *spans, const struct span_told *told);

/* Sets the sources of what threads did during requests: an array of ACTIVITY_SOURCES, which must outlive the spans. */
void spans_activity_sources(struct spans *spans, const struct activity_source *sources);

/* Writes all spans; call it once. 0; -1 after fail(). */
int spans_write(struct spans *spans, struct stream *stream);

struct spans_counts {
	uint64_t all;	   /* kept */
	uint64_t twice;	   /* left out: the same span came before */
	uint64_t clashing; /* left out: another span of the trace has the id */
	/* after spans_write() */
	uint64_t trees;
	uint64_t orphans;  /* their parents did not come */
	uint64_t circular; /* in no tree: they are their own ancestors, or descend from such a span */
	uint64_t outside;  /* have no time in common with their parents, which are assumed not to have waited */
	uint64_t late;	   /* in no graph: they began after the root's span, or ended before it */
};
const struct spans_counts *spans_counts(const struct spans *spans);

#endif
