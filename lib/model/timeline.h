/*
 * timeline: a series of values in time that stays small however long the run is.
 *
 * It holds at most TIMELINE_MAX buckets. When it is full, neighbours are merged two by two: an all-day run becomes as coarse as its picture
 * would show it anyway. Buckets stay in the order of their arrival. All zero is the empty series; free(timeline.items) ends it.
 */
#ifndef MODEL_TIMELINE_H
#define MODEL_TIMELINE_H

#include <stdint.h>

#include "base/memory.h"

enum { TIMELINE_MAX = 2048 };

struct bucket {
	int64_t at;	/* nanoseconds; after a merge, the time of the greatest value */
	uint64_t count; /* values in it */
	double median;	/* after a merge: the mean of the medians, weighted by count */
	double greatest;
};

struct timeline {
	struct bucket *items;
	size_t count, room;
};

/* Appends a copy of the bucket. */
void timeline_add(struct timeline *timeline, const struct bucket *bucket);

#endif
