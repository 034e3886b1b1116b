#include "chart/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { PER_OCTAVE = 32, OCTAVES_MOST = 80, GROWTH = 32 };

static const double value_least = 1e-9;

static int number_of(double value)
{
	return (int)floor(fmin(log2(value / value_least), OCTAVES_MOST) * PER_OCTAVE);
}

void histogram_forget(struct histogram *histogram)
{
	free(histogram->bins);
	*histogram = (struct histogram){0};
}

/* Makes bins so that there is one of this number, and some more on that side. */
static void make_room(struct histogram *histogram, int number)
{
	int first = histogram->room ? histogram->first : number, end = histogram->room ? first + histogram->room : number;
	struct histogram_bin *bins;

	if (number < first || !histogram->room)
		first = number - GROWTH / 2;
	if (number >= end)
		end = number + GROWTH / 2;
	bins = memory_new((size_t)(end - first), sizeof(*bins));
	if (histogram->room)
		memcpy(bins + (histogram->first - first), histogram->bins, (size_t)histogram->room * sizeof(*bins));
	histogram->middle += histogram->room ? histogram->first - first : number - first;
	free(histogram->bins);
	histogram->bins = bins;
	histogram->first = first;
	histogram->room = end - first;
}

/* Moves to the median's bin: the first bin up to which lie half of the values or more. */
static void find_middle(struct histogram *histogram)
{
	double half = histogram->total / 2;

	while (histogram->before >= half && histogram->middle > 0)
		histogram->before -= histogram->bins[--histogram->middle].count;
	while (histogram->before + histogram->bins[histogram->middle].count < half)
		histogram->before += histogram->bins[histogram->middle++].count;
}

/* Halves all counts. They stay sums of powers of two, so that sums of them are exact. */
static void halve(struct histogram *histogram)
{
	histogram->total /= 2;
	histogram->before /= 2;
	for (int i = 0; i < histogram->room; i++)
		histogram->bins[i].count /= 2;
}

void histogram_add(struct histogram *histogram, double value)
{
	int number = number_of(value = fmax(value, value_least));
	struct histogram_bin *bin;

	if (number < histogram->first || number >= histogram->first + histogram->room)
		make_room(histogram, number);
	bin = &histogram->bins[number - histogram->first];
	bin->count++;
	bin->mean += (value - bin->mean) / bin->count;
	histogram->total++;
	histogram->before += number - histogram->first < histogram->middle;
	find_middle(histogram);
	if (histogram->total >= HISTOGRAM_MOST)
		halve(histogram);
}

double histogram_quantile(const struct histogram *histogram, double share)
{
	double before = 0, value = 0;

	for (int i = 0; i < histogram->room; i++) {
		if (histogram->bins[i].count > 0)
			value = histogram->bins[i].mean;
		before += histogram->bins[i].count;
		if (before > 0 && before >= share * histogram->total)
			break;
	}
	return value;
}

double histogram_median(const struct histogram *histogram)
{
	const struct histogram_bin *bin = histogram->bins + histogram->middle, *next = bin + 1, *end = histogram->bins + histogram->room;

	if (!histogram->room)
		return 0;
	if (histogram->before + bin->count > histogram->total / 2)
		return bin->mean;
	while (next < end && next->count == 0)
		next++;
	return next < end ? (bin->mean + next->mean) / 2 : bin->mean;
}

double histogram_above(const struct histogram *histogram, double value)
{
	double above = 0;

	for (int i = histogram->room - 1; i >= 0 && (histogram->bins[i].count == 0 || histogram->bins[i].mean > value); i--)
		above += histogram->bins[i].count;
	return above;
}
