/* rank_entry: one line of a ranking. Private to ranking.c and ranking_total.c. */
#ifndef BLAME_RANK_ENTRY_H
#define BLAME_RANK_ENTRY_H

#include "blame/ranking.h"

struct rank_entry {
	const struct deed *deed;
	const char *label;	  /* of the instance with the most blame; NULL: made of `node` */
	int32_t tid, who_tid, whom_tid; /* of that instance */
	uint32_t samples, in_function;	/* likewise; see graph/deed.h */
	const char *counters;		/* likewise; NULL: none */
	int64_t counted;
	uint32_t turn;		  /* of an algorithm that chooses in turns: sorts before the score; else 0 */
	struct share score;
	struct share best;	  /* that instance's blame */
	int32_t node;		  /* that instance; NODE_NONE in the total */
	bool on_path;		  /* any of the instances is */
	uint64_t instances;	  /* in the total: graphs in which it was blamed */
	double waited;		  /* in the total: its share of the waiting, in seconds */
};

/* The whole that a score is a part of. */
struct rank_whole {
	const struct graph *graph; /* NULL: the total */
	uint64_t duration;	   /* nanoseconds */
	double waited;		   /* of the total: seconds */
};

struct rank_list {
	ARRAY(struct rank_entry) list;
};

/* By turn; deeds without doubt first; highest score; the recording pipe's own deeds behind others; then as deed_compare(). */
void rank_sort(struct rank_list *ranks);

/* Writes the first `count` entries as blame records. -1 after fail(). */
int rank_write(const struct rank_list *ranks, size_t count, const struct rank_whole *whole,
	       const struct ranking_options *options, struct stream *stream);

/* Adds the ranks of a graph to the total. Their scores are parts of `duration` (ns). */
void ranking_total_add(struct ranking_total *total, const struct rank_list *ranks, const struct graph *graph,
		       uint64_t duration);

#endif
