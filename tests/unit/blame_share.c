/* Shares: sums of fractions that are equal compare equal, however they were cut. */
#include <assert.h>
#include <stdlib.h>

#include "blame/share.h"

static struct reciprocals reciprocals;

static struct share sum_of(uint64_t duration, uint32_t sharers, uint32_t times)
{
	struct share sum = {0};

	for (uint32_t i = 0; i < times; i++)
		sum = share_plus(sum, share_of(&reciprocals, duration, sharers));
	return sum;
}

static void check_equal_sums(void)
{
	struct share unit = share_whole(1), sum;

	for (uint32_t sharers = 1; sharers < 2000; sharers++)
		assert(share_compare(sum_of(1, sharers, sharers), unit) == 0);
	sum = share_plus(share_of(&reciprocals, 1, 2), share_of(&reciprocals, 1, 3));
	assert(share_compare(share_plus(sum, share_of(&reciprocals, 1, 6)), unit) == 0);
	assert(share_compare(share_minus(unit, share_of(&reciprocals, 1, 7)), sum_of(1, 7, 6)) == 0);
	assert(share_is_zero(share_minus(unit, sum_of(1, 7, 7))));
}

static void check_order(void)
{
	/* neighbours that a double cannot tell apart: 10^18/3 ns and one part in 10^19 more */
	struct share third = share_of(&reciprocals, UINT64_C(1000000000000000000), 3);
	struct share more = share_plus(third, share_of(&reciprocals, 1, 1000000));

	assert(share_compare(third, more) < 0);
	assert(share_compare(more, third) > 0);
	assert(share_compare(share_whole((UINT64_C(1) << 61) - 1), (struct share){0}) > 0); /* the prime itself */
	assert(!share_is_zero(share_whole((UINT64_C(1) << 61) - 1)));
}

static void check_spelling(void)
{
	assert(share_round(share_of(&reciprocals, 1, 2)) == 1);
	assert(share_round(share_of(&reciprocals, 1, 3)) == 0);
	assert(share_round(share_plus(share_of(&reciprocals, 1, 3), share_of(&reciprocals, 1, 6))) == 1);
	assert(share_round(share_whole(UINT64_MAX)) == INT64_MAX);
	assert(share_millionths(share_of(&reciprocals, 10, 3), 10) == 333333);
	assert(share_millionths(share_of(&reciprocals, 10, 6), 10) == 166667);
	assert(share_millionths(share_whole(UINT64_MAX), UINT64_MAX) == 1000000);
	assert(share_millionths(share_whole(1), 0) == 0);
}

int main(void)
{
	check_equal_sums();
	check_order();
	check_spelling();
	free(reciprocals.of.items);
	return 0;
}
