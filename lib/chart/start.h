/*
 * start: an interval that began and has not ended yet, as far as the data tell. A table (chart/pair.h) makes it, and links it until it is
 * handed out: because it has ended, was pushed out, or was taken. Its receiver releases it.
 */
#ifndef CHART_START_H
#define CHART_START_H

#include <stdbool.h>
#include <stdint.h>

#include "chart/silence.h"
#include "chart/sample.h"

struct active_chart;
struct pair_slot;
struct pair_table;
struct range;

struct ranges {
	struct range *first; /* NULL: nothing is left */
	int count;
};

enum start_state {
	START_OPEN,	/* its age is no cause for concern, as far as is known */
	START_SUSPECT,	/* its age passed the limit; no signal yet */
	START_REPORTED, /* a signal says that it is still open; its window waits for its end */
	START_RELEASED, /* the same, and its window waits no more */
};

struct start {
	struct sample sample; /* the caller's, but for key, start and series */
	enum start_state state;
	uint32_t ended_before; /* the caller's: what its series' `ended` was */
	int64_t due; /* the caller's: when a suspect is to be looked at again */
	char *shown; /* what its sample's `whole` points to; freed with the release */
	bool for_cpu; /* the caller's: it waits for a CPU */
	bool doubted; /* the caller's: it was due, but no signal says that it is open */
	bool unheard; /* the caller's: because a CPU was silent until its context was given up */
	bool no_try : 1; /* the caller's: it cannot fail because somebody else has what it tries to get */
	bool told : 1; /* the caller's: a signal said that the wait which it ends was open, see polled.h */
	int cpu; /* the caller's: which one the wake-up chose; -1: not known */
	union {
		int64_t depth;	  /* the caller's, of a function's call: where on the stack it is; 0: not known */
		struct silence silence; /* the caller's, of a turn or a wait for an answer */
	};
	struct start *before, *after; /* the caller's list: of its series, or of the suspects */
	/* private */
	struct pair_table *table;
	struct pair_slot *slot;
	struct start *prev, *next; /* starts of a slot with other ranges */
	struct start *behind;	   /* the start with the same key that takes its place when it ends */
	struct start *older, *newer; /* of all tables, by age */
	int64_t to;		   /* of a range: where it ends */
	struct ranges lacks;	   /* what has not ended of its range; none: all */
	int same; /* of the first of its key: how many there are; else 0 */
};

/* The chart of its table. */
struct active_chart *start_chart(const struct start *start);

/* Tells whether it is a range. */
bool start_is_range(const struct start *start);

/* Of all tables the one that began after it; NULL: it is the newest. */
struct start *start_newer(const struct start *start);

/* Takes it out of its table: it is then handed out. */
void start_take(struct start *start);

/* Gives back one that was handed out. */
void start_release(struct start *start);

#endif
