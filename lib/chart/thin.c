#include "chart/thin.h"

#include "base/number.h"
#include "chart/statistics.h"

static const int64_t first_width = 10 * (NSEC_PER_SEC / 1000);

void thin_begin(struct thin_clock *clock, int64_t now, int records)
{
	clock->records += records;
	if (!clock->width)
		clock->width = first_width;
	if (clock->records >= THIN_RECORDS && clock->width < INT64_MAX / 4) {
		clock->width *= 2;
		clock->records = 0;
	}
	clock->begin = span_add(now, -((now % clock->width + clock->width) % clock->width));
}

/* xorshift64. */
static uint64_t random_below(struct thin *thin, uint64_t bound)
{
	uint64_t x = thin->random ? thin->random : UINT64_C(88172645463325252);

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	thin->random = x;
	return x % bound;
}

void thin_add(struct thin *thin, int64_t ts, double value)
{
	uint64_t place = thin->count < THIN_KEPT ? thin->count : random_below(thin, thin->count + 1);

	if (place < THIN_KEPT)
		thin->kept[place] = value;
	if (thin->count == 0 || value > thin->max)
		thin->max = value;
	thin->last = ts;
	thin->count++;
}

double thin_median(struct thin *thin)
{
	uint64_t kept = thin->count < THIN_KEPT ? thin->count : THIN_KEPT;

	return kept > 0 ? median_sort(thin->kept, kept) : 0;
}

void thin_clear(struct thin *thin)
{
	thin->count = 0;
	thin->max = 0;
}
