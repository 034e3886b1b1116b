/*
 * Shewhart's charts of values and of means, as textbooks have them (D. C. Montgomery, "Introduction to Statistical Quality
 * Control", chapters 6 and 9), and the paper's own.
 */
#include <math.h>

#include "chart/policy.h"
#include "chart/method.h"
#include "chart/statistics.h"

enum { PAPER_GROUP = 5 };

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

static void baseline_range(const struct policy *how, const struct points *points, struct limits *limits)
{
	limits->center = mean_value(points);
	limits->sigma = mean_spread(points) / normal_d2((int)how->subgroup) / sqrt((double)how->subgroup);
}

static void baseline_deviation(const struct policy *how, const struct points *points, struct limits *limits)
{
	limits->center = mean_value(points);
	limits->sigma = mean_spread(points) / normal_c4((int)how->subgroup) / sqrt((double)how->subgroup);
}

/*
 * Individuals and moving range. On the logarithmic scale the centre is the median. An incident in the baseline hardly moves
 * it, nor sigma: of a run of slow values only the first and the last step are in the moving range.
 */
static void baseline_individuals(const struct policy *how, const struct points *points, struct limits *limits)
{
	limits->center = how->scale == SCALE_LOG ? points_middle(points, NULL) : mean_value(points);
	limits->sigma = mean_moving_range(points) / normal_d2(2);
}

/* S. W. Roberts, "Control Chart Tests Based on Geometric Moving Averages", Technometrics 1, 1959; in the long run. */
static void baseline_weighted(const struct policy *how, const struct points *points, struct limits *limits)
{
	limits->center = mean_value(points);
	limits->sigma = mean_moving_range(points) / normal_d2(2) * sqrt(how->weight / (2 - how->weight));
}

/*
 * X-bar/R: limits of the means of groups of five, A2 = 3 / (d2 sqrt 5), by which the paper judges single values
 * (control charts, section 4.3.4). Values that fill no group are left out.
 */
static void baseline_paper(const struct policy *how, const struct points *points, struct limits *limits)
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

/* The defaults of methods for single values, and for means of subgroups. */
#define VALUES .plots = &plot_values, .learner = &learner_run, .sides = SIDES_UPPER, .min_ratio = 2, .baseline = 100
#define MEANS .plots = &plot_means, .learner = &learner_run, .scale = SCALE_LINEAR, .sides = SIDES_BOTH, .baseline = 20, .least = 1

/* Individuals and moving range. */
const struct method method_imr = {
	.name = "imr",
	VALUES,
	.scale = SCALE_LOG,
	.least = 2,
	.baseline_limits = baseline_individuals,
};

/* X-bar/R limits from groups of 5, single values judged. */
const struct method method_paper = {
	.name = "paper",
	VALUES,
	.scale = SCALE_LINEAR,
	.one_scale = true,
	.least = PAPER_GROUP,
	.baseline_limits = baseline_paper,
};

/* Subgroup means, by their mean range. */
const struct method method_xbar_r = {
	.name = "xbar-r",
	MEANS,
	.spread = spread_range,
	.baseline_limits = baseline_range,
};

/* Subgroup means, by their mean deviation. */
const struct method method_xbar_s = {
	.name = "xbar-s",
	MEANS,
	.spread = spread_deviation,
	.baseline_limits = baseline_deviation,
};

/* Exponentially weighted moving average. */
const struct method method_ewma = {
	.name = "ewma",
	.plots = &plot_weighted,
	.learner = &learner_run,
	.scale = SCALE_LINEAR,
	.sides = SIDES_BOTH,
	.baseline = 100,
	.least = 2,
	.baseline_limits = baseline_weighted,
};
