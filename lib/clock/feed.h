/*
 * feed: reads the stream of a host that is to be merged with others (clock/merge.h, clock/live.h).
 *
 * A function gets each record as text, with events spelled, because each host has formats of its own; and the record's place, by which records are
 * ordered: the newest time of the host's events so far, shifted if its clock was set back (span/clock_steps.h). The feed drops records that are
 * about one stream alone. Records about connections go to the flows, too.
 *
 *	struct feed *feed = feed_open("web1=web1.tb", -1, taken, context);
 *	feed_run(feed)			until it returns 0: all is read
 *	feed_close(feed)			closes its stream; what was learnt from it stays
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
	char *name; /* the host's: the given one, else the stream's, else the file's */
	struct flows *flows;
	struct clock_steps *clock_steps;
	int64_t first_event, last_event; /* places; first > last: none */
	int64_t newest;			 /* the newest time of an event or a tick */
	char *about;			 /* keys of its `stream` record: " kernel=... cpus=2"; NULL: it has none */
	char *clock, *wall;
	bool by_arrival; /* if no bytes went both ways, the host is placed by when its records come: see clock/live.h */
	struct line waits; /* calls that wait for several descriptors, if the stream has their event formats: "poll,select" */
	bool begun;	   /* a record came */
	bool more;	   /* feed_run() left records of a descriptor unread that are there already */
	bool incomplete;
	uint64_t lost;
	/* private */
	struct stream *stream;
	struct events *events;
	struct line line;
	bool named;
	bool pauses;   /* it reads a descriptor, a turn at a time */
	unsigned left; /* records until the end of the turn */
	feed_taker *take;
	void *context;
};

/* The file in an operand: "NAME=FILE" gives the host another name than its stream has. */
char *feed_file(const char *operand);

/* Opens "FILE" or "NAME=FILE", or takes the descriptor (-1: none), on which reads do not wait. The operand must outlive it. NULL after fail(). */
struct feed *feed_open(const char *operand, int fd, feed_taker *take, void *context);
void feed_free(struct feed *feed);

/* Reads a file to its end; from a descriptor, at most what is there. 1: there may be more later; 0: all is read; -1 after fail(). */
int feed_run(struct feed *feed);

/* Closes the stream. 0; -1 after fail(). */
int feed_close(struct feed *feed);

#endif
