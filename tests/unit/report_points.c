/* The highest points, the counts and the order stay, however many points come. */
#include <assert.h>
#include <stdlib.h>

#include "report/points.h"

enum { ALL = 1000000, SPIKE = 777777 };

int main(void)
{
	struct points points = {0};
	uint64_t values = 0;
	double highest = 0;
	size_t i;

	for (i = 0; i < ALL; i++)
		points_add(&points, &(struct bucket){.at = i, .count = 3, .median = 1, .greatest = i == SPIKE ? 9 : 2});
	assert(points.count <= POINTS_MAX);
	assert(points.count > POINTS_MAX / 4);
	for (i = 0; i < points.count; i++) {
		values += points.items[i].count;
		highest = points.items[i].greatest > highest ? points.items[i].greatest : highest;
		assert(points.items[i].median > 0.999 && points.items[i].median < 1.001);
		assert(i == 0 || points.items[i].at > points.items[i - 1].at);
		assert(points.items[i].greatest < 9 || points.items[i].at == SPIKE);
	}
	assert(values == 3 * (uint64_t)ALL);
	assert(highest == 9);
	free(points.items);
	return 0;
}
