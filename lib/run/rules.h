/*
 * rules: the paper's Algorithm 1 (M. Fagan et al., Leveraging Cloud Infrastructure for Troubleshooting Edge Computing Systems):
 * it grows a tree, writes it, removes its root feature, and grows the next tree, until a tree has no root.
 *
 * Features that split the runs exactly as the root does are removed together with it, and listed with its rule.
 */
#ifndef RUN_RULES_H
#define RUN_RULES_H

#include "run/tree.h"
#include "stream/stream.h"

struct rule_options {
	struct tree_options tree; /* split.min_leaf is lowered to the size of the smallest class */
	size_t count;		  /* at most this many rules */
};

/* Writes `rule` and `same` records; sets *found to the number of rules. Returns 0; -1 after fail(). */
int rules_write(const struct table *table, const struct rule_options *options, struct stream *stream, size_t *found);

#endif
