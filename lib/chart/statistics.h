/*
 * statistics: constants of the normal distribution that control charts divide by, computed to ten digits or more, and the median.
 */
#ifndef CHART_STATISTICS_H
#define CHART_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The mean range of n values, in standard deviations: the integral of 1 - F(x)^n - (1 - F(x))^n (Tippett 1925); and their
 * mean standard deviation (with n - 1), sqrt(2 / (n - 1)) G(n / 2) / G((n - 1) / 2). n is at least 2.
 */
double normal_d2(int n);
double normal_c4(int n);

/* The distance from the mean, in standard deviations, that a value exceeds with probability p, 0 < p < 1. */
double normal_beyond(double p);

/* The same of Student's distribution with these degrees of freedom. */
double student_beyond(double p, uint64_t freedom);

/* The same as median_sort(), quicker for few values; reorders them without sorting. */
double median_of_few(double *values, size_t count);

/* Sorts one value or more and returns their median; of an even number, halfway between the two in the middle. */
double median_sort(double *values, size_t count);

#endif
