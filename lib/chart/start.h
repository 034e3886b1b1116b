/*
 * start: an interval that began and has not ended yet, as far as the data tell. A table (chart/pair.h) makes it, and links it until it is
 * handed out: because it has ended, was pushed out, or was taken. Whoever receives it releases it.
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
	START_OPEN,	/* its age has not passed the limit, as far as is known */
	START_SUSPECT,	/* its age passed the limit; no signal yet */
	START_REPORTED, /* it was due, so a signal says that it is still open, unless that is doubted; its window waits for its end */
	START_RELEASED, /* the same, and its window waits no more */
};

struct start {
	struct sample sample; /* the caller's, except key and start */
	enum start_state state;
	uint32_t ended_before; /* the caller's: its series' `ended` when it began */
	int64_t due; /* the caller's: when a suspect is to be looked at again */
	char *shown; /* what its sample's `whole` points to; start_release() frees it */
	bool for_cpu; /* the caller's: it waits for a CPU */
	bool doubted; /* the caller's: it was due, but its end may be unseen, so no signal says that it is open */
	bool unheard; /* the caller's: doubted because a CPU was silent until its context was given up */
	bool no_try : 1; /* the caller's: its call cannot fail because somebody else holds what it asks for */
	bool told : 1; /* the caller's: a signal said that the wait that it ends was open; see polled.h */
	int cpu; /* the caller's: the CPU that the wake-up chose; -1: not known */
	union {
		int64_t depth;	  /* the caller's, of a function's call: where on the stack it is; 0: not known */
		struct silence silence; /* the caller's, of a turn or a wait for an answer */
	};
	struct start *before, *after; /* the caller's list: of its series, of suspects, or of reported starts */
	/* private */
	struct pair_table *table;
	struct pair_slot *slot;
	struct start *prev, *next; /* starts of a slot with other ranges */
	struct start *behind;	   /* the start with the same key that takes its place when it ends */
	struct start *older, *newer; /* of all tables, by age */
	int64_t to;		   /* of a range: where it ends */
	struct ranges lacks;	   /* the part of its range that has not ended; empty: all of it */
	int same; /* of the first start of its key: how many starts have that key; else 0 */
};

/* The chart of its table. */
struct active_chart *start_chart(const struct start *start);

/* Tells whether it is a range. */
bool start_is_range(const struct start *start);

/* The next newer start of all tables; NULL: it is the newest. */
struct start *start_newer(const struct start *start);

/* Takes it out of its table: it is then handed out. */
void start_take(struct start *start);

/* Gives back a start that was handed out. */
void start_release(struct start *start);

#endif
