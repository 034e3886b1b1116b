/*
 * algorithm: which nodes of a graph to blame, and how much. Each is a `const struct blame_algorithm` in a file of its own, or of its
 * family, and a line in the list of algorithms.c, which gives --help, messages and completion their names.
 *
 * An algorithm chooses nodes and gives each a score. It may use what blame.h has found (path, shares) or its own
 * measure. Names, order and records are the ranking's (ranking.h), the same for all. A node that takes no blame (a
 * score of zero) may be chosen; the ranking leaves it out.
 *
 * Request activity graphs, `count` being the n of the "n most blamed". Join nodes take no part:
 *
 * critical	AUDIT's critical blame. B1 are the `count` most blamed nodes on the path (ties:
 *		earlier start, lower id), nodes without blame among them if the path has no more with; alpha is the
 *		least blame in B1, so it may be zero. B2 are the nodes off the path that run at some instant at which a
 *		node of B1 runs (waits included) and whose blame is at least alpha.
 * npt		the same blame, the `count` most blamed of all nodes, on the path or off it.
 * tcm		the `count` nodes on the path that were active longest, however many were active beside them.
 * ilz		`count` times: the node whose active time, taken as zero, shortens the replayed request most (ilz.c;
 *		ties: first those on the replay's critical path, which would make the request longer if they were, then
 *		more active time, earlier start, lower id), until none does. Its score is what it shortened the request
 *		by, given those chosen before it; it keeps its turn, whatever the scores.
 * exception	the `count` nodes nearest to a throw, among the one that threw (and called nobody that did) and its
 *		callers. The score is 1/(1 + calls in between), not a time.
 * wanted	critical, but what a join of any on the path awaited in vain, and all that this in turn waited for, may
 *		be in B2 whenever it ran, because it would have ended the wait, too. Timers do no work: they are never
 *		active, and a node that waits for one goes on being active. Without timers it lists all that critical
 *		lists.
 *
 * Wake graphs:
 *
 * critical	every node that has blame: the shares add up to the path, so all of them took part in it.
 * npt		each instant from `from` to `to` shared equally among all nodes that ran or served then, path or no
 *		path.
 * tcm		the pieces of the path, each with its own time, time runnable or queued too.
 * ilz		`count` times: the name whose nodes, all taken as zero, shorten the replay (replay_wake.h) most; one node
 *		stands for it, the longest, of those on the path if there are any.
 * wanted	as critical: a wake graph knows of no other way in which a wait could have ended.
 */
#ifndef BLAME_ALGORITHM_H
#define BLAME_ALGORITHM_H

#include "blame/blame.h"

struct pick {
	int32_t node;
	uint32_t turn; /* when it was chosen, where that goes before its score; else 0 */
	struct share score;
};

struct picks {
	ARRAY(struct pick) list;
};

struct blame_algorithm {
	const char *name;
	/* -1 after fail(): it is not for such a graph. */
	int (*choose)(const struct blame *blame, size_t count, struct picks *picks);
	bool timeless; /* scores are no times: share_whole(NSEC_PER_SEC) stands for 1 */
};

/* An algorithm by name; NULL after fail(), which lists the names. */
const struct blame_algorithm *blame_algorithm(const char *name);
const char *blame_algorithm_name(size_t index); /* in the table's order; NULL: there are no more */

void picks_add(struct picks *picks, int32_t node, struct share score);
void picks_sort(struct picks *picks, const struct graph *graph); /* turn; score, most first; earlier start; lower id */
void picks_sort_by_deed(struct picks *picks, const struct graph *graph); /* family of deeds; then like picks_sort */
void picks_cut(struct picks *picks, size_t count);	       /* keeps the first `count` */

#endif
