/*
 * hits: how often the kernel's events come, counted by perf_event_open(2), for events that stay in rings which nobody reads.
 *
 *	hits_count(wishes)	from now on
 *	hits_of(hits, i)	so far
 *	hits_end(hits)
 *
 * While it counts, each of these events costs a little more, so it is for a second now and then.
 */
#ifndef SOURCE_HITS_H
#define SOURCE_HITS_H

#include <stddef.h>
#include <stdint.h>

#include "source/wishes.h"

struct hits;

/* Counts those events of the wishes that are on and kept. NULL after fail(): not permitted, or this kernel cannot. */
struct hits *hits_count(const struct wishes *wishes);

/* How often the event of wish number `i` has come, over all CPUs, if it passed its filter; 0 where it is not kept. */
uint64_t hits_of(const struct hits *hits, size_t i);

void hits_end(struct hits *hits); /* NULL: none */

#endif
