#include "report/series.h"

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

void series_add(struct series *series, const struct bucket *bucket)
{
	size_t i;

	if (series->count == SERIES_MAX) {
		for (i = 0; i < SERIES_MAX / 2; i++)
			series->items[i] = merged(&series->items[2 * i], &series->items[2 * i + 1]);
		series->count = SERIES_MAX / 2;
	}
	*ARRAY_ADD(series) = *bucket;
}
