/*
 * overhead: how many events were read and kept, the CPU time of tailblame itself, and the events that its collector shed to bound that.
 */
#ifndef MODEL_OVERHEAD_H
#define MODEL_OVERHEAD_H

#include "model/site.h"

/* A load that the collector shed. */
struct shed {
	int64_t at;
	struct clock clock;
	char *what, *name; /* as in the record; "" where not given */
	double cost, limit; /* shares of all CPUs; NAN where not given */
};

enum { OVERHEAD_SHEDS = 16 };

/* All zero to begin with. Everyone may read it; only overhead.c writes it. */
struct overhead {
	/* events */
	bool has_read, has_kept;
	uint64_t read, kept; /* use filtered where no collector tells `read` */
	uint64_t filtered;   /* what the filter read */
	uint64_t seen;	     /* what the one or the other read: of each stream the greater number */

	/* time and bytes */
	ARRAY(char *) stages; /* the commands that told what they used */
	double cpu, setup;    /* seconds of their CPU time; setup: before they began */
	double ran;	      /* seconds that were collected; 0: not live */
	double capacity;      /* CPU seconds that the machines had in these seconds */
	uint64_t watched_cpus; /* of the last machine */
	bool unlike;	      /* not all machines had as many */
	uint64_t bytes, most; /* of events, by the command that saw most: before the stream at hand; in it */

	ARRAY(struct shed) sheds; /* the first, and of more than OVERHEAD_SHEDS the newest as the last */
	uint64_t all_sheds;

	/* private */
	uint64_t read_before, filtered_before, seen_before; /* in streams that are over */
	bool was_filtered;	  /* the stream at hand, as far as told */
	uint64_t kept_before;	  /* what the filter before the last one kept of it */
};

/* Takes a `usage` or `shed` record. -1 after fail(). */
int overhead_take(struct overhead *overhead, struct site *site, enum kind kind, const struct fields *fields);

void overhead_stream_over(struct overhead *overhead);
void overhead_free(struct overhead *overhead); /* what it holds */

/* The CPU time of the stages in a sentence; NULL: nothing ran live. And what was shed, when and why. The caller frees them. */
char *overhead_words(const struct overhead *overhead);
char *shed_words(const struct shed *shed);

#endif
