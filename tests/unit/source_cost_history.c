/* The cost of the last seconds is known, however often the collector looks. */
#include <assert.h>
#include <stddef.h>

#include "source/cost_history.h"

enum { SECOND = 1000000000 };
static const int64_t period = 10ll * SECOND;

/* Looks so far apart: when the first of them has one before it, and how much older that is at most from then on. */
static void look_every(int64_t apart, int64_t *first, int64_t *oldest)
{
	struct cost_history history = {.count = 0};
	const struct cost_sums *before;

	*first = *oldest = 0;
	for (int64_t at = 5; at < 100ll * SECOND; at += apart) {
		struct cost_sums now = {.at = at};

		if (!cost_history_is_due(&history, at, period))
			continue;
		cost_history_add(&history, &now, period);
		before = cost_history_before(&history, period);
		if (before && !*first)
			*first = at - 5;
		if (before && at - before->at > *oldest)
			*oldest = at - before->at;
	}
}

int main(void)
{
	static const int64_t aparts[] = {SECOND / 100, SECOND / 3, SECOND, 3ll * SECOND / 2, 3ll * SECOND, 9ll * SECOND, 20ll * SECOND};

	for (size_t i = 0; i < sizeof(aparts) / sizeof(aparts[0]); i++) {
		int64_t first, oldest;

		look_every(aparts[i], &first, &oldest);
		assert(first >= period && first < period + aparts[i] + SECOND);
		assert(oldest >= period && oldest < period + aparts[i] + SECOND);
	}
	return 0;
}
