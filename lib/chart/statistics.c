#include "chart/statistics.h"

#include <math.h>
#include <stdlib.h>

static double above(double x) /* 1 - F(x) */
{
	return 0.5 * erfc(x * M_SQRT1_2);
}

/* By the trapezoid rule: the integrand vanishes smoothly at both ends, so the rule's error is below the rounding error of the sum. */
double normal_d2(int n)
{
	const double step = 1.0 / 64;
	double sum = 0;

	for (double x = -10; x <= 10; x += step)
		sum += 1 - pow(above(-x), n) - pow(above(x), n);
	return sum * step;
}

double normal_c4(int n)
{
	return sqrt(2.0 / (n - 1)) * exp(lgamma(n / 2.0) - lgamma((n - 1) / 2.0));
}

/* By bisection, because the tail is monotone, and nobody asks often. */
double normal_beyond(double p)
{
	double low = -40, high = 40;

	for (int i = 0; i < 80; i++) {
		double middle = (low + high) / 2;

		*(above(middle) > p ? &low : &high) = middle;
	}
	return (low + high) / 2;
}

/* By the expansion of Cornish and Fisher around the normal distribution's quantile (Abramowitz and Stegun, 26.7.5). */
double student_beyond(double p, uint64_t freedom)
{
	double x = normal_beyond(p), s = x * x, n = (double)freedom;

	return x * (1 + (s + 1) / (4 * n) + ((5 * s + 16) * s + 3) / (96 * n * n) + (((3 * s + 19) * s + 17) * s - 15) / (384 * n * n * n));
}

static int by_value(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

double median_sort(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_value);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Hoare's selection: afterwards values[at] is where a sort would put it, and no value before it is larger. */
static double select_value(double *values, size_t count, size_t at)
{
	size_t low = 0, high = count - 1;

	while (low < high) {
		double pivot = values[(low + high) / 2];
		size_t left = low, right = high;

		for (;; left++, right--) {
			while (values[left] < pivot)
				left++;
			while (pivot < values[right])
				right--;
			if (left >= right)
				break;
			double held = values[left];

			values[left] = values[right];
			values[right] = held;
		}
		if (at <= right)
			high = right;
		else
			low = right + 1;
	}
	return values[at];
}

double median_of_few(double *values, size_t count)
{
	double upper = select_value(values, count, count / 2), lower = values[0];

	if (count % 2)
		return upper;
	for (size_t i = 1; i < count / 2; i++)
		lower = fmax(lower, values[i]);
	return (lower + upper) / 2;
}
