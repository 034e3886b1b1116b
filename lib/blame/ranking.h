/*
 * ranking: from chosen nodes to ranked deeds (graph/deed.h), of one graph and over all graphs; writes them as records.
 *
 * In a request activity graph a method's score is the highest score of its chosen instances, and all methods are listed. In a
 * wake graph a deed's score is the sum over its chosen nodes, because the pieces of a thread are pieces of one story. The threads of a pool
 * (graph/deed_family.h) are one deed, unless one of them did half of it. The `count` deeds with the highest scores are listed. Nodes
 * without blame are not listed. Order: highest score first, then name (by bytes). With `instances` the nodes are listed one by one
 * instead: by score, then earlier start, then lower id.
 */
#ifndef BLAME_RANKING_H
#define BLAME_RANKING_H

#include "blame/algorithm.h"
#include "event/event.h"
#include "stream/stream.h"

struct ranking_options {
	const struct blame_algorithm *algorithm;
	const struct blame_algorithm *of_thrown; /* the same for graphs of exceptions (thrown=yes) */
	size_t count;	/* n; at least 1 */
	bool instances;
	const struct events *events; /* tells each thread's process; NULL: processes are unknown, and there are no pools */
};

/*
 * The total over all graphs of the first graph's kind. A deed's score is the sum of its scores; the `count` highest are listed.
 * Deeds of one family (graph/deed_family.h) are one. Graphs of requests that a trigger logged do not count, nor do graphs of exceptions that are
 * ranked by another algorithm. A graph of which the recording pipe itself takes half the time or more says little about the machine: such graphs
 * count only if there are no others.
 *
 * The total also has each deed's impact. Successive graphs of one window are a moment; so is a graph without
 * window. A deed's share in a moment is the sum of its scores there, as a part of the time of the moment's graphs. The
 * moment's waiting is the waiting of all signals of its window (ranking_total.c), or, if there are no signals, the time of its graphs.
 * A deed's impact is the sum over all moments of share times waiting, as a part of all waiting in the stream,
 * including signals without a graph. So the graphs of a window speak for all its signals, and no deed gets the waiting that no graph
 * explains.
 */
struct ranking_total;

/*
 * Called when a moment is over, with the deeds blamed in it. Deeds of one family (graph/deed_family.h) are one share, with the deed
 * that they have in common so far. Deeds are valid during the call.
 */
struct moment_share {
	const struct deed *family;
	struct deed *deed;
	double share;
};
typedef void moment_sink(void *context, enum graph_kind kind, const struct moment_share *shares, size_t count);

struct ranking_total *ranking_total_new(moment_sink *sink, void *context); /* sink: may be NULL */
void ranking_total_free(struct ranking_total *total);

/* Take every signal and window record of the stream. -1 after fail(): a time or tid is malformed. */
int ranking_total_signal(struct ranking_total *total, const struct fields *fields);
void ranking_total_window(struct ranking_total *total, const struct fields *fields);

/*
 * Ranks a graph that passed graph_check(), writes the nodes that the walk had to add, the path and the blame records,
 * and adds to the total. Skips a request activity graph without nodes. -1 after fail(): the algorithm cannot rank this graph, or
 * the output failed.
 */
int ranking_graph(struct graph *graph, const struct ranking_options *options, struct ranking_total *total,
		  struct stream *stream);

/* Writes blame records with graph=total, if any graph had a window, or there was more than one graph. -1 after fail(). */
int ranking_total_write(struct ranking_total *total, const struct ranking_options *options, struct stream *stream);

#endif
