/* A series keeps its highest points, its counts and its order, however many points come. */
#include <assert.h>
#include <stdlib.h>

#include "report/series.h"

enum { POINTS = 1000000, SPIKE = 777777 };

int main(void)
{
	struct series series = {0};
	uint64_t values = 0;
	double highest = 0;
	size_t i;

	for (i = 0; i < POINTS; i++)
		series_add(&series, &(struct bucket){.at = i, .count = 3, .median = 1, .greatest = i == SPIKE ? 9 : 2});
	assert(series.count <= SERIES_MAX);
	assert(series.count > SERIES_MAX / 4);
	for (i = 0; i < series.count; i++) {
		values += series.items[i].count;
		highest = series.items[i].greatest > highest ? series.items[i].greatest : highest;
		assert(series.items[i].median > 0.999 && series.items[i].median < 1.001);
		assert(i == 0 || series.items[i].at > series.items[i - 1].at);
		assert(series.items[i].greatest < 9 || series.items[i].at == SPIKE);
	}
	assert(values == 3 * (uint64_t)POINTS);
	assert(highest == 9);
	free(series.items);
	return 0;
}
