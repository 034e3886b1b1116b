/*
 * algorithm: which nodes of a graph to blame, and how much. One file and one line of the table each.
 *
 * An algorithm chooses nodes and gives each a score. It may use what blame.h has found (path, shares) or its own measure.
 * Names, order and records are the ranking's (ranking.h), the same for all. A node that takes no blame (a score of zero)
 * may be chosen; the ranking leaves it out.
 *
 * Request activity graphs, `count` being the n of the "n most blamed":
 *
 * critical	AUDIT's critical blame. Join nodes take no part. B1 are the `count` most blamed nodes on the path (ties:
 *		earlier start, lower id), nodes without blame among them if the path has no more with; alpha is the
 *		least blame in B1, so it may be zero. B2 are the nodes off the path that run at some instant at which a
 *		node of B1 runs (waits included) and whose blame is at least alpha.
 * npt		the same blame, the `count` most blamed of all nodes, on the path or off it.
 *
 * Wake graphs:
 *
 * critical	every node that has blame: the shares add up to the path, so all of them took part in it.
 * npt		each instant from `from` to `to` shared equally among all nodes that ran or served then, path or no path.
 */
#ifndef BLAME_ALGORITHM_H
#define BLAME_ALGORITHM_H

#include "blame/blame.h"

struct choice {
	int32_t node;
	struct share score;
};

struct choices {
	ARRAY(struct choice) list;
};

struct blame_algorithm {
	const char *name;
	void (*choose)(const struct blame *blame, size_t count, struct choices *choices);
};

/* NULL after fail(), which lists the names that there are. */
const struct blame_algorithm *blame_algorithm(const char *name);

void choose_critical(const struct blame *blame, size_t count, struct choices *choices);
void choose_npt(const struct blame *blame, size_t count, struct choices *choices);

void choices_add(struct choices *choices, int32_t node, struct share score);
void choices_sort(struct choices *choices, const struct graph *graph); /* score, most first; earlier start; lower id */
void choices_sort_by_name(struct choices *choices, const struct graph *graph); /* name; then like choices_sort */
void choices_cut(struct choices *choices, size_t count);	       /* keeps the first so many */

#endif
