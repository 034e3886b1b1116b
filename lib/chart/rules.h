/*
 * rules: Nelson's eight rules (L. S. Nelson, "The Shewhart Control Chart: Tests for Special Causes", Journal of Quality
 * Technology 16, 1984), judged point by point.
 *
 *	1	a point beyond the control limits (three sigma, if not set otherwise)
 *	2	nine points in a row on one side of the centre
 *	3	six points in a row, each above the one before, or each below
 *	4	fourteen points in a row that go up and down by turns
 *	5	two of three points beyond two sigma on one side, the newest among them
 *	6	four of five points beyond one sigma on one side, the newest among them
 *	7	fifteen points in a row within one sigma
 *	8	eight points in a row beyond one sigma, on either side
 *
 * "Beyond" and "on one side" are strict: a point on a line is not beyond it, one on the centre is on no side. A point is on a line if it
 * differs from it by no more than sums, means and logarithms are rounded.
 */
#ifndef CHART_RULES_H
#define CHART_RULES_H

#include <stdbool.h>

enum {
	RULES = 8,
	RULE_SHIFT = RULES + 1,	    /* not one of Nelson's: the level has changed; see level.h */
	RULE_FIXED,		    /* nor is this: beyond a limit that the user gave, --limit */
	RULES_ROOM = 32,	    /* for their spelling */
	RULES_REACH = 15,	    /* points that a rule looks at, at most */
};

/* A set of rules: rule n is the bit RULE(n). */
#define RULE(n) (1U << (n))

/* Sides of the centre that count. Rules 4, 7 and 8 have none; rule 3 looks at rising on the upper side, falling on the lower. */
enum sides { SIDES_UPPER = 1, SIDES_LOWER = 2, SIDES_BOTH = 3 };

/* The lines of a chart, in the points' own units; [0] one sigma from the centre, [1] two. */
struct chart_lines {
	double center, lcl, ucl;
	double upper[2], lower[2];
};

/* The newest points. All zero: none yet. */
struct rules_past {
	struct rules_point {
		double value;
		int side;   /* of the centre: -1, 0, 1 */
		int beyond; /* how many of the sigma lines on that side it is beyond: 0, 1, 2 */
	} point[RULES_REACH]; /* newest first */
	int count;
};

/* How far a value is above a line, or above another value; negative: below it; 0: on it. */
double rules_above(double value, double line);

/* The side of the centre that a value is on: -1, 0, 1. */
int rules_side(const struct chart_lines *lines, double value);

/* Adds a point; returns those of the `wanted` rules that hold at it. */
unsigned rules_judge(struct rules_past *past, const struct chart_lines *lines, enum sides sides, unsigned wanted, double value);

/* "1,5", "1,shift", and back: 0 after fail(). */
void rules_spell(unsigned rules, char text[RULES_ROOM]);
unsigned rules_parse(const char *text);

#endif
