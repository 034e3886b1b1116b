/*
 * method: how limits are made from the points of a baseline. Each method is one entry of the table in method.c.
 *
 * A point is a value on the chart's scale: of one sample, or the mean of a subgroup, or a rate. A method gives the centre and
 * sigma, the standard deviation of a point; the limits are so many sigma from the centre. Method pot alone takes its upper limit from
 * elsewhere (chart/pot.h) once it can.
 */
#ifndef CHART_METHOD_H
#define CHART_METHOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chart/rules.h"
#include "chart/tail.h"

/* A logarithmic scale is for values that are skewed, such as latencies. What is zero or less counts as 1e-9 there. */
enum scale { SCALE_LINEAR, SCALE_LOG };

double scale_to(enum scale scale, double value);
double scale_from(enum scale scale, double value);

/* Of one chart and key. Values are seconds for a latency, whatever the samples are in otherwise. */
struct limits {
	double center, lcl, ucl;
	double sigma;	    /* of a point, on the chart's scale; of a rate: of one of mean size */
	double dispersion;  /* of rates: how much more they vary than chance makes them; 0: as much */
	uint64_t n;	    /* values that they were made from */
	const char *unit;   /* of the values; see series.h */
	const char *method; /* its name, from the table, or "pot:lognormal" */
	const char *axis;   /* "log" or "linear": the scale, of methods that know both; NULL: the method's own, or not known */
	uint64_t subgroup;  /* values of a subgroup; 0: there is none, or not known */
	struct tail_fit tail; /* of method pot, once it has one */
};

struct point {
	double value;  /* on the chart's scale */
	double spread; /* of a subgroup: its range or standard deviation */
	double size;   /* of a rate: so many were there to be counted, or so long was counted */
};

struct points { /* an ARRAY */
	struct point *items;
	size_t count, room;
};

struct judgement;

enum plots { PLOTS_VALUES, PLOTS_MEANS, PLOTS_WEIGHTED, PLOTS_RATES };

struct method {
	const char *name;
	const char *help;
	enum plots plots;
	enum scale scale; /* by default, as the next three */
	enum sides sides;
	double min_ratio;
	uint64_t baseline;
	bool is_share;	/* a rate that cannot be above 1 */
	bool disperses; /* a rate whose limits are widened by its dispersion */
	bool one_scale; /* it makes no sense of the other */
	size_t least;	/* fewest points that it makes sense of */
	void (*spread)(const double *values, size_t count, struct point *point); /* of a subgroup; NULL: has none */
	void (*limits)(const struct judgement *how, const struct points *points, struct limits *limits);
	double (*sigma)(double center, double size); /* of a point of this size; NULL: limits->sigma */
};

/* By name; NULL after fail(), which tells the names there are. */
const struct method *method_find(const char *name);
bool method_is_pot(const struct method *method);

/* Limits from the points in the order they came. 0; -1 after fail() where they are too few. `n` counts points; it is the caller's
 * to make values of it. */
int method_limits(const struct judgement *how, const struct points *points, struct limits *limits);

/*
 * The upper limit of a single value, on the values' own scale, for what has not ended and so is in no mean yet: so many sigma of a
 * single value from the centre. Of a mean of n that is the mean's times the root of n, of a weighted one over
 * sqrt(w / (2 - w)). INFINITY for rates.
 */
double method_single_limit(const struct judgement *how, const struct limits *limits);

/* The sigma that limits by hand imply. */
double method_sigma(const struct judgement *how, const struct limits *limits);

/* The lines for a point of this size (of a rate; else it does not matter). */
void method_lines(const struct judgement *how, const struct limits *limits, double size, struct lines *lines);

#endif
