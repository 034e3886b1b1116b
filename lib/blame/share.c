#include "blame/share.h"

#define PRIME ((UINT64_C(1) << 61) - 1)

/* A sum has at most 2^32 terms, and truncation takes at most one unit from each. */
#define CUT_OFF ((unsigned __int128)1 << 32)

static uint64_t reduce(unsigned __int128 value)
{
	uint64_t folded = (uint64_t)(value & PRIME) + (uint64_t)(value >> 61);

	/* a product of two reduced numbers is below 2^122, so both summands are below 2^61 */
	return folded >= PRIME ? folded - PRIME : folded;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
	return reduce((unsigned __int128)a * b);
}

/* 1/k = -(p div k) / (p mod k), and p mod k is smaller than k. */
static uint64_t reciprocal(struct reciprocals *reciprocals, uint32_t k)
{
	while (reciprocals->of.count <= k) {
		size_t next = reciprocals->of.count;
		uint64_t value = next;

		if (next > 1)
			value = multiply(PRIME - PRIME / next, reciprocals->of.items[PRIME % next]);
		*ARRAY_ADD(&reciprocals->of) = value;
	}
	return reciprocals->of.items[k];
}

struct share share_whole(uint64_t duration)
{
	return (struct share){.time = (unsigned __int128)duration << 64, .print = reduce(duration)};
}

struct share share_of(struct reciprocals *reciprocals, uint64_t duration, uint32_t sharers)
{
	struct share share = share_whole(duration);

	if (sharers == 1)
		return share;
	share.time /= sharers;
	share.print = multiply(share.print, reciprocal(reciprocals, sharers));
	return share;
}

struct share share_plus(struct share a, struct share b)
{
	return (struct share){.time = a.time + b.time, .print = reduce((unsigned __int128)a.print + b.print)};
}

struct share share_minus(struct share a, struct share b)
{
	return (struct share){.time = a.time - b.time, .print = reduce((unsigned __int128)a.print + (PRIME - b.print))};
}

int share_compare(struct share a, struct share b)
{
	unsigned __int128 difference = a.time > b.time ? a.time - b.time : b.time - a.time;

	if (a.print == b.print && difference < CUT_OFF)
		return 0;
	if (a.time != b.time)
		return a.time < b.time ? -1 : 1;
	return a.print < b.print ? -1 : 1;
}

bool share_is_zero(struct share a)
{
	return share_compare(a, (struct share){0}) == 0;
}

int64_t share_round(struct share a)
{
	unsigned __int128 half = (unsigned __int128)1 << 63;
	/* truncation must not turn a half into less */
	unsigned __int128 limit = ((unsigned __int128)INT64_MAX << 64) - half - CUT_OFF;

	return a.time > limit ? INT64_MAX : (int64_t)((a.time + half + CUT_OFF) >> 64);
}

uint64_t share_millionths(struct share a, uint64_t duration)
{
	unsigned __int128 whole = (unsigned __int128)duration << 32; /* in units of 2^-32 ns, to leave room for the factor */

	return duration ? (uint64_t)((((a.time + CUT_OFF) >> 32) * 1000000 + whole / 2) / whole) : 0;
}

double share_part(struct share a, uint64_t duration)
{
	return duration ? (double)a.time / 0x1p64 / (double)duration : 0;
}
