/*
 * deed_family: deeds that count as one although they differ.
 *
 * The deeds of one culprit that kept others off a CPU differ in the CPU, the function and the thread that waited; the deeds of a thread that ran
 * differ in the thread for which it ran. They are one family. Its deed has what nearly all of them share. Any other deed is a family of its own.
 *
 *	struct deed_family family = {0};
 *	deed_family_add(&family, deed, seconds);	each of the family
 *	sum = deed_family_common(&family);		"xz: on CPU while others were runnable"
 *	deed_family_free(&family);
 *
 * Threads of one process whose names differ only in their numbers, such as worker-1 and worker-2, are a pool. If each of them did the same,
 * the pool did it: "worker-*: running". Deeds do not name processes, so the caller checks that the threads are of one.
 *
 * A family holds copies of deeds by deed_copy(). The caller frees the deeds that are returned.
 */
#ifndef GRAPH_DEED_FAMILY_H
#define GRAPH_DEED_FAMILY_H

#include "base/memory.h"
#include "graph/deed.h"

struct deed_family_member {
	struct deed *deed;
	double weight;
};

/* All zero to begin with. Its space is bounded: once there are many different deeds, further ones count as different from all of them. */
struct deed_family {
	ARRAY(struct deed_family_member) members;
	double weight; /* of all */
};

/* The keys of a deed that its whole family shares; not a copy. */
struct deed deed_family_of(const struct deed *deed);

void deed_family_add(struct deed_family *family, const struct deed *deed, double weight);
void deed_family_free(struct deed_family *family);

/* The deed with the keys that more than nine tenths of the weight share. NULL: nothing was added. */
struct deed *deed_family_common(struct deed_family *family);

/* The deed of the pool: with '*' for each number in its thread's name; NULL: no thread with a number in its name did it. */
struct deed *deed_pool(const struct deed *deed);

/* The deed that two deeds of one pool share: with '*' for each number that differs. The first may be an earlier result. */
struct deed *deed_pool_join(const struct deed *pool, const struct deed *deed);

/*
 * Tells whether a ranked deed, perhaps that of a family or a pool, stands for this node's deed. Both must belong to the same graph, or one to none.
 */
bool deed_covers(const struct deed *ranked, const struct deed *deed);

#endif
