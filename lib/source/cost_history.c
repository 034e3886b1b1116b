#include "source/cost_history.h"

#include <string.h>

/* The least time between two looks, so that COST_HISTORY_LOOKS of them span a period. */
static int64_t apart(int64_t period)
{
	return period / (COST_HISTORY_LOOKS - 1);
}

bool cost_history_is_due(const struct cost_history *history, int64_t now, int64_t period)
{
	return history->count == 0 || now - history->looks[history->count - 1].at >= apart(period);
}

const struct cost_sums *cost_history_before(const struct cost_history *history, int64_t period)
{
	for (int i = history->count - 2; i >= 0; i--)
		if (history->looks[history->count - 1].at - history->looks[i].at >= period)
			return &history->looks[i];
	return NULL;
}

void cost_history_add(struct cost_history *history, const struct cost_sums *now, int64_t period)
{
	int old = 0;

	while (old + 1 < history->count && now->at - history->looks[old + 1].at >= period)
		old++;
	if (old == 0 && history->count == COST_HISTORY_LOOKS)
		old = 1;
	history->count -= old;
	memmove(history->looks, history->looks + old, (size_t)history->count * sizeof(*now));
	history->looks[history->count++] = *now;
}
