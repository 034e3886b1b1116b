#include "run/kmeans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The different values, and sums up to each, so that the cost of any group takes no loop. */
struct line_sums {
	size_t count;	      /* of different values */
	size_t *first;	      /* index of the first value that is as large; behind the last, the count of all */
	long double *sum, *square; /* of all values before; from their mean, so that little cancels out */
	const double *values;
	double mean;
};

static void sum_up(struct line_sums *sums, const double *values, size_t count)
{
	long double total = 0;

	*sums = (struct line_sums){.values = values};
	sums->first = memory_new(count + 1, sizeof(*sums->first));
	sums->sum = memory_new(count + 1, sizeof(*sums->sum));
	sums->square = memory_new(count + 1, sizeof(*sums->square));
	for (size_t i = 0; i < count; i++) {
		total += values[i];
		if (i == 0 || values[i] != values[i - 1])
			sums->first[sums->count++] = i;
	}
	sums->first[sums->count] = count;
	sums->mean = count ? (double)(total / (long double)count) : 0;
	for (size_t i = 0; i < count; i++) {
		long double centred = (long double)values[i] - sums->mean;

		sums->sum[i + 1] = sums->sum[i] + centred;
		sums->square[i + 1] = sums->square[i] + centred * centred;
	}
}

static void free_sums(struct line_sums *sums)
{
	free(sums->first);
	free(sums->sum);
	free(sums->square);
}

/* Of a group of the different values from, from + 1, ..., to - 1: the squares of distances to its mean. */
static long double cost(const struct line_sums *sums, size_t from, size_t to)
{
	size_t first = sums->first[from], end = sums->first[to];
	long double sum = sums->sum[end] - sums->sum[first];
	long double squares = sums->square[end] - sums->square[first] - sum * sum / (long double)(end - first);

	return squares > 0 ? squares : 0;
}

/* least[i]: the least cost of the values from i on in one group more than `rest` is for; the best first cut moves right with i. */
static void fill(const struct line_sums *sums, const long double *rest, long double *least, size_t from, size_t to, size_t low, size_t high)
{
	size_t middle = from + (to - from) / 2, best = 0;

	if (from >= to)
		return;
	least[middle] = INFINITY;
	for (size_t cut = low > middle + 1 ? low : middle + 1; cut <= high; cut++) {
		long double whole = cost(sums, middle, cut) + rest[cut];

		if (whole < least[middle]) {
			least[middle] = whole;
			best = cut;
		}
	}
	fill(sums, rest, least, from, middle, low, best ? best : high);
	fill(sums, rest, least, middle + 1, to, best ? best : low, high);
}

/* The lowest cuts of those that cost hardly more than the least. */
static void choose(const struct line_sums *sums, long double *const *least, int groups, struct kmeans *found)
{
	long double bound = least[groups - 1][0] * (1 + 1e-9L), spent = 0;
	size_t from = 0;

	found->groups = groups;
	found->starts[0] = 0;
	for (int left = groups - 1; left > 0; left--) {
		size_t cut = from + 1;

		while (cut + (size_t)left < sums->count && !(spent + cost(sums, from, cut) + least[left - 1][cut] <= bound))
			cut++;
		spent += cost(sums, from, cut);
		from = cut;
		found->starts[groups - left] = sums->first[cut];
	}
	found->starts[groups] = sums->first[sums->count];
}

/* Mean distance of a value to the others of its group, whose values lie in order: those below it and those above. */
static double mean_within(const struct line_sums *sums, size_t value, size_t from, size_t to)
{
	long double centred = (long double)sums->values[value] - sums->mean;
	long double below = centred * (long double)(value - from) - (sums->sum[value] - sums->sum[from]);
	long double above = (sums->sum[to] - sums->sum[value]) - centred * (long double)(to - value);

	return (double)((below + above) / (long double)(to - from - 1));
}

/* All of another group lie on one side, so the mean distance is that to their mean. */
static double mean_between(const struct line_sums *sums, size_t value, size_t from, size_t to)
{
	long double centred = (long double)sums->values[value] - sums->mean;

	return (double)fabsl(centred - (sums->sum[to] - sums->sum[from]) / (long double)(to - from));
}

static double silhouette_of(const struct line_sums *sums, const struct kmeans *found, int group, size_t value)
{
	double within, between = INFINITY;

	if (found->starts[group + 1] - found->starts[group] == 1)
		return 0;
	within = mean_within(sums, value, found->starts[group], found->starts[group + 1]);
	for (int other = 0; other < found->groups; other++)
		if (other != group)
			between = fmin(between, mean_between(sums, value, found->starts[other], found->starts[other + 1]));
	return within == between ? 0 : (between - within) / fmax(between, within);
}

static double silhouette(const struct line_sums *sums, const struct kmeans *found)
{
	double sum = 0;

	for (int group = 0; group < found->groups; group++)
		for (size_t i = found->starts[group]; i < found->starts[group + 1]; i++)
			sum += silhouette_of(sums, found, group, i);
	return sum / (double)sums->first[sums->count];
}

struct kmeans kmeans_best(const double *values, size_t count)
{
	struct kmeans best = {0}, found;
	long double *least[KMEANS_MOST];
	struct line_sums sums;

	sum_up(&sums, values, count);
	for (int k = 0; k < KMEANS_MOST; k++) {
		least[k] = memory_new(sums.count + 1, sizeof(**least));
		for (size_t i = 0; i <= sums.count; i++)
			least[k][i] = k == 0 && i < sums.count ? cost(&sums, i, sums.count) : INFINITY;
	}
	for (int k = 1; k < KMEANS_MOST && (size_t)k < sums.count; k++) {
		fill(&sums, least[k - 1], least[k], 0, sums.count - (size_t)k, 1, sums.count - (size_t)k);
		choose(&sums, least, k + 1, &found);
		found.silhouette = silhouette(&sums, &found);
		if (best.groups == 0 || found.silhouette > best.silhouette + 1e-10)
			best = found;
	}
	for (int k = 0; k < KMEANS_MOST; k++)
		free(least[k]);
	free_sums(&sums);
	return best;
}
