/*
 * cuts: what the user knows of edges (chart/semantics.h), in a whole graph: those that are none, and some that events do not show.
 */
#ifndef WALK_CUTS_H
#define WALK_CUTS_H

#include "chart/semantics.h"
#include "walk/whole.h"

/*
 * Cuts edges, and where it is to do so joins nodes, by all rules, in place of what such a call did before. The graph is ready. -1 after fail(), with the rule's place: a node is
 * unknown, or an edge would go back in time. Where `cut` is not NULL, it gets how many edges the last rule cuts.
 */
int cuts_apply(struct whole *whole, const struct semantics *semantics, bool joins, size_t *cut);

#endif
