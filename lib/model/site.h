/*
 * site: where and when the records were made.
 *
 * For the current stream it knows the host, the clock, and the names of devices, threads and processes. For all streams, one after the
 * other, it knows the hosts and the time that they cover. In a stream of several hosts, each host counts as a stream of its own.
 *
 *	struct site *site = site_new(stream);
 *	site_stream(site, fields);		a `stream` record: another stream begins
 *	site_see(site, ts);			a record of this time came
 *	site_stream_over(site);
 *	site_free(site);
 */
#ifndef MODEL_SITE_H
#define MODEL_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "event/event.h"
#include "model/clock.h"
#include "model/process_table.h"
#include "stream/stream.h"

enum { SITE_HOSTS = 16 };

enum { SITE_WITHIN = 1 << 14 }; /* threads that were in a call when the trace began; further ones are ignored */

struct site_within {
	int32_t tid;
	int64_t ts; /* when the trace began */
};

/* Everyone may read it; only site.c writes it. */
struct site {
	/* the current host of the current stream */
	size_t number;	     /* of the host, from 0 */
	bool is_of_several;  /* the stream is of several hosts */
	bool has_stream;     /* a stream record came */
	char *host, *kernel; /* "": not given */
	uint64_t cpus;	     /* of the machine; 0: unknown */
	struct clock clock;
	struct events *events; /* names of devices and threads */
	struct process_table *who;       /* processes */

	/* all streams */
	ARRAY(char *) hosts; /* each once, at most SITE_HOSTS */
	bool more_hosts;     /* there were others */
	bool has_wall;	     /* a stream had a wall clock: streams without one do not count in the times */
	struct times seen;   /* Unix time if has_wall, else trace time */

	/* private */
	struct times over;	    /* of streams that are over */
	struct times data, watched; /* of the current stream; watched: Unix times of the collector's run */
	ARRAY(struct site_within) within; /* of the current stream */
	ARRAY(struct site *) others; /* hosts of the stream, by number; the entry of the current host is stale */
};

struct site *site_new(struct stream *stream);
void site_free(struct site *site);

/* In a stream of several hosts: site_add_host() adds a host and returns its number; site_enter() makes a host current. The first has number 0. */
size_t site_add_host(struct site *site, struct stream *stream);
void site_enter(struct site *site, size_t number);

/* Takes a `stream` record, which begins a stream. Returns 0; -1 after fail(). */
int site_stream(struct site *site, const struct fields *fields);
void site_stream_over(struct site *site);

/* Take the time of a record, and the Unix times between which a collector ran. */
void site_see(struct site *site, int64_t ts);
void site_watch(struct site *site, int64_t from, int64_t to);

/* Takes a `traced` record. Returns 0 or 1; -1 after fail(). */
int site_traced(struct site *site, const struct fields *fields);

/* Tells whether the thread's wait, which starts at `start` in the data, really began before the trace, and so took longer than the data show. */
bool site_is_within(const struct site *site, int32_t tid, int64_t start);

/* Adds the current host to the hosts. */
void site_see_host(struct site *site);

/* Tells whether times of the current stream are comparable with those of the earlier streams. */
bool site_is_dated(const struct site *site);

/* The span of time that was watched or, for streams that do not tell that, the span of the data: Unix time if has_wall. False: unknown. */
bool site_span(const struct site *site, int64_t *first, int64_t *last);

/* Tells whether site_span() goes beyond one day, in UTC. */
bool site_has_days(const struct site *site);

#endif
