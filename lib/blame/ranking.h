/*
 * ranking: from chosen nodes to ranked names, of one graph and over all graphs; and the records that say it.
 *
 * In a request activity graph a name's score is the highest of its chosen instances, and all names are listed. In a wake
 * graph it is their sum, for the pieces of a thread are pieces of one story, and the `count` names with the most are
 * listed. Nodes without blame are not listed. Order: score, most first, then name (by bytes). With `instances` the nodes
 * are listed one by one instead: score, then earlier start, then lower id.
 */
#ifndef BLAME_RANKING_H
#define BLAME_RANKING_H

#include "blame/algorithm.h"
#include "stream/stream.h"

struct ranking_options {
	const struct blame_algorithm *algorithm;
	size_t count;	/* n; at least 1 */
	bool instances;
};

/* The total over all graphs: a name's score is the sum of its scores; it is listed if among the `count` highest. */
struct ranking_total;
struct ranking_total *ranking_total_new(void);
void ranking_total_free(struct ranking_total *total);

/*
 * Ranks a graph that passed graph_check, writes the nodes that the walk had to add, the path and the blame records, and
 * adds to the total. -1 after fail(): the output failed.
 */
int ranking_graph(struct graph *graph, const struct ranking_options *options, struct ranking_total *total,
		  struct stream *stream);

/* Writes blame records with graph=total, if there was a graph of a window, or more than one. -1 after fail(). */
int ranking_total_write(struct ranking_total *total, const struct ranking_options *options, struct stream *stream);

#endif
