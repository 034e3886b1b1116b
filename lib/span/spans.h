/*
 * spans: requests through services, as the services told them: spans are kept until all are there, then written tree by tree, as
 * `span` records and as a request activity graph of each tree (span/tree.h).
 *
 * A span is known by its trace and id. Its parent may come later, or from another file. Where a client and a server share one id (as
 * Zipkin's libraries have it), the server's span is the client's child. A span whose parent never comes is the root of a tree.
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

/* Of "server"; SPAN_UNKNOWN if there is no such kind. */
enum span_kind span_kind_of(const char *name);

#define SPAN_WIDTH_UNKNOWN INT64_MAX
#define SPAN_BYTES_UNKNOWN UINT64_MAX

/* A span as its source has it. Texts are the caller's; NULL: not known. */
struct span_told {
	const char *trace; /* NULL: there are no traces; ids are of all spans */
	const char *id;
	const char *parent;	/* its id, of the same trace */
	const char *name, *service, *host, *peer, *error;
	int64_t pid; /* 0: not told */
	int64_t start, end; /* ns; end >= start */
	enum span_kind kind;
	bool follows; /* the parent caused it, but did not wait for it */
	/* of spans that were found in events: */
	int32_t tid; /* 0: not found */
	bool found;  /* the rest counts */
	bool sure;   /* who caused it, or that nobody did whom the data have */
	uint64_t candidates; /* if not: how many may have */
	uint64_t bytes_in, bytes_out; /* SPAN_BYTES_UNKNOWN: one of several that share them */
	bool message;	     /* its parent left it in a queue, and goes on without an answer */
	const char *at;	     /* then: the address where it came in */
	int64_t left, sent;  /* when its parent did, and when it was taken out of the queue; TIME_NONE: not known */
	bool behind;	     /* and until `taken` those before it were served: their time is theirs */
	int64_t taken;	     /* from start until then it was in a queue */
	int32_t host_number; /* for sources of activities */
	bool queue_own;	     /* only the thread could have taken it out of the queue */
	int64_t own_until;   /* from taken until then the thread did nothing but this request; TIME_NONE: not known */
	int64_t width;	     /* how far the host's clock may be wrong beside those of other hosts, ns; SPAN_WIDTH_UNKNOWN */
};

struct spans;

struct spans *spans_new(void);
void spans_free(struct spans *spans);

/* Copies the span; texts are cut at 255 bytes, but for ids and traces. */
void spans_add(struct spans *spans, const struct span_told *told);

/* The sources of what threads did in the time of requests; ACTIVITY_SOURCES of them, which must outlive the spans. */
void spans_activity_sources(struct spans *spans, const struct activity_source *sources);

/* Writes all, once. 0; -1 after fail(). */
int spans_write(struct spans *spans, struct stream *stream);

struct spans_counts {
	uint64_t all;	   /* kept */
	uint64_t twice;	   /* left out: the same span came before */
	uint64_t clashing; /* left out: another span of the trace has the id */
	/* after spans_write() */
	uint64_t trees;
	uint64_t orphans;  /* their parents did not come */
	uint64_t circular; /* in no tree: they are their own ancestors, or come of such */
	uint64_t outside;  /* have no time in common with their parents, which are taken for not having waited */
	uint64_t late;	   /* in no graph: they began when the root's span was over, or ended before it */
};
const struct spans_counts *spans_counts(const struct spans *spans);

#endif
