/*
 * tree: a decision tree (J. R. Quinlan, Induction of Decision Trees, 1986), as the paper's Algorithm 1 uses it.
 *
 * A node becomes a leaf when it is pure, too deep, or no split gains; below the root also where the best gain is no more than
 * log2(candidates) / rows, which chance reaches. Then each subtree that gets no more rows right than a leaf becomes a leaf. That
 * is how "as long as the new split improves the prediction accuracy" is read here, because a tree may first have to split where both sides agree.
 */
#ifndef RUN_TREE_H
#define RUN_TREE_H

#include "run/split.h"

struct tree_options {
	struct split_options split;
	unsigned max_depth; /* conditions on a path */
	bool paper;	    /* neither a bound of depth nor of chance */
};

struct tree_node {
	struct split split;	     /* .feature NULL: a leaf */
	struct tree_node **branches; /* NULL in it: no row goes there */
	int class;		     /* of the most weight here; of equals the parent's, else the first */
	double right;		     /* weight that the leaves below get right */
	size_t leaves;
};

/*
 * Grows a tree of the table's features that are not gone. `scores`: of each feature at the root, as tree_scores() gives them.
 */
struct tree_node *tree_grow(const struct table *table, const bool *gone, const double *scores, const struct tree_options *options);
void tree_free(struct tree_node *tree);

/* The best score of each feature at the root; the caller frees it. */
double *tree_scores(const struct table *table, const struct split_options *options);

/* "a < 3 or (a >= 3 and b = yes)": the paths to leaves of a class, joined by or. The caller frees it; "" if there is none. */
char *tree_text(const struct tree_node *tree, int class);

#endif
