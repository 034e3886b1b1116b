/*
 * query: questions to a history file, answered in rows. Null is no value: it is in no answer, but takes its share of time.
 *
 * Each returns 0; -1 after fail().
 */
#ifndef STATE_QUERY_H
#define STATE_QUERY_H

#include "state/history_read.h"
#include "state/rows.h"

/* The values of attributes at a time within the history, its end included: path, value. */
int query_at(struct history_file *file, int64_t ts, const char *glob, struct rows *rows);

/*
 * The intervals of from..to, clipped to it: from, to, path, value. With `points` above 0, an attribute that has more intervals gets that
 * number of equal buckets, each with the value that it was for most of the time, the earlier one of two; equal neighbours join.
 */
int query_range(struct history_file *file, int64_t from, int64_t to, const char *glob, uint64_t points, struct rows *rows);

/*
 * For each value, over all attributes together: count of intervals in from..to, total time, its share of the time of all these attributes; and
 * minimum, median, 99th percentile (nearest rank) and maximum of an interval. By total, falling.
 */
int query_stats(struct history_file *file, int64_t from, int64_t to, const char *glob, struct rows *rows);

int query_paths(struct history_file *file, const char *glob, struct rows *rows); /* path */
int query_views(const struct history_file *file, struct rows *rows);		 /* kind, path, title */

/* "5.25", "@1790000000.5" or "15:43:07.2", as state-query(1) says. */
int query_time(const struct history_file *file, const char *text, int64_t *ts);

/* The wall-clock time of the trace clock's zero, ns; INT64_MIN: it is not known. */
int64_t query_wall(const struct history_file *file);

#endif
