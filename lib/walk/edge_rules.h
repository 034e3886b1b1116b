/*
 * edge_rules: applies the user's rules about edges (chart/semantics.h) to a whole graph: cuts edges that mean nothing, and adds edges that events
 * do not show.
 */
#ifndef WALK_EDGE_RULES_H
#define WALK_EDGE_RULES_H

#include "chart/semantics.h"
#include "walk/whole.h"

/*
 * Undoes what an earlier call did; then cuts edges and, with `joins`, joins nodes, by all rules. Call it after whole_ready(). -1 after fail(), with
 * the rule's place: a node is unknown, or an edge would go back in time. `cut` (NULL: not wanted) gets how many edges the last rule cuts.
 */
int edge_rules_apply(struct whole *whole, const struct semantics *semantics, bool joins, size_t *cut);

#endif
