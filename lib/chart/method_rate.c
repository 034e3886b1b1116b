/* Charts of rates: the share of the events that count, or how many come in a time. */
#include <math.h>

#include "chart/policy.h"
#include "chart/method.h"
#include "chart/statistics.h"

/*
 * The variation from one rate to the next as a multiple of chance's: the mean moving range of the rates' distances from the centre in
 * sigma, over d2(2). At least 1. (D. B. Laney, "Improved Control Charts for Attributes", Quality Engineering 14, 2002.) A
 * machine's rates come in bursts, and with many events a second chance alone would explain next to no change.
 */
static double dispersion(const struct policy *how, const struct points *points, double center)
{
	double sum = 0, before = 0;

	for (size_t i = 0; i < points->count; i++) {
		double sigma = how->method->sigma(center, points->items[i].size);
		double z = sigma > 0 ? (points->items[i].value - center) / sigma : 0;

		sum += i > 0 ? fabs(z - before) : 0;
		before = z;
	}
	return points->count > 1 ? fmax(sum / (double)(points->count - 1) / normal_d2(2), 1) : 1;
}

/* The centre is the sum of all counts divided by the sum of all sizes. */
static void baseline_rate(const struct policy *how, const struct points *points, struct limits *limits)
{
	double counted = 0, size = 0;

	for (size_t i = 0; i < points->count; i++) {
		counted += points->items[i].value * points->items[i].size;
		size += points->items[i].size;
	}
	limits->center = size > 0 ? counted / size : 0;
	limits->dispersion = how->method->disperses ? dispersion(how, points, limits->center) : 1;
	limits->sigma = how->method->sigma(limits->center, size / (double)points->count) * limits->dispersion;
}

static double sigma_binomial(double center, double size)
{
	return sqrt(fmax(center * (1 - center), 0) / size);
}

static double sigma_poisson(double center, double size)
{
	return sqrt(fmax(center, 0) / size);
}

/* The defaults of all methods for rates. */
#define RATES .plots = &plot_rates, .learner = &learner_run, .scale = SCALE_LINEAR, .sides = SIDES_BOTH, .baseline = 20, \
	      .one_scale = true, .baseline_limits = baseline_rate

/* Share of n, such as failed calls. */
const struct method method_p = {
	.name = "p",
	RATES,
	.is_share = true,
	.least = 1,
	.sigma = sigma_binomial,
};

/* Counts per n or second, such as events. */
const struct method method_u = {
	.name = "u",
	RATES,
	.least = 1,
	.sigma = sigma_poisson,
};

/* As p, where rates vary more than by chance. */
const struct method method_laney_p = {
	.name = "laney-p",
	RATES,
	.is_share = true,
	.disperses = true,
	.least = 2,
	.sigma = sigma_binomial,
};

/* As u, where counts vary more than by chance. */
const struct method method_laney_u = {
	.name = "laney-u",
	RATES,
	.disperses = true,
	.least = 2,
	.sigma = sigma_poisson,
};
