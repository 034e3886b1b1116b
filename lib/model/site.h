/*
 * site: where and when the records were made.
 *
 * Of the stream at hand it knows the host, the clock, and the names of devices, threads and processes. Of all streams, one after the
 * other, it knows the hosts and the time that they cover. In a stream of several hosts the host at hand is as a stream of its own.
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

enum { SITE_WITHIN = 1 << 14 }; /* threads that were in a call when the trace began; of more nothing is known */

struct site_within {
	int32_t tid;
	int64_t ts; /* when the trace began */
};

/* To be read by all, written by site.c only. */
struct site {
	/* the stream at hand, of this host of it */
	size_t number;	     /* of the host, from 0 */
	bool is_of_several;  /* the stream is of several hosts */
	bool has_stream;     /* a stream record came */
	char *host, *kernel; /* "" where not given */
	uint64_t cpus;	     /* of the machine; 0: not known */
	struct clock clock;
	struct events *events; /* names of devices and threads */
	struct process_table *who;       /* processes */

	/* all streams */
	ARRAY(char *) hosts; /* each once, at most SITE_HOSTS */
	bool more_hosts;     /* there were others */
	bool has_wall;	     /* a stream had a wall clock: those without do not count in the times */
	struct times seen;   /* Unix time where has_wall, else trace time */

	/* private */
	struct times over;	    /* of streams that are over */
	struct times data, watched; /* of the stream at hand; watched: Unix time of the collector's run */
	ARRAY(struct site_within) within; /* of the stream at hand */
	ARRAY(struct site *) others; /* hosts of the stream, by number; that of the host at hand is not in use */
};

struct site *site_new(struct stream *stream);
void site_free(struct site *site);

/* Another host of a stream of several: returns its number. And puts a host at hand; the first has number 0. */
size_t site_add_host(struct site *site, struct stream *stream);
void site_enter(struct site *site, size_t number);

/* Takes a `stream` record. -1 after fail(). */
int site_stream(struct site *site, const struct fields *fields);
void site_stream_over(struct site *site);

/* Takes the time of a record; and the Unix times between which a collector ran. */
void site_see(struct site *site, int64_t ts);
void site_watch(struct site *site, int64_t from, int64_t to);

/* Takes a `traced` record. -1 after fail(). */
int site_traced(struct site *site, const struct fields *fields);

/* Tells whether the thread's wait since `start` began before the trace, so that it took longer than is known. */
bool site_is_within(const struct site *site, int32_t tid, int64_t start);

/* Adds the host of the stream at hand to the hosts. */
void site_see_host(struct site *site);

/* Tells whether times of the stream at hand fit those of the streams before. */
bool site_is_dated(const struct site *site);

/* The time that was watched, or of streams that do not tell that, the time of the data: Unix time where has_wall. False: not known. */
bool site_span(const struct site *site, int64_t *first, int64_t *last);

/* Tells whether that goes beyond one day, in UTC. */
bool site_has_days(const struct site *site);

#endif
