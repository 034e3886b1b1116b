/*
 * overhead: the number of events read and kept, the CPU time of tailblame itself, and the events that its collector shed to bound that time.
 */
#ifndef MODEL_OVERHEAD_H
#define MODEL_OVERHEAD_H

#include "model/site.h"

/* Events that the collector stopped recording. */
struct shed {
	int64_t at;
	struct clock clock;
	char *what, *name; /* as in the record; "": not given */
	double cost, limit; /* shares of all CPUs; NAN: not given */
};

enum { OVERHEAD_SHEDS = 16 };

/* All zero to begin with. Everyone may read it; only overhead.c writes it. */
struct overhead {
	/* events */
	bool has_read, has_kept;
	uint64_t read, kept; /* read: by the collector or an import; if !has_read, use `filtered` */
	uint64_t filtered;   /* events that the filter read */
	uint64_t seen;	     /* events that either read: the greater number of each stream */

	/* time and bytes */
	ARRAY(char *) stages; /* the commands that reported their usage */
	double cpu, setup;    /* their CPU time in seconds; setup: CPU seconds before they began */
	double ran;	      /* seconds that were collected; 0: not live */
	double capacity;      /* CPU seconds that the machines had in these seconds */
	uint64_t watched_cpus; /* CPUs of the last machine */
	bool unlike;	      /* the machines had different numbers of CPUs */
	uint64_t bytes, most; /* bytes of events, by the command that saw most: in earlier streams; in the current one */

	ARRAY(struct shed) sheds; /* the first ones; if there were more than OVERHEAD_SHEDS, the last item is the newest */
	uint64_t all_sheds;

	/* private */
	uint64_t read_before, filtered_before, seen_before; /* in earlier streams */
	bool was_filtered;	  /* a filter reported its usage in the current stream */
	uint64_t kept_before;	  /* events of the current stream that the last filter so far kept */
};

/* Takes a `usage` or `shed` record. Returns 0; -1 after fail(). */
int overhead_take(struct overhead *overhead, struct site *site, enum kind kind, const struct fields *fields);

void overhead_stream_over(struct overhead *overhead);
void overhead_free(struct overhead *overhead); /* frees its contents */

/* The CPU time of the stages in a sentence (NULL: nothing ran live); and what was shed, when and why. The caller frees them. */
char *overhead_words(const struct overhead *overhead);
char *shed_words(const struct shed *shed);

#endif
