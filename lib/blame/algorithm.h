/*
 * algorithm: which nodes of a graph to blame, and how much. Each algorithm is a `const struct blame_algorithm` in a file of its own (`wanted`
 * shares that of `critical`), and a line in the list of algorithms.c, from which --help, messages and completion take the names.
 *
 * An algorithm chooses nodes and gives each a score. It may use the path and the shares of blame.h, or its own
 * measure. The ranking (ranking.h) makes names, order and records, the same way for all. An algorithm may choose a node without blame
 * (a score of zero); the ranking leaves it out.
 *
 * Request activity graphs. `count` is the n of the "n most blamed". Join nodes take no part:
 *
 * critical	AUDIT's critical blame. B1 are the `count` most blamed nodes on the path (ties:
 *		earlier start, lower id); if the path has too few nodes with blame, B1 has nodes without blame too. alpha is the
 *		least blame in B1, so it may be zero. B2 are the nodes off the path that run at some instant at which a
 *		node of B1 runs (waits included) and whose blame is at least alpha.
 * npt		the same blame, but the `count` most blamed of all nodes, on the path or off it.
 * tcm		the `count` nodes on the path that were active longest, however many others were active meanwhile.
 * ilz		in each of `count` turns, or until no node helps, the node whose active time, taken as zero, shortens the replayed
 *		request most (ilz.c). Ties: first a node that would make the request longer if it were longer itself, then
 *		more active time, earlier start, lower id. Its score is the time by which it shortened the request, after those
 *		chosen before it. Turns decide the order, whatever the scores.
 * exception	the `count` nodes nearest to a throw: nodes that threw, and their callers. A node that threw counts as a
 *		caller if a node below it threw. The score is 1/(1 + calls in between), not a time.
 * wanted	critical with two changes. Nodes that a join of any on the path awaited in vain, and all that these waited for in
 *		turn, may be in B2 whenever they ran, because they would have ended the wait, too. A timer does no work: it is never
 *		active, and a node that waits for a timer stays active. Without timers, wanted lists all that critical lists.
 *
 * Wake graphs:
 *
 * critical	every node that has blame: the shares add up to the path, so all of them took part in it.
 * npt		each instant from `from` to `to` is shared equally among all nodes that ran or served then, on the path or
 *		off it.
 * tcm		the pieces of the path, each with its own time, including time runnable or queued.
 * ilz		in each of `count` turns, the deed whose nodes, all taken as zero, shorten the replay (replay_wake.h) most. Its
 *		longest node stands for it, or its longest on the path if it has any there.
 * wanted	as critical: a wake graph shows no other way in which a wait could have ended.
 */
#ifndef BLAME_ALGORITHM_H
#define BLAME_ALGORITHM_H

#include "blame/blame.h"

struct pick {
	int32_t node;
	uint32_t turn; /* from 1, of an algorithm that chooses in turns: sorts before the score; else 0 */
	struct share score;
};

struct picks {
	ARRAY(struct pick) list;
};

struct blame_algorithm {
	const char *name;
	/* Adds to picks. 0; -1 after fail(): the algorithm cannot rank this graph. */
	int (*choose)(const struct blame *blame, size_t count, struct picks *picks);
	bool timeless; /* scores are not times: share_whole(NSEC_PER_SEC) stands for 1 */
};

/* An algorithm by name; NULL after fail(), which lists the names. */
const struct blame_algorithm *blame_algorithm(const char *name);
const char *blame_algorithm_name(size_t index); /* in the list's order; NULL: past the end */

void picks_add(struct picks *picks, int32_t node, struct share score);
void picks_sort(struct picks *picks, const struct graph *graph); /* by turn; higher score; earlier start; lower id */
void picks_sort_by_deed(struct picks *picks, const struct graph *graph); /* by family of deeds, then as picks_sort() */
void picks_cut(struct picks *picks, size_t count);	       /* keeps the first `count` */

#endif
