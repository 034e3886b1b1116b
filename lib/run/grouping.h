/*
 * grouping: groups runs by performance: which are fast, which slow.
 *
 *	grouping = grouping_make(table, &options);	NULL after fail(): there are no runs, or of several jobs
 *	grouping_write(grouping, stream);		`cluster` and `label` records
 *	grouping_free(grouping);
 *
 * A group of fewer than 3 runs (2 nodes) is odd, and the rest is grouped anew. Groups exist if the silhouette is at least 0.75 and
 * the medians of the slowest and the fastest differ 1.5 times; if not by runs, then nodes are grouped by their medians.
 */
#ifndef RUN_GROUPING_H
#define RUN_GROUPING_H

#include "run/run_table.h"

struct grouping_options {
	const char *metric; /* "elapsed", "exit", a feature, or one by another: A/B */
	const char *unit;   /* "run", "node"; NULL: runs, and nodes if these form no groups */
	const char *job;    /* NULL: there is only one */
};

struct grouping;

/* So that the table keeps no features but those that the metric needs. */
void grouping_want(const struct grouping_options *options, struct run_table *table);

struct grouping *grouping_make(const struct run_table *table, const struct grouping_options *options);
void grouping_free(struct grouping *grouping);

/* 0; -1 after fail(). */
int grouping_write(const struct grouping *grouping, struct stream *stream);

/* Tells whether groups exist; a run's class by its index in the table, NULL: it has none; and what was found, in words. */
bool grouping_exists(const struct grouping *grouping);
const char *grouping_class(const struct grouping *grouping, size_t row);
const char *grouping_words(const struct grouping *grouping);

/* How many runs were left out; *why is a sentence, "" if none was. */
size_t grouping_left(const struct grouping *grouping, const char **why);

#endif
