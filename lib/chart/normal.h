/*
 * normal: constants of the normal distribution that control charts divide by. All are computed, to ten digits or more.
 */
#ifndef CHART_NORMAL_H
#define CHART_NORMAL_H

/*
 * The mean range of n values, in standard deviations: the integral of 1 - F(x)^n - (1 - F(x))^n (Tippett 1925); and their
 * mean standard deviation (with n - 1), sqrt(2 / (n - 1)) G(n / 2) / G((n - 1) / 2). n is at least 2.
 */
double normal_d2(int n);
double normal_c4(int n);

/* How many standard deviations above the mean a value is with probability p, 0 < p < 1. */
double normal_beyond(double p);

#endif
