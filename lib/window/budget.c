#include "window/budget.h"

enum { SLICES = 4 }; /* a slice is at most this part of the room; entries of the ring have heads, too */

/* The bytes that may pass now, out of `all` so far. */
static uint64_t budget_left(const struct budget *budget, uint64_t all)
{
	double may = (double)budget->burst + budget->share * (double)all;

	if (budget->share >= 1)
		return UINT64_MAX;
	return may > (double)budget->passed ? (uint64_t)may - budget->passed : 0;
}

bool budget_affords(const struct budget *budget, uint64_t all, uint64_t kept)
{
	uint64_t left = budget_left(budget, all), most = budget->room + kept;

	return left >= most && left - most >= budget->room;
}

bool budget_is_short(const struct budget *budget, uint64_t all)
{
	return budget_left(budget, all) < budget->room;
}

uint64_t budget_slice(const struct budget *budget, uint64_t all)
{
	uint64_t half = budget_left(budget, all) / 2, most = budget->room / SLICES;

	return half < most ? half : most;
}

bool budget_slice_is_due(const struct budget *budget, uint64_t all, uint64_t behind)
{
	uint64_t slice = budget_slice(budget, all), most = budget->room / SLICES;
	uint64_t usual = most < BUDGET_SLICE ? most : BUDGET_SLICE;

	return slice >= usual / 4 && behind >= (slice >= usual ? slice : 2 * most);
}
