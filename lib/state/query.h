/*
 * query: questions to a history file, answered in rows. Null is no value: no answer lists it, but it takes its share of time.
 *
 * Functions that return int return 0; -1 after fail().
 */
#ifndef STATE_QUERY_H
#define STATE_QUERY_H

#include "state/history_read.h"
#include "state/rows.h"

/* Rows path, value: the values of attributes at a time within the history, its end included. */
int query_at(struct history_file *file, int64_t ts, const char *glob, struct rows *rows);

/*
 * Rows from, to, path, value: the intervals in from..to, clipped to it. With `points` above 0, an attribute with more intervals than that gets
 * `points` equal buckets. A bucket's value is the one that the attribute had longest in it, of equals the earliest; equal neighbours join.
 */
int query_range(struct history_file *file, int64_t from, int64_t to, const char *glob, uint64_t points, struct rows *rows);

/*
 * A row for each value, over all attributes together: count of intervals in from..to, total time, its share of the time of all these attributes;
 * and minimum, median, 99th percentile (nearest rank) and maximum duration of an interval. Sorted by total, largest first.
 */
int query_stats(struct history_file *file, int64_t from, int64_t to, const char *glob, struct rows *rows);

int query_paths(struct history_file *file, const char *glob, struct rows *rows); /* rows path */
int query_views(const struct history_file *file, struct rows *rows);		 /* rows kind, path, title */

/* Reads a time such as "5.25", "@1790000000.5" or "15:43:07.2" (state-query(1)). Fails if it is outside the history. */
int query_time(const struct history_file *file, const char *text, int64_t *ts);

/* The wall-clock time of trace time 0, ns since 1970; INT64_MIN: it is not known. */
int64_t query_wall(const struct history_file *file);

#endif
