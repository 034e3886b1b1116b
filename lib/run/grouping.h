/*
 * grouping: groups runs by performance into fast and slow ones.
 *
 *	grouping = grouping_make(table, &options);	NULL after fail(): there are no runs, or runs of several jobs
 *	grouping_write(grouping, stream);		`cluster` and `label` records
 *	grouping_free(grouping);
 *
 * Runs are grouped by their values, nodes by their medians. A group of fewer than 3 runs (2 nodes) is odd, and the rest is grouped anew. Groups
 * exist if the silhouette is at least 0.75 and the median of the slowest group is at least 1.5 times that of the fastest.
 */
#ifndef RUN_GROUPING_H
#define RUN_GROUPING_H

#include "run/run_table.h"

struct grouping_options {
	const char *metric; /* "elapsed", "exit", a feature, or the quotient of two: A/B */
	const char *unit;   /* "run", "node"; NULL: runs, or nodes if runs form no groups */
	const char *job;    /* NULL: there is only one job */
};

struct grouping;

/* Makes the table keep only the features that the metric needs. */
void grouping_want(const struct grouping_options *options, struct run_table *table);

struct grouping *grouping_make(const struct run_table *table, const struct grouping_options *options);
void grouping_free(struct grouping *grouping);

/* Returns 0; -1 after fail(). */
int grouping_write(const struct grouping *grouping, struct stream *stream);

/* Tells whether groups exist; the class of the run at an index in the table (NULL: none); and the result in words. */
bool grouping_exists(const struct grouping *grouping);
const char *grouping_class(const struct grouping *grouping, size_t row);
const char *grouping_words(const struct grouping *grouping);

/* The number of runs that were left out; *why is a sentence about them, "" if there are none. */
size_t grouping_left(const struct grouping *grouping, const char **why);

#endif
