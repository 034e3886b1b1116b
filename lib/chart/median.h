/*
 * median: the middle of some values; of an even number of them, halfway between the two in the middle.
 */
#ifndef CHART_MEDIAN_H
#define CHART_MEDIAN_H

#include <stddef.h>

/* Sorts them; there must be one at least. */
double median_sort(double *values, size_t count);

#endif
