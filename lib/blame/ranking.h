/*
 * ranking: from chosen nodes to ranked deeds (graph/deed.h), of one graph and over all graphs; and the records that say it.
 *
 * In a request activity graph a method's score is the highest of its chosen instances, and all methods are listed. In a
 * wake graph a deed's score is their sum, because the pieces of a thread are pieces of one story; the threads of a pool
 * (graph/deed_family.h) are one if none did half of what they did together; and the `count` deeds with the most are listed. Nodes
 * without blame are not listed. Order: score, most first, then name (by bytes). With `instances` the nodes are listed one by one
 * instead: score, then earlier start, then lower id.
 */
#ifndef BLAME_RANKING_H
#define BLAME_RANKING_H

#include "blame/algorithm.h"
#include "event/event.h"
#include "stream/stream.h"

struct ranking_options {
	const struct blame_algorithm *algorithm;
	const struct blame_algorithm *of_thrown; /* the same for graphs of what was thrown */
	size_t count;	/* n; at least 1 */
	bool instances;
	const struct events *events; /* know each thread's process; NULL: processes are unknown, and there are no pools */
};

/*
 * The total over all graphs of the kind of the first one: a deed's score is the sum of its scores; it is listed if among the `count` highest.
 * Deeds of one family (graph/deed_family.h) are one. Graphs of requests that a trigger logged do not count, nor do graphs of exceptions that are
 * ranked by another algorithm. Graphs whose time is half or more the recording pipe's own say little about the machine: they count only if
 * there are no others.
 *
 * It also tells each deed's impact. Graphs of one window that follow each other are a moment, and so is a graph of no
 * window. A deed's share in a moment is the sum of its scores there, as a part of the time of the moment's graphs. The
 * moment's waiting is that of all signals of its window (ranking_total.c), or the time of its graphs where there are no
 * signals. A deed's impact is the sum of share times waiting over all moments, as a part of all waiting in the stream,
 * that of signals without a graph included. So the graphs of a window speak for all its signals, and what no graph
 * explains goes back to nobody.
 */
struct ranking_total;

/*
 * Called when a moment is over, with the deeds blamed in it; those of one family (graph/deed_family.h) are one, whose deed
 * is what they have in common so far. Deeds are valid during the call.
 */
struct moment_share {
	const struct deed *family;
	struct deed *deed;
	double share;
};
typedef void moment_sink(void *context, enum graph_kind kind, const struct moment_share *shares, size_t count);

struct ranking_total *ranking_total_new(moment_sink *sink, void *context); /* sink: may be NULL */
void ranking_total_free(struct ranking_total *total);

/* For every signal and window record of the stream. -1 after fail(): a time is malformed. */
int ranking_total_signal(struct ranking_total *total, const struct fields *fields);
void ranking_total_window(struct ranking_total *total, const struct fields *fields);

/*
 * Ranks a graph that passed graph_check, writes the nodes that the walk had to add, the path and the blame records,
 * and adds to the total. One of calls without nodes says that there is none, and does not count. -1 after fail(): the
 * output failed.
 */
int ranking_graph(struct graph *graph, const struct ranking_options *options, struct ranking_total *total,
		  struct stream *stream);

/* Writes blame records with graph=total, if there was a graph of a window, or more than one. -1 after fail(). */
int ranking_total_write(struct ranking_total *total, const struct ranking_options *options, struct stream *stream);

#endif
