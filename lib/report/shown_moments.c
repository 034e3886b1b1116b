#include "report/shown_moments.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int by_lost(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x > y ? -1 : x < y;
}

struct shown_moments shown_moments_of(const void *items, size_t size, size_t offset, size_t count)
{
	struct shown_moments shown = {-INFINITY, SIZE_MAX};
	double *lost;

	if (count <= SHOWN_MOMENTS)
		return shown;
	lost = memory_new(count, sizeof(*lost));
	for (size_t i = 0; i < count; i++)
		memcpy(&lost[i], (const char *)items + i * size + offset, sizeof(*lost));
	qsort(lost, count, sizeof(*lost), by_lost);
	shown = (struct shown_moments){lost[SHOWN_MOMENTS - 1], SHOWN_MOMENTS};
	for (size_t i = 0; i < SHOWN_MOMENTS; i++)
		shown.equal -= lost[i] > shown.least;
	free(lost);
	return shown;
}

bool shown_moments_takes(struct shown_moments *shown, double lost)
{
	if (lost > shown->least)
		return true;
	if (lost < shown->least || shown->equal == 0)
		return false;
	shown->equal--;
	return true;
}
