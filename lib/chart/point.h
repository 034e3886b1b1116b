/*
 * point: how values become the points of a chart. A method (chart/method.h) says which of the four ways it plots.
 *
 * A point is a value on the chart's scale: of one sample, the mean of a subgroup, the newest weighted mean, or a rate.
 */
#ifndef CHART_POINT_H
#define CHART_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct judgement;
struct limits;
struct sample;

/* A logarithmic scale is for values that are skewed, such as latencies. A value of zero or less counts as 1e-9 there. */
enum scale { SCALE_LINEAR, SCALE_LOG };

double scale_to(enum scale scale, double value);
double scale_from(enum scale scale, double value);

struct point {
	double value;  /* on the chart's scale */
	double spread; /* of a subgroup: its range or standard deviation */
	double size;   /* of a rate: how many were there to be counted, or how many seconds were counted */
};

struct points { /* an ARRAY */
	struct point *items;
	size_t count, room;
};

/* The middle of the points' values, or of their distances from `from` where that is not NULL. */
double points_middle(const struct points *points, const double *from);

/* The point at hand of one series. All zero: it has begun no subgroup, and its weighted mean is 0. */
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
	bool single; /* a point is one value, judged and told as that value */
	bool groups; /* a point is complete only with the last value of its subgroup */
	bool rates;  /* for charts that count, and no others */

	/* Takes a value. False: its point is not complete. */
	bool (*point)(struct plot *plot, const struct judgement *how, const struct sample *sample, bool learns, struct point *point);

	/* Where a complete point lies on the chart, in the values' own unit. */
	double (*place)(struct plot *plot, const struct judgement *how, const struct point *point);

	/* Makes a sample that was the last of a point tell of the point. NULL: it does. */
	void (*describe)(const struct plot *plot, struct sample *sample);

	/*
	 * The limit of a single value, for what has not ended and so is in no point yet: as many sigma of a single value from the
	 * centre as the point's limit is sigma of a point. Of a mean of n that is the mean's sigma times the root of n, of a weighted
	 * mean over sqrt(w / (2 - w)). INFINITY: a single value has none.
	 */
	double (*single_limit)(const struct judgement *how, const struct limits *limits);
};

extern const struct plotting plot_values, plot_means, plot_weighted, plot_rates;

#endif
