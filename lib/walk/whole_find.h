/*
 * whole_find: what is where in a whole graph that whole_ready() has sorted: the segments of a thread, the edges that arrive, the gaps.
 */
#ifndef WALK_WHOLE_FIND_H
#define WALK_WHOLE_FIND_H

#include "walk/whole.h"

/* The segments of a thread, in the order of time; those of a tid's threads stand one behind the other. */
const uint32_t *whole_segments(const struct whole *whole, uint32_t thread, size_t *count);
uint32_t whole_find(const struct whole *whole, int32_t tid, uint64_t n);     /* TID#N; NUMBER_NONE */
size_t whole_first(const struct whole *whole, uint32_t thread, int64_t ts);  /* index of the first of these that ends behind ts */
uint32_t whole_at(const struct whole *whole, uint32_t thread, int64_t ts);   /* the segment there; NUMBER_NONE */


/* Of the threads that had a thread's tid one after the other, the one that did something in the interval; else the thread itself. */
uint32_t whole_thread_then(const struct whole *whole, uint32_t thread, int64_t from, int64_t to);

uint32_t whole_after(const struct whole *whole, uint32_t segment); /* the next of its thread; NUMBER_NONE */

/* The counts of a segment, by word. */
const struct whole_count *whole_counts_of(const struct whole_counts *counts, uint32_t segment, size_t *count);

/* The wait that a segment came out of: the one before, but for boundaries in between; NUMBER_NONE: none is known. */
uint32_t whole_origin(const struct whole *whole, uint32_t segment);

/*
 * The edges that arrive at a segment, by time; and what ended its wait: the last that is strong, of those that the user added, if there are any;
 * NULL: none.
 */
const struct whole_edge *whole_arriving(const struct whole *whole, uint32_t segment, size_t *count);
const struct whole_edge *whole_ender(const struct whole *whole, uint32_t segment);

/* The edges of a segment, as `show` numbers them, from 1 on: those that arrive, and then those that leave. NULL: it has fewer. */
const struct whole_edge *whole_edge_numbered(const struct whole *whole, uint32_t segment, size_t number);

/* Tells whether events were lost between these times. */
bool whole_lost(const struct whole *whole, int64_t from, int64_t to);

#endif
