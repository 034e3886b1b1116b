/* Lines between clocks are found however far the clocks are apart, or not at all. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "clock/feasible.h"

enum { COUNT = 4 };

/* Messages of both directions, 1,000 ns long, between clocks that are `apart`. */
static size_t find(int64_t first, int64_t apart, struct clock_line **lines)
{
	struct bound bounds[COUNT];

	for (int i = 0; i < COUNT; i++) {
		int64_t x = first + i * INT64_C(1000000);

		bounds[i] = (struct bound){x, (int64_t)((uint64_t)x + (uint64_t)apart) + (i % 2 ? 1000 : -1000), i % 2};
	}
	return feasible_lines(bounds, COUNT, first, bounds[COUNT - 1].x, lines);
}

int main(void)
{
	struct clock_line *lines;

	assert(find(5000000, 3600, &lines) == 1);
	assert(llabs(line_at(lines, 6000000) - 6003600) <= 1000 && isfinite(lines->width));
	free(lines);
	/* -9e18 and 9e18 are further apart than 64 bits can tell */
	assert(find(INT64_C(-9000000000000000000), (int64_t)UINT64_C(18000000000000000000), &lines) == 0 && !lines);
	assert(line_rounded(1e30L) == INT64_MAX && line_rounded(-1e30L) == INT64_MIN && line_rounded(2.5L) == 3);
	return 0;
}
