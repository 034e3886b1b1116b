/*
 * feed: reads the stream of a host that is to be merged with others (clock/merge.h, clock/live.h).
 *
 * Each record goes to a function as text, with events spelled, because each host has formats of its own. With it goes its place, by which the
 * records are ordered: the newest time of the host's events so far, shifted if its clock was set back (span/clock_steps.h). Records that are about one
 * stream alone are dropped. Records about connections go to the flows, too.
 *
 *	struct feed *feed = feed_open("web1=web1.tb", -1, taken, context);
 *	feed_run(feed)			until it returns 0: all is read
 *	feed_close(feed)			its stream; what was learnt of it stays
 *	feed_free(feed)
 */
#ifndef CLOCK_FEED_H
#define CLOCK_FEED_H

#include "span/flows.h"
#include "stream/stream.h"

struct held { /* the head of a record */
	int64_t place; /* INT64_MIN: before all events */
	uint32_t length;
	uint32_t kind;
};

/* Takes a record: 0; -1 after fail(). */
typedef int feed_taker(void *context, const struct held *held, const char *text);

struct feed {
	char *file;
	char *name; /* the host's: as given, as in the stream, or the file's */
	struct flows *flows;
	struct clock_steps *clock_steps;
	int64_t first_event, last_event; /* places; first > last: none */
	int64_t newest;			 /* the newest time that the stream has come to: of an event, or a tick */
	char *about;			 /* keys of its `stream` record: " kernel=... cpus=2"; NULL: it has none */
	char *clock, *wall;
	bool by_arrival; /* without bytes both ways it is placed by when its records come: see clock/live.h */
	struct line waits; /* the calls for several descriptors whose event formats the stream has: "poll,select" */
	bool begun;	   /* a record came */
	bool incomplete;
	uint64_t lost;
	/* private */
	struct stream *stream;
	struct events *events;
	struct line line;
	bool named;
	unsigned left; /* records until it pauses */
	feed_taker *take;
	void *context;
};

/* An operand's file: "NAME=FILE" gives the host another name than its stream has. */
char *feed_file(const char *operand);

/* Opens "FILE" or "NAME=FILE", or takes the descriptor (-1: none), which then does not block; the operand must outlive it. NULL after fail(). */
struct feed *feed_open(const char *operand, int fd, feed_taker *take, void *context);
void feed_free(struct feed *feed);

/* Reads all; of a descriptor what is there, or a part of that. 1: there may be more, later; 0: all is read; -1 after fail(). */
int feed_run(struct feed *feed);

/* 0; -1 after fail(). */
int feed_close(struct feed *feed);

#endif
