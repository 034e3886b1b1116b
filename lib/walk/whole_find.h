/*
 * whole_find: look-ups in a whole graph that whole_ready() has sorted: the segments of a thread, the edges that arrive, the gaps.
 */
#ifndef WALK_WHOLE_FIND_H
#define WALK_WHOLE_FIND_H

#include "walk/whole.h"

/* The segments of a thread, in the order of time. */
const uint32_t *whole_segments(const struct whole *whole, uint32_t thread, size_t *count);
uint32_t whole_find(const struct whole *whole, int32_t tid, uint64_t n);     /* the segment TID#N; NUMBER_NONE: none */
size_t whole_first(const struct whole *whole, uint32_t thread, int64_t ts);  /* index in whole_segments() of the first that ends after ts */
uint32_t whole_at(const struct whole *whole, uint32_t thread, int64_t ts);   /* the segment at ts; NUMBER_NONE: none */


/* Of all threads that had the thread's tid, the first that has a segment in the interval; if none has, the thread itself. */
uint32_t whole_thread_then(const struct whole *whole, uint32_t thread, int64_t from, int64_t to);

uint32_t whole_after(const struct whole *whole, uint32_t segment); /* the thread's next segment; NUMBER_NONE: none */

/* The counts of a segment, by word. */
const struct whole_count *whole_counts_of(const struct whole_counts *counts, uint32_t segment, size_t *count);

/* The wait that a segment came out of: the segment before, not counting those that end at a boundary; NUMBER_NONE: none is known. */
uint32_t whole_origin(const struct whole *whole, uint32_t segment);

/*
 * The edges that arrive at a segment, by time; and the edge that ended its wait: the last strong one, or, if the user added any, the last of
 * those; NULL: none.
 */
const struct whole_edge *whole_arriving(const struct whole *whole, uint32_t segment, size_t *count);
const struct whole_edge *whole_ender(const struct whole *whole, uint32_t segment);

/* An edge of a segment by the number that `show` gives it, from 1: first those that arrive, then those that leave. NULL: it has fewer. */
const struct whole_edge *whole_edge_numbered(const struct whole *whole, uint32_t segment, size_t number);

/* Tells whether events were lost between these times. */
bool whole_lost(const struct whole *whole, int64_t from, int64_t to);

#endif
