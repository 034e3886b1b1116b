/*
 * split: how a feature can split the rows of a tree's node into branches, and how well each split tells the classes apart.
 *
 * A numeric feature is cut at the midpoint between neighbouring distinct known values: less, or not. A nominal feature is split into
 * `= v` and the rest, or into a branch for each value (multiway). A row whose value is unknown goes down every branch, weighted by the
 * branch's share of the known rows.
 */
#ifndef RUN_SPLIT_H
#define RUN_SPLIT_H

#include "run/table.h"

enum criterion { CRITERION_GAIN, CRITERION_RATIO, CRITERION_GINI };

#define EQUAL_SCORES 1e-10 /* scores that differ by no more are equal */

struct split_options {
	enum criterion criterion;
	bool multiway;
	double min_leaf; /* least weight of each of two branches; with multiway, of two at least */
};

enum split_kind { SPLIT_LESS, SPLIT_EQUAL, SPLIT_ANY };

struct split {
	const struct feature *feature; /* NULL: there is none */
	enum split_kind kind;
	double cut;	   /* SPLIT_LESS */
	int value;	   /* SPLIT_EQUAL: index in the feature's values; of a numeric feature 0, absent */
	double score;	   /* the gain or, for CRITERION_GINI, the decrease of gini, times the share of known values */
	double gain;	   /* bits, times the share of known values */
	double margin;	   /* gap at the cut over the feature's range; 0: SPLIT_EQUAL and SPLIT_ANY */
};

/* The rows of a node: a weight for each row of the table, 0 for rows that are not in the node. */
struct split_rows {
	const struct table *table;
	const double *weights;
	double total;	   /* sum of the weights */
	const double *terms; /* from split_terms(), because most weights are whole */
};

double *split_terms(size_t rows); /* i log2 i for i from 0 to `rows`; the caller frees it */

/*
 * The greatest score of the feature's allowed splits; -INFINITY: none is allowed. Adds the number of candidates, allowed or not, to
 * *candidates.
 */
double split_score(const struct split_rows *rows, const struct feature *feature, const struct split_options *options, size_t *candidates);

/* Among the splits with at least this score, the one with the largest margin, then the lowest cut. `.feature` NULL: there is none. */
struct split split_above(const struct split_rows *rows, const struct feature *feature, const struct split_options *options, double floor);

/* The number of branches, and the branch of a row, from 0. WORD_UNKNOWN: the row's value is unknown. */
size_t split_branches(const struct split *split);
int split_branch(const struct split *split, size_t row);

/* The name of a value of a nominal feature; of a numeric one, "absent". */
const char *split_value(const struct split *split, int value);

#endif
