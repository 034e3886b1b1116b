/*
 * histogram: how values are distributed, on a logarithmic scale, and their running median. For any distribution: a median that goes by
 * steps (Robbins and Monro) overshoots where there is nothing between two modes, even below zero.
 *
 * A bin is 1/32 of an octave wide and holds how many values it had and their mean, so a quantile is wrong by 2 % at most, and not
 * at all where values are equal. Older values count for less: whenever HISTOGRAM_MOST are counted, each count is halved. What is
 * 1e-9 or less counts as that. All zero is an empty one; memory is 16 bytes for each bin between the least and the largest value.
 */
#ifndef CHART_HISTOGRAM_H
#define CHART_HISTOGRAM_H

#include <stddef.h>

#define HISTOGRAM_MOST 131072.0

struct histogram {
	struct histogram_bin {
		double count, mean;
	} *bins;
	int first, room; /* number of bins[0]; how many bins there are */
	double total;
	int middle;    /* the bin of the median, from bins[0]... */
	double before; /* ... and how many values are in those before it */
};

void histogram_forget(struct histogram *histogram); /* empty again; frees its memory */
void histogram_add(struct histogram *histogram, double value);

/* The value that this share of the values is not above; 0 where there are none. The median is kept, at no cost. */
double histogram_quantile(const struct histogram *histogram, double share);
double histogram_median(const struct histogram *histogram);

/* How many values are above this one, less than a bin more or less. */
double histogram_above(const struct histogram *histogram, double value);

#endif
