/*
 * points: a time series that stays small however long the run. It holds at most POINTS_MAX buckets; when it is full,
 * neighbours are merged two by two, so that an all-day run is drawn as coarsely as its picture can show anyway.
 * Buckets are kept in the order of their arrival. All zero is the empty series; free(points.items) ends it.
 */
#ifndef REPORT_POINTS_H
#define REPORT_POINTS_H

#include <stdint.h>

#include "base/memory.h"

enum { POINTS_MAX = 2048 };

struct bucket {
	int64_t at;	/* nanoseconds; where the greatest value stands after a merge */
	uint64_t count; /* values in it */
	double median;	/* after a merge: the mean of the medians, weighted by count */
	double greatest;
};

struct points {
	struct bucket *items;
	size_t count, room;
};

void points_add(struct points *points, const struct bucket *bucket);

#endif
