/*
 * ranked_moments: the moments of a stream whose graphs have no nodes, from the blame records that a ranker wrote earlier. Such a stream is an
 * excerpt of a fleet's machine (`stream` with moments=). A deed that ranked too low for a record has no share.
 *
 *	ranked = ranked_moments_new(sink, context);
 *	ranked_moments_graph(ranked, fields); ranked_moments_blame(ranked, fields);	for each record of these kinds
 *	ranked_moments_over(ranked);					at the end of each stream
 *	ranked_moments_free(ranked);
 */
#ifndef BLAME_RANKED_MOMENTS_H
#define BLAME_RANKED_MOMENTS_H

#include "blame/ranking.h"

struct ranked_moments;

/* The sink gets each moment, as in ranking.h: successive graphs of one window are one moment; only graphs of the first graph's kind count. */
struct ranked_moments *ranked_moments_new(moment_sink *sink, void *context);
void ranked_moments_free(struct ranked_moments *ranked);

/* Take a graph and a blame record. 0; -1 after fail(): a key is missing or malformed. */
int ranked_moments_graph(struct ranked_moments *ranked, const struct fields *fields);
int ranked_moments_blame(struct ranked_moments *ranked, const struct fields *fields);

void ranked_moments_over(struct ranked_moments *ranked);

#endif
