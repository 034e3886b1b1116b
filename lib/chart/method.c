#include "chart/method.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "chart/judgement.h"
#include "chart/median.h"
#include "chart/normal.h"

enum { PAPER_GROUP = 5 };

/* Where a logarithm is taken: no latency is shorter, and a value of zero has none. */
static const double value_least = 1e-9;

double scale_to(enum scale scale, double value)
{
	return scale == SCALE_LOG ? log(fmax(value, value_least)) : value;
}

double scale_from(enum scale scale, double value)
{
	return scale == SCALE_LOG ? exp(value) : value;
}

static void spread_range(const double *values, size_t count, struct point *point)
{
	double least = values[0], most = values[0];

	for (size_t i = 1; i < count; i++) {
		least = fmin(least, values[i]);
		most = fmax(most, values[i]);
	}
	point->spread = most - least;
}

static void spread_deviation(const double *values, size_t count, struct point *point)
{
	double squares = 0;

	for (size_t i = 0; i < count; i++)
		squares += (values[i] - point->value) * (values[i] - point->value);
	point->spread = sqrt(squares / (double)(count - 1));
}

static double mean_value(const struct points *points)
{
	double sum = 0;

	for (size_t i = 0; i < points->count; i++)
		sum += points->items[i].value;
	return sum / (double)points->count;
}

static double mean_spread(const struct points *points)
{
	double sum = 0;

	for (size_t i = 0; i < points->count; i++)
		sum += points->items[i].spread;
	return sum / (double)points->count;
}

static double mean_moving_range(const struct points *points)
{
	double sum = 0;

	for (size_t i = 1; i < points->count; i++)
		sum += fabs(points->items[i].value - points->items[i - 1].value);
	return sum / (double)(points->count - 1);
}

/* The middle of the values, or of how far they are from `from`. */
static double middle(const struct points *points, const double *from)
{
	double *values = memory_new(points->count, sizeof(*values)), median;

	for (size_t i = 0; i < points->count; i++)
		values[i] = from ? fabs(points->items[i].value - *from) : points->items[i].value;
	median = median_sort(values, points->count);
	free(values);
	return median;
}

static void limits_range(const struct judgement *how, const struct points *points, struct limits *limits)
{
	limits->center = mean_value(points);
	limits->sigma = mean_spread(points) / normal_d2((int)how->subgroup) / sqrt((double)how->subgroup);
}

static void limits_deviation(const struct judgement *how, const struct points *points, struct limits *limits)
{
	limits->center = mean_value(points);
	limits->sigma = mean_spread(points) / normal_c4((int)how->subgroup) / sqrt((double)how->subgroup);
}

/*
 * Individuals and moving range. On the logarithmic scale the centre is the median. An incident in the baseline hardly moves
 * it, nor sigma: of a run of slow values only the first and the last step are in the moving range.
 */
static void limits_individuals(const struct judgement *how, const struct points *points, struct limits *limits)
{
	limits->center = how->scale == SCALE_LOG ? middle(points, NULL) : mean_value(points);
	limits->sigma = mean_moving_range(points) / normal_d2(2);
}

/* S. W. Roberts, "Control Chart Tests Based on Geometric Moving Averages", Technometrics 1, 1959; in the long run. */
static void limits_weighted(const struct judgement *how, const struct points *points, struct limits *limits)
{
	limits->center = mean_value(points);
	limits->sigma = mean_moving_range(points) / normal_d2(2) * sqrt(how->weight / (2 - how->weight));
}

/*
 * X-bar/R: limits of the means of groups of five, A2 = 3 / (d2 sqrt 5), by which the paper judges single values
 * (control charts, section 4.3.4). Values that fill no group are left out.
 */
static void limits_paper(const struct judgement *how, const struct points *points, struct limits *limits)
{
	size_t groups = points->count / PAPER_GROUP;
	double means = 0, ranges = 0, values[PAPER_GROUP];
	struct point point;

	(void)how;
	for (size_t group = 0; group < groups; group++) {
		for (int i = 0; i < PAPER_GROUP; i++) {
			values[i] = points->items[group * PAPER_GROUP + (size_t)i].value;
			means += values[i] / PAPER_GROUP;
		}
		spread_range(values, PAPER_GROUP, &point);
		ranges += point.spread;
	}
	limits->center = means / (double)groups;
	limits->sigma = ranges / (double)groups / normal_d2(PAPER_GROUP) / sqrt(PAPER_GROUP);
}

/*
 * How much more rates vary from one to the next than chance makes them: the mean moving range of their distances from the centre in
 * sigma, over d2(2). At least 1. (D. B. Laney, "Improved Control Charts for Attributes", Quality Engineering 14, 2002.) A
 * machine's rates come in bursts, and with many events a second chance alone would explain next to no change.
 */
static double dispersion(const struct judgement *how, const struct points *points, double center)
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

/* All that was counted over all that could be. */
static void limits_rate(const struct judgement *how, const struct points *points, struct limits *limits)
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

/* Median, and the median distance from it: half the values may be an incident's. */
static void limits_robust(const struct judgement *how, const struct points *points, struct limits *limits)
{
	(void)how;
	limits->center = middle(points, NULL);
	limits->sigma = middle(points, &limits->center) * 1.4826022185056018;
}

#define SINGLE PLOTS_VALUES, SCALE_LOG, SIDES_UPPER, 2, 100, false, false
#define TEXTBOOK(plots, baseline) plots, SCALE_LINEAR, SIDES_BOTH, 0, baseline, false, false
#define RATE(is_share, disperses) PLOTS_RATES, SCALE_LINEAR, SIDES_BOTH, 0, 20, is_share, disperses, true

static const struct method methods[] = {
	{"pot", "by false-alarm rate: the tail of the values (default)", SINGLE, true, 8, NULL, limits_robust, NULL},
	{"imr", "individuals and moving range", SINGLE, false, 2, NULL, limits_individuals, NULL},
	{"paper", "X-bar/R limits from groups of 5, single values judged", PLOTS_VALUES, SCALE_LINEAR, SIDES_UPPER, 2, 100,
	 false, false, true, PAPER_GROUP, NULL, limits_paper, NULL},
	{"xbar-r", "subgroup means, by their mean range", TEXTBOOK(PLOTS_MEANS, 20), false, 1, spread_range, limits_range, NULL},
	{"xbar-s", "subgroup means, by their mean deviation", TEXTBOOK(PLOTS_MEANS, 20), false, 1, spread_deviation,
	 limits_deviation, NULL},
	{"ewma", "exponentially weighted moving average", TEXTBOOK(PLOTS_WEIGHTED, 100), false, 2, NULL, limits_weighted, NULL},
	{"p", "rate of so many in n, such as failed calls", RATE(true, false), 1, NULL, limits_rate, sigma_binomial},
	{"u", "counts per n or second, such as events", RATE(false, false), 1, NULL, limits_rate, sigma_poisson},
	{"laney-p", "as p, where rates vary more than by chance", RATE(true, true), 2, NULL, limits_rate, sigma_binomial},
	{"laney-u", "as u, where counts vary more than by chance", RATE(false, true), 2, NULL, limits_rate, sigma_poisson},
};

enum { METHODS = sizeof(methods) / sizeof(*methods) };

const struct method *method_find(const char *name)
{
	char names[256] = "";

	for (int i = 0; i < METHODS; i++) {
		if (!strcmp(methods[i].name, name))
			return &methods[i];
		strcat(strcat(names, i ? ", " : ""), methods[i].name);
	}
	fail("unknown method '%s'; there are %s", name, names);
	return NULL;
}

bool method_is_pot(const struct method *method)
{
	return method == &methods[0];
}

static void set_limits(const struct judgement *how, struct limits *limits)
{
	double reach = how->sigma * limits->sigma;

	limits->lcl = scale_from(how->scale, limits->center - reach);
	limits->ucl = scale_from(how->scale, limits->center + reach);
	limits->center = scale_from(how->scale, limits->center);
	if (how->method->plots == PLOTS_RATES)
		limits->lcl = fmax(limits->lcl, 0);
	if (how->method->is_share)
		limits->ucl = fmin(limits->ucl, 1);
}

int method_limits(const struct judgement *how, const struct points *points, struct limits *limits)
{
	if (points->count < how->method->least)
		return fail("method %s needs at least %zu values, there are %zu", how->method->name, how->method->least,
			    points->count);
	*limits = (struct limits){.n = points->count, .method = how->method->name};
	if (!how->method->one_scale)
		limits->axis = how->scale == SCALE_LOG ? "log" : "linear";
	if (how->method->plots == PLOTS_MEANS)
		limits->subgroup = how->subgroup;
	how->method->limits(how, points, limits);
	set_limits(how, limits);
	return 0;
}

double method_single_limit(const struct judgement *how, const struct limits *limits)
{
	double sigma = limits->sigma;

	if (how->method->plots == PLOTS_RATES)
		return INFINITY;
	if (how->method->plots == PLOTS_VALUES)
		return limits->ucl;
	sigma *= how->method->plots == PLOTS_MEANS ? sqrt((double)how->subgroup) : sqrt((2 - how->weight) / how->weight);
	return scale_from(how->scale, scale_to(how->scale, limits->center) + how->sigma * sigma);
}

double method_sigma(const struct judgement *how, const struct limits *limits)
{
	double center = scale_to(how->scale, limits->center), below = center - scale_to(how->scale, limits->lcl);

	return (below > 0 ? below : scale_to(how->scale, limits->ucl) - center) / how->sigma;
}

void method_lines(const struct judgement *how, const struct limits *limits, double size, struct lines *lines)
{
	struct limits here = *limits;
	double center = scale_to(how->scale, limits->center);

	if (how->method->sigma) {
		here.sigma = how->method->sigma(limits->center, size) * fmax(limits->dispersion, 1);
		set_limits(how, &here);
	}
	*lines = (struct lines){.center = here.center, .lcl = here.lcl, .ucl = here.ucl};
	for (int i = 0; i < 2; i++) {
		lines->upper[i] = scale_from(how->scale, center + (i + 1) * here.sigma);
		lines->lower[i] = scale_from(how->scale, center - (i + 1) * here.sigma);
	}
}
