#include "report/points.h"

static struct bucket merged(const struct bucket *a, const struct bucket *b)
{
	const struct bucket *high = a->greatest >= b->greatest ? a : b;
	uint64_t count = a->count + b->count;

	return (struct bucket){
		.at = high->at,
		.count = count,
		.median = count ? (a->median * a->count + b->median * b->count) / count : (a->median + b->median) / 2,
		.greatest = high->greatest,
	};
}

void points_add(struct points *points, const struct bucket *bucket)
{
	size_t i;

	if (points->count == POINTS_MAX) {
		for (i = 0; i < POINTS_MAX / 2; i++)
			points->items[i] = merged(&points->items[2 * i], &points->items[2 * i + 1]);
		points->count = POINTS_MAX / 2;
	}
	*ARRAY_ADD(points) = *bucket;
}
