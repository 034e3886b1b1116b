/*
 * method: how a chart judges. A method says what its points are (chart/point.h), how the points of a baseline become limits, and
 * how it goes on learning (chart/learner.h). Each is a `const struct method` in a file of its own or of its family:
 *
 *	method_shewhart.c	imr, paper, xbar-r, xbar-s, ewma
 *	method_rate.c		p, u, laney-p, laney-u
 *	method_pot.c		pot
 *
 * and a line in the table of methods.c, from which --help, messages and completion have their names.
 *
 * A method gives the centre and sigma, the standard deviation of a point; the limits are how->sigma times that from the centre,
 * unless its learner makes them from something else.
 */
#ifndef CHART_METHOD_H
#define CHART_METHOD_H

#include "chart/limits.h"
#include "chart/point.h"
#include "chart/rules.h"

struct judgement;
struct learner;

struct method {
	const char *name, *help;
	const char *name_of_few; /* of limits from too few values for its own; NULL: the same */
	const struct plotting *plots;
	const struct learner *learner;

	/* Where the user leaves the choice. `relearn` is in ns. */
	enum scale scale;
	enum sides sides;
	double min_ratio;
	uint64_t baseline;
	int64_t relearn;

	bool one_scale;	 /* it makes no sense of the other */
	bool upper_only; /* nor of the lower side */
	bool is_share;	 /* a rate that cannot be above 1 */
	bool disperses;	 /* a rate whose limits are widened by its dispersion */
	size_t least;	 /* fewest points that it makes sense of */

	/* Of a subgroup; NULL: it has none. */
	void (*spread)(const double *values, size_t count, struct point *point);

	/* Sets center and sigma, of rates dispersion too. */
	void (*baseline_limits)(const struct judgement *how, const struct points *points, struct limits *limits);

	/* The standard deviation of a point of this size; NULL: limits->sigma, of any. */
	double (*sigma)(double center, double size);
};

/* By name; NULL after fail(), which tells the names there are. */
const struct method *method_find(const char *name);

/* In the table's order; NULL: there are no more. */
const struct method *method_at(size_t index);
const char *method_name(size_t index);

/* Limits from the points in the order they came. 0; -1 after fail() where they are too few. `n` counts points; it is the caller's
 * to make values of it. */
int method_limits(const struct judgement *how, const struct points *points, struct limits *limits);

/* The sigma that limits by hand imply. */
double method_sigma(const struct judgement *how, const struct limits *limits);

/* The lines for a point of this size (of a rate; else it does not matter). */
void method_lines(const struct judgement *how, const struct limits *limits, double size, struct lines *lines);

#endif
