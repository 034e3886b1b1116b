/*
 * method: how a chart judges. A method defines its points (chart/point.h), makes limits from the points of a baseline,
 * and names its learner (below). Each is a `const struct method` in a file of its own or of its family:
 *
 *	method_shewhart.c	imr, paper, xbar-r, xbar-s, ewma
 *	method_rate.c		p, u, laney-p, laney-u
 *	method_pot.c		pot
 *
 * and a line in the list of methods.c, which gives --help, messages and completion their names.
 *
 * A method gives the centre and sigma, the standard deviation of a point. The limits are how->sigma times sigma from the centre,
 * unless the method's learner makes them from something else.
 *
 * A learner learns from values after the baseline. A series has a learner with a state of its own, and calls it for each judged
 * point. The learner answers with a lesson; the series acts on it (chart/series.h).
 *
 *	learner_run (learner_run.c)	limits stay until points have been on one side of the centre for too long
 *	learner_pot (method_pot.c)	limits follow the tail and the level of the values
 */
#ifndef CHART_METHOD_H
#define CHART_METHOD_H

#include "chart/limits.h"
#include "chart/point.h"
#include "chart/rules.h"

struct policy;
enum lesson_kind {
	LESSON_NONE,
	LESSON_REFINED,	 /* limits() gives new limits of the same level; reported if they differ enough */
	LESSON_FOLLOWED, /* limits() gives limits of the level that began at `since`; reported */
	LESSON_OUTDATED, /* the level changed at `since`; a new baseline is learnt */
};

struct lesson {
	enum lesson_kind kind;
	int side;      /* of LESSON_OUTDATED: the level went up (1) or down (-1) */
	int64_t since;
	bool shift;    /* this value makes a change to higher values certain... */
	double level;  /* ... to this median */
};

struct judged { /* a point that was judged */
	double value;	/* the value that the point was made from */
	double plotted; /* the point's place on the chart, in the values' unit */
	int64_t ts;
	bool signalled; /* abnormal by what was learnt, not only by a limit that the user gave */
	bool learns;	/* a baseline is being gathered */
	const struct limits *limits;
	const struct chart_lines *lines;
};

struct learner {
	bool judges_baseline; /* the largest values of a baseline are judged when its limits are known */
	bool continues;	      /* it learns on from limits of less than a baseline: no new baseline is needed */
	void *(*new)(void);
	void (*free)(void *state);

	/* Another stream begins, perhaps with another clock: forgets times and runs of points. */
	void (*pause)(void *state);

	/* Begins with limits from a file. NULL: nothing to do. */
	void (*resume)(void *state, const struct limits *limits);

	/* Begins anew with the limits of a baseline; it may replace the limits. `probability` is that of a false alarm per value. */
	void (*begin)(void *state, const struct points *baseline, double probability, struct limits *limits);

	struct lesson (*learn)(void *state, const struct policy *how, const struct judged *point);

	/* Gives the new limits after LESSON_REFINED or LESSON_FOLLOWED. NULL: it never gives these lessons. */
	void (*limits)(void *state, double probability, struct limits *limits);

	/* The upper limit of past levels, for a point of this size; 0: none. NULL: limits() includes it. */
	double (*past_limit)(void *state, const struct policy *how, double size, int64_t now);
};

extern const struct learner learner_run, learner_pot;

struct method {
	const char *name;
	const char *name_of_few; /* the name for limits from too few values for the method itself; NULL: the same */
	const struct plotting *plots;
	const struct learner *learner;

	/* Defaults. `relearn` is in ns. */
	enum scale scale;
	enum sides sides;
	double min_ratio;
	uint64_t baseline;
	int64_t relearn;

	bool one_scale;	 /* it works on this scale only */
	bool is_share;	 /* a rate that cannot be above 1 */
	bool disperses;	 /* a rate whose limits are widened by its dispersion */
	size_t least;	 /* fewest points that it can make limits from */

	/* Sets the spread of a subgroup; NULL: the method has no subgroups. */
	void (*spread)(const double *values, size_t count, struct point *point);

	/* Sets center and sigma; for rates, dispersion, too. */
	void (*baseline_limits)(const struct policy *how, const struct points *points, struct limits *limits);

	/* The standard deviation of a point of this size; NULL: limits->sigma for any size. */
	double (*sigma)(double center, double size);
};

/* A method by name; NULL after fail(), which lists the names. */
const struct method *method_find(const char *name);

/* By index in the table; NULL: behind its last. */
const struct method *method_at(size_t index);
const char *method_name(size_t index);

/* Makes limits from points in the order of arrival. 0; -1 after fail(): too few points. Sets limits->n to the number of points, not of
 * values. */
int method_limits(const struct policy *how, const struct points *points, struct limits *limits);

/* The sigma that limits from a file imply if they have none. */
double method_sigma(const struct policy *how, const struct limits *limits);

/* Sets the lines for a point; only rates use its size. */
void method_lines(const struct policy *how, const struct limits *limits, double size, struct chart_lines *lines);

#endif
