/*
 * split: how a feature can part the rows of a tree's node in branches, and how well each way tells the classes apart.
 *
 * A numeric feature is cut at the midpoint between neighbouring distinct known values: less, or not. A nominal one by `= v` against
 * the rest, or by a branch for each value (multiway). A row whose value is unknown goes down every branch, weighted by the
 * branch's share of the known.
 */
#ifndef RUN_SPLIT_H
#define RUN_SPLIT_H

#include "run/table.h"

enum criterion { CRITERION_GAIN, CRITERION_RATIO, CRITERION_GINI };

#define EQUAL_SCORES 1e-10 /* differ by no more */

struct split_options {
	enum criterion criterion;
	bool multiway;
	double min_leaf; /* each of two branches must weigh this much */
};

enum split_kind { SPLIT_LESS, SPLIT_EQUAL, SPLIT_ANY };

struct split {
	const struct feature *feature; /* NULL: there is none */
	enum split_kind kind;
	double cut;	   /* SPLIT_LESS */
	int value;	   /* SPLIT_EQUAL: index of the feature's values, or 0, absent, of a numeric one */
	double score;	   /* gain, or for CRITERION_GINI the decrease, by the share of the known */
	double gain;	   /* bits, by the share of the known */
	double margin;	   /* gap at the cut over the feature's range; 0: SPLIT_EQUAL and SPLIT_ANY */
};

/* The rows of a node: a weight for each row of the table, 0 for those that are not there. */
struct split_rows {
	const struct table *table;
	const double *weights;
	double total;	   /* of all */
	const double *terms; /* i log2 i for whole i up to the count of rows: most weights are whole; see split_terms() */
};

double *split_terms(size_t rows); /* the caller frees it */

/*
 * The greatest score of the feature's allowed splits; -INFINITY: none is allowed. Adds to *candidates how many there were, allowed
 * or not.
 */
double split_score(const struct split_rows *rows, const struct feature *feature, const struct split_options *options, size_t *candidates);

/* Of the splits with at least this score the one with the larger margin, then the lower cut; `.feature` is NULL if there is none. */
struct split split_above(const struct split_rows *rows, const struct feature *feature, const struct split_options *options, double floor);

/* The number of branches; and the branch of a row, from 0; WORD_UNKNOWN: its value is unknown. */
size_t split_branches(const struct split *split);
int split_branch(const struct split *split, size_t row);

/* The name of a nominal split's value, and the `cut` key's text, in NUMBER_ROOM or more. */
const char *split_value(const struct split *split, int value);

#endif
