/*
 * told: the moments of a stream whose graphs have no nodes, by the blame records that another ranker wrote: an excerpt of a fleet's machine
 * (`stream` with moments=). A deed that was ranked too low to be written has no share.
 *
 *	told = told_new(sink, context);
 *	told_graph(told, fields); told_blame(told, fields);	for each record of these kinds
 *	told_over(told);					at the end of each stream
 *	told_free(told);
 */
#ifndef BLAME_TOLD_H
#define BLAME_TOLD_H

#include "blame/ranking.h"

struct told;

/* The sink gets each moment as that of ranking.h does: graphs of one window are one moment, and those of the first one's kind count. */
struct told *told_new(moment_sink *sink, void *context);
void told_free(struct told *told);

/* 0; -1 after fail(): a key is missing or malformed. */
int told_graph(struct told *told, const struct fields *fields);
int told_blame(struct told *told, const struct fields *fields);

void told_over(struct told *told);

#endif
