#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/worst.h"

static int by_lost(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x > y ? -1 : x < y;
}

struct worst worst_of(const void *items, size_t size, size_t offset, size_t count)
{
	struct worst worst = {-INFINITY, SIZE_MAX};
	double *lost;

	if (count <= WORST_SHOWN)
		return worst;
	lost = memory_new(count, sizeof(*lost));
	for (size_t i = 0; i < count; i++)
		memcpy(&lost[i], (const char *)items + i * size + offset, sizeof(*lost));
	qsort(lost, count, sizeof(*lost), by_lost);
	worst = (struct worst){lost[WORST_SHOWN - 1], WORST_SHOWN};
	for (size_t i = 0; i < WORST_SHOWN; i++)
		worst.equal -= lost[i] > worst.least;
	free(lost);
	return worst;
}

bool worst_takes(struct worst *worst, double lost)
{
	if (lost > worst->least)
		return true;
	if (lost < worst->least || worst->equal == 0)
		return false;
	worst->equal--;
	return true;
}
