/*
 * rules: the paper's Algorithm 1 (M. Fagan et al., Leveraging Cloud Infrastructure for Troubleshooting Edge Computing Systems):
 * a tree is grown and printed, its root feature is taken away, and the next is grown, until no tree has a root.
 *
 * The features that part the runs exactly as the root does go with it, and are listed with its rule.
 */
#ifndef RUN_RULES_H
#define RUN_RULES_H

#include "run/tree.h"
#include "stream/stream.h"

struct rule_options {
	struct tree_options tree; /* split.min_leaf is lowered to the smaller class */
	size_t count;		  /* of rules */
};

/* Writes `rule` and `same` records; sets *found. 0; -1 after fail(). */
int rules_write(const struct table *table, const struct rule_options *options, struct stream *stream, size_t *found);

#endif
