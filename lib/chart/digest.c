#include "chart/digest.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { SHIFT = 47, AHEAD = 16 }; /* of a double, the exponent and five bits of the mantissa stay */

void digest_forget(struct digest *digest)
{
	free(digest->bins);
	*digest = (struct digest){0};
}

/* Bin 0 has zero, negative values, and values too small to matter. */
static int bin_of(double value)
{
	uint64_t bits;

	if (!(value > 0))
		return 0;
	memcpy(&bits, &value, sizeof(bits));
	return (int)(bits >> SHIFT);
}

/* The middle of a bin. */
static double value_of(int bin)
{
	uint64_t bits = ((uint64_t)bin << SHIFT) | (UINT64_C(1) << (SHIFT - 1));
	double value;

	memcpy(&value, &bits, sizeof(value));
	return bin ? value : 0;
}

static void reach(struct digest *digest, int bin)
{
	int first = digest->room && digest->first < bin ? digest->first : bin;
	int end = digest->room && digest->first + digest->room > bin + 1 ? digest->first + digest->room : bin + 1;
	uint32_t *bins;

	if (first < digest->first)
		first = first > AHEAD ? first - AHEAD : 0;
	bins = memory_new((size_t)(end - first), sizeof(*bins));
	if (digest->room)
		memcpy(bins + digest->first - first, digest->bins, (size_t)digest->room * sizeof(*bins));
	free(digest->bins);
	digest->bins = bins;
	digest->first = first;
	digest->room = end - first;
}

static void count(struct digest *digest, double value)
{
	int bin = bin_of(value);

	if (bin < digest->first || bin >= digest->first + digest->room)
		reach(digest, bin);
	if (digest->bins[bin - digest->first] < UINT32_MAX)
		digest->bins[bin - digest->first]++;
}

/* One value needs no bins: many keys have no second. */
void digest_add(struct digest *digest, double value, int64_t ts)
{
	digest->count++;
	if (digest->count > 1) {
		if (digest->count == 2)
			count(digest, digest->max);
		count(digest, value);
	}
	if (digest->count == 1 || value > digest->max) {
		digest->max = value;
		digest->max_ts = ts;
	}
	digest->sum += value;
}

double digest_quantile(const struct digest *digest, double share)
{
	double wanted = share * (double)digest->count, seen = 0, value;

	for (int i = 0; i < digest->room; i++) {
		seen += digest->bins[i];
		if (digest->bins[i] && seen >= wanted) {
			value = value_of(digest->first + i);
			return value < digest->max ? value : digest->max;
		}
	}
	return digest->count ? digest->max : 0;
}
