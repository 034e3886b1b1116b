/*
 * deed_family: deeds that count as one although they differ.
 *
 * The deeds of one culprit that kept others off a CPU differ in the CPU, the function and the thread that waited; the deeds of a thread that ran
 * differ in the thread for which it ran. They are one family, whose common deed has the keys that nearly all of them share. Any deed of another
 * kind is a family of its own.
 *
 *	struct deed_family family = {0};
 *	deed_family_add(&family, deed, seconds);	each of the family
 *	sum = deed_family_common(&family);		"xz: on CPU while others were runnable"
 *	deed_family_free(&family);
 *
 * Threads of one process whose names differ only in their numbers, such as worker-1 and worker-2, are a pool. If each of them did the same,
 * the pool did it: "worker-*: running". Deeds do not name processes, so the caller checks that the threads belong to one process.
 *
 * A family holds copies of deeds made by deed_copy(). The caller frees the deeds that are returned.
 */
#ifndef GRAPH_DEED_FAMILY_H
#define GRAPH_DEED_FAMILY_H

#include "base/memory.h"
#include "graph/deed.h"

struct deed_family_member {
	struct deed *deed;
	double weight;
};

/* Starts as all zero. Its space is bounded: after 64 different deeds, a new one adds only its weight, and counts as different from all others. */
struct deed_family {
	ARRAY(struct deed_family_member) members;
	double weight; /* of all deeds added */
};

/* The deed with only those keys that its whole family shares. It points at the texts of `deed`. */
struct deed deed_family_of(const struct deed *deed);

void deed_family_add(struct deed_family *family, const struct deed *deed, double weight);
void deed_family_free(struct deed_family *family);

/* The deed with the keys that deeds of more than nine tenths of the weight share. NULL: nothing was added. */
struct deed *deed_family_common(struct deed_family *family);

/* The deed of the pool: with '*' for each number in the thread's name. NULL: the name has no number, or the deed is not shared work of a thread. */
struct deed *deed_pool(const struct deed *deed);

/* The deed that two deeds of one pool share, with '*' for each number that differs. `pool` may be an earlier result. */
struct deed *deed_pool_join(const struct deed *pool, const struct deed *deed);

/*
 * Tells whether a ranked deed, perhaps the deed of a family or a pool, stands for this node's deed. If both belong to a graph, it must be the
 * same graph.
 */
bool deed_covers(const struct deed *ranked, const struct deed *deed);

#endif
