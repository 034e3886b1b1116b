/*
 * learner: learns from values after the baseline. A series has a learner with a state of its own, and calls it for each judged
 * point. The learner answers with a lesson; the series acts on it (chart/series.h).
 *
 *	learner_run (learner_run.c)	limits stay until points have been on one side of the centre for too long
 *	learner_pot (method_pot.c)	limits follow the tail and the level of the values
 */
#ifndef CHART_LEARNER_H
#define CHART_LEARNER_H

#include <stdbool.h>
#include <stdint.h>

struct judgement;
struct limits;
struct lines;
struct points;

enum lesson_kind {
	LESSON_NONE,
	LESSON_REFINED,	 /* limits() has new ones, of the same level; to be told where they differ enough */
	LESSON_FOLLOWED, /* limits() has new ones, of the level since `since`; to be told */
	LESSON_OUTDATED, /* the limits are those of another level than the one since `since`; a new baseline is to be learnt */
};

struct lesson {
	enum lesson_kind kind;
	int side;      /* of LESSON_OUTDATED: which way the level went, 1 up, -1 down */
	int64_t since;
	bool shift;    /* with this value, a change to higher values is first certain... */
	double level;  /* ... to this median */
};

struct judged { /* a point */
	double value;	/* that the point was made from */
	double plotted; /* where it lies */
	int64_t ts;
	bool signalled; /* by what was learnt, not only by a limit that was given */
	bool learns;	/* a baseline is being gathered */
	const struct limits *limits;
	const struct lines *lines;
};

struct learner {
	bool judges_baseline; /* the largest values of a baseline are judged when its limits are known */
	bool continues;	      /* limits from less than a baseline need no other: it learns on */
	void *(*new)(void);
	void (*free)(void *state);

	/* What comes next comes at another time, maybe by another clock: what was timed or in a row is forgotten. */
	void (*pause)(void *state);

	/* Begins with limits from a file. NULL: nothing is to be done. */
	void (*resume)(void *state, const struct limits *limits);

	/* Begins anew with the limits of a baseline, which it may replace. `probability`: of a false alarm per value. */
	void (*begin)(void *state, const struct points *baseline, double probability, struct limits *limits);

	struct lesson (*learn)(void *state, const struct judgement *how, const struct judged *point);

	/* After LESSON_REFINED and LESSON_FOLLOWED. NULL: it gives none of these. */
	void (*limits)(void *state, double probability, struct limits *limits);

	/* The upper line of levels that have passed, for a point of this size; NULL: limits() has it in. */
	double (*past_limit)(void *state, const struct judgement *how, double size, int64_t now);
};

extern const struct learner learner_run, learner_pot;

#endif
