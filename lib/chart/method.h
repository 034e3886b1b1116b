/*
 * method: the way in which a chart judges. A method defines its points (chart/point.h), makes limits from the points of a baseline,
 * and names its learner (chart/learner.h). Each is a `const struct method` in a file of its own or of its family:
 *
 *	method_shewhart.c	imr, paper, xbar-r, xbar-s, ewma
 *	method_rate.c		p, u, laney-p, laney-u
 *	method_pot.c		pot
 *
 * and a line in the table of methods.c, which gives --help, messages and completion their names.
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

	/* Defaults. `relearn` is in ns. */
	enum scale scale;
	enum sides sides;
	double min_ratio;
	uint64_t baseline;
	int64_t relearn;

	bool one_scale;	 /* it works on this scale only */
	bool upper_only; /* it works on the upper side only */
	bool is_share;	 /* a rate that cannot be above 1 */
	bool disperses;	 /* a rate whose limits are widened by its dispersion */
	size_t least;	 /* fewest points that it can make limits from */

	/* Sets the spread of a subgroup; NULL: the method has no subgroups. */
	void (*spread)(const double *values, size_t count, struct point *point);

	/* Sets center and sigma; for rates, dispersion, too. */
	void (*baseline_limits)(const struct judgement *how, const struct points *points, struct limits *limits);

	/* The standard deviation of a point of this size; NULL: limits->sigma for any size. */
	double (*sigma)(double center, double size);
};

/* A method by name; NULL after fail(), which lists the names. */
const struct method *method_find(const char *name);

/* In the table's order; NULL: there are no more. */
const struct method *method_at(size_t index);
const char *method_name(size_t index);

/* Makes limits from points in the order of arrival. 0; -1 after fail(): too few points. Sets limits->n to the number of points, not of
 * values. */
int method_limits(const struct judgement *how, const struct points *points, struct limits *limits);

/* The sigma that limits by hand imply. */
double method_sigma(const struct judgement *how, const struct limits *limits);

/* The lines for a point; only rates use its size. */
void method_lines(const struct judgement *how, const struct limits *limits, double size, struct lines *lines);

#endif
