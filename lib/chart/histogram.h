/*
 * histogram: the distribution of values on a logarithmic scale, and their running median. It is right for any distribution, while a median
 * that follows by steps (Robbins and Monro) overshoots between two modes, even below zero.
 *
 * A bin is 1/32 of an octave wide and holds the number and the mean of its values. So a quantile is wrong by 2 % at most, and exact if
 * values are equal. Older values count less: at HISTOGRAM_MOST values each count is halved. A value below 1e-9 counts as 1e-9. All zero
 * is an empty histogram. Memory is 16 bytes for each bin between the least and the largest value.
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
	int middle;    /* the index of the median's bin... */
	double before; /* ... and how many values are in the bins before it */
};

void histogram_forget(struct histogram *histogram); /* empty again; frees its memory */
void histogram_add(struct histogram *histogram, double value);

/* The quantile at this share; 0 if there are no values. The median costs nothing, because its bin is kept. */
double histogram_quantile(const struct histogram *histogram, double share);
double histogram_median(const struct histogram *histogram);

/* Counts the values above this one, right to less than a bin. */
double histogram_above(const struct histogram *histogram, double value);

#endif
