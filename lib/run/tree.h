/*
 * tree: a decision tree (J. R. Quinlan, Induction of Decision Trees, 1986), as the paper's Algorithm 1 uses it.
 *
 * A node becomes a leaf if it is pure, too deep, or no split gains; below the root also if the best gain is no more than
 * log2(candidates) / rows, which chance reaches. Then each subtree that gets no more rows right than a leaf becomes a leaf. This is
 * our reading of "as long as the new split improves the prediction accuracy": a tree may first need a split whose sides have the same class.
 */
#ifndef RUN_TREE_H
#define RUN_TREE_H

#include "run/split.h"

struct tree_options {
	struct split_options split;
	unsigned max_depth; /* conditions on a path */
	bool paper;	    /* no bounds of depth and chance */
};

struct tree_node {
	struct split split;	     /* .feature NULL: a leaf */
	struct tree_node **branches; /* a NULL item: no row goes there */
	int class;		     /* the class with the most weight here; of equals the parent's, else the first */
	double right;		     /* weight of the rows that the leaves below get right */
	size_t leaves;
};

/*
 * Grows a tree of the features that are not `gone`. `scores`: the score of each feature at the root, from tree_scores(). The caller frees the
 * tree with tree_free().
 */
struct tree_node *tree_grow(const struct table *table, const bool *gone, const double *scores, const struct tree_options *options);
void tree_free(struct tree_node *tree);

/* The best score of each feature at the root; the caller frees it. */
double *tree_scores(const struct table *table, const struct split_options *options);

/* "a < 3 or (a >= 3 and b = yes)": the paths to the leaves of a class, joined by or; "" if there are none. The caller frees it. */
char *tree_text(const struct tree_node *tree, int class);

#endif
