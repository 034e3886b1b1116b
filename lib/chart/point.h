/*
 * point: turns values into the points of a chart. A method (chart/method.h) names one of four ways to plot.
 *
 * A point is a value on the chart's scale: of one sample, the mean of a subgroup, the newest weighted mean, or a rate.
 */
#ifndef CHART_POINT_H
#define CHART_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct policy;
struct limits;
struct sample;

/* A logarithmic scale is for values that are skewed, such as latencies. A value of zero or less counts as 1e-9 there. */
enum scale { SCALE_LINEAR, SCALE_LOG };

double scale_to(enum scale scale, double value);
double scale_from(enum scale scale, double value);

struct point {
	double value;  /* on the chart's scale */
	double spread; /* of a subgroup: its range or standard deviation */
	double size;   /* of a rate: the number that could count, or the seconds of counting */
};

struct points { /* an ARRAY */
	struct point *items;
	size_t count, room;
};

/* The median of the points' values or, if `from` is not NULL, of their distances from *from. */
double points_middle(const struct points *points, const double *from);

/* The current point of one series. All zero: no subgroup has begun, and the weighted mean is 0. */
struct plot {
	struct plot_group {
		double *values; /* on the chart's scale */
		size_t count;
		int64_t start; /* of its earliest value */
	} group;
	double weighted; /* mean, on the chart's scale */
};

void plot_free(struct plot *plot);

/* A way to plot. */
struct plotting {
	bool single; /* a point is one value, and judged and reported as that value */
	bool groups; /* a point is complete only with the last value of its subgroup */
	bool rates;  /* for charts that count, and no others */

	/* Takes a value and sets *point. False: the point is not complete yet. */
	bool (*point)(struct plot *plot, const struct policy *how, const struct sample *sample, bool learns, struct point *point);

	/* The place of a complete point on the chart, in the values' own unit. */
	double (*place)(struct plot *plot, const struct policy *how, const struct point *point);

	/* Changes the last sample of a point so that it describes the point. NULL: it does so as it is. */
	void (*describe)(const struct plot *plot, struct sample *sample);

	/*
	 * The limit of a single value that has not ended, and so is in no point yet. It lies as many sigmas of a value from the centre as
	 * the limit of a point lies sigmas of a point. The sigma of a value is that of a mean of n times sqrt(n), or that of a weighted
	 * mean divided by sqrt(w / (2 - w)). INFINITY: a single value has no limit.
	 */
	double (*single_limit)(const struct policy *how, const struct limits *limits);
};

extern const struct plotting plot_values, plot_means, plot_weighted, plot_rates;

#endif
