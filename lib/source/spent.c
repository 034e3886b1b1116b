#include "source/spent.h"

#include <string.h>

/* Looks that are no closer than this: SPENT_LOOKS of them span a period, with one before it. */
static int64_t apart(int64_t period)
{
	return period / (SPENT_LOOKS - 1);
}

bool spent_is_due(const struct spent_looks *looks, int64_t now, int64_t period)
{
	return looks->count == 0 || now - looks->looks[looks->count - 1].at >= apart(period);
}

const struct spent *spent_before(const struct spent_looks *looks, int64_t period)
{
	for (int i = looks->count - 2; i >= 0; i--)
		if (looks->looks[looks->count - 1].at - looks->looks[i].at >= period)
			return &looks->looks[i];
	return NULL;
}

void spent_add(struct spent_looks *looks, const struct spent *now, int64_t period)
{
	int old = 0;

	while (old + 1 < looks->count && now->at - looks->looks[old + 1].at >= period)
		old++;
	if (old == 0 && looks->count == SPENT_LOOKS)
		old = 1;
	looks->count -= old;
	memmove(looks->looks, looks->looks + old, (size_t)looks->count * sizeof(*now));
	looks->looks[looks->count++] = *now;
}
