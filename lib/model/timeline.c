#include "model/timeline.h"

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

void timeline_add(struct timeline *timeline, const struct bucket *bucket)
{
	size_t i;

	if (timeline->count == TIMELINE_MAX) {
		for (i = 0; i < TIMELINE_MAX / 2; i++)
			timeline->items[i] = merged(&timeline->items[2 * i], &timeline->items[2 * i + 1]);
		timeline->count = TIMELINE_MAX / 2;
	}
	*ARRAY_ADD(timeline) = *bucket;
}
