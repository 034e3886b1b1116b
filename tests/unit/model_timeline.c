/* The highest points, the counts and the order stay, however many points come. */
#include <assert.h>
#include <stdlib.h>

#include "model/timeline.h"

enum { ALL = 1000000, SPIKE = 777777 };

int main(void)
{
	struct timeline timeline = {0};
	uint64_t values = 0;
	double highest = 0;
	size_t i;

	for (i = 0; i < ALL; i++)
		timeline_add(&timeline, &(struct bucket){.at = i, .count = 3, .median = 1, .greatest = i == SPIKE ? 9 : 2});
	assert(timeline.count <= TIMELINE_MAX);
	assert(timeline.count > TIMELINE_MAX / 4);
	for (i = 0; i < timeline.count; i++) {
		values += timeline.items[i].count;
		highest = timeline.items[i].greatest > highest ? timeline.items[i].greatest : highest;
		assert(timeline.items[i].median > 0.999 && timeline.items[i].median < 1.001);
		assert(i == 0 || timeline.items[i].at > timeline.items[i - 1].at);
		assert(timeline.items[i].greatest < 9 || timeline.items[i].at == SPIKE);
	}
	assert(values == 3 * (uint64_t)ALL);
	assert(highest == 9);
	free(timeline.items);
	return 0;
}
