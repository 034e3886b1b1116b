/* What was spent over the last seconds, however often the collector comes to look. */
#include <assert.h>
#include <stddef.h>

#include "source/spent.h"

enum { SECOND = 1000000000 };
static const int64_t period = 10ll * SECOND;

/* Looks so far apart: when the first of them has one before it, and how much older that is at most from then on. */
static void look_every(int64_t apart, int64_t *first, int64_t *oldest)
{
	struct spent_looks looks = {.count = 0};
	const struct spent *before;

	*first = *oldest = 0;
	for (int64_t at = 5; at < 100ll * SECOND; at += apart) {
		struct spent now = {.at = at};

		if (!spent_is_due(&looks, at, period))
			continue;
		spent_add(&looks, &now, period);
		before = spent_before(&looks, period);
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
