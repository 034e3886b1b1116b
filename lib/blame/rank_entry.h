/* rank_entry: one line of a ranking. Private to ranking.c and ranking_total.c. */
#ifndef BLAME_RANK_ENTRY_H
#define BLAME_RANK_ENTRY_H

#include "blame/ranking.h"

struct rank_entry {
	const struct deed *deed;
	const char *label;	  /* of the instance with the most blame; NULL: by its node */
	int32_t tid, who_tid, whom_tid; /* of that instance */
	uint32_t samples, in_function;	/* likewise; see graph/deed.h */
	const char *counters;		/* likewise; NULL: none */
	int64_t counted;
	uint32_t turn;		  /* of an algorithm that chooses in turns: goes before the score; else 0 */
	struct share score;
	struct share best;	  /* that instance's blame */
	int32_t node;		  /* that instance; NODE_NONE in the total */
	bool on_path;		  /* any of the instances */
	uint64_t instances;
	double waited;		  /* in the total: the waiting that goes back to it, in seconds */
};

/* The whole that scores are parts of. */
struct rank_whole {
	const struct graph *graph; /* NULL: the total */
	uint64_t duration;	   /* nanoseconds */
	double waited;		   /* of the total: seconds */
};

struct rank_list {
	ARRAY(struct rank_entry) list;
};

/* Turn; score, most first; others before the pipe itself; then the deed, by its name. */
void rank_sort(struct rank_list *ranks);

/* Writes the first `count` as blame records. -1 after fail(). */
int rank_write(const struct rank_list *ranks, size_t count, const struct rank_whole *whole,
	       const struct ranking_options *options, struct stream *stream);

/* The scores of this graph are parts of the duration. */
void ranking_total_add(struct ranking_total *total, const struct rank_list *ranks, const struct graph *graph,
		       uint64_t duration);

#endif
