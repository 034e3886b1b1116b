/*
 * family: deeds that belong together although they differ.
 *
 * For whom one and the same culprit left no CPU, and which CPU, differs from one such node to the next, and for whom a thread ran, too: together
 * they are a family, whose deed is what is true of nearly all of them. Any other deed is a family of its own.
 *
 *	struct family family = {0};
 *	family_add(&family, deed, seconds);		for each of the family
 *	sum = family_deed(&family);			"xz: on CPU while others were runnable"
 *	family_free(&family);
 *
 * Threads of one process whose names differ only in their numbers, such as worker-1 and worker-2, are a pool. What each of them
 * did alike, their pool did: "worker-*: running". Deeds say nothing of processes: that is for the caller to look at.
 *
 * Deeds are copies by deed_copy(), and those returned too, which the caller frees.
 */
#ifndef GRAPH_FAMILY_H
#define GRAPH_FAMILY_H

#include "base/memory.h"
#include "graph/deed.h"

struct family_member {
	struct deed *deed;
	double weight;
};

/* All zero to begin with. In bounded space: what comes after many different deeds is counted as different from all. */
struct family {
	ARRAY(struct family_member) members;
	double weight; /* of all */
};

/* The part of a deed, not a copy, that all of its family have. */
struct deed family_of(const struct deed *deed);

void family_add(struct family *family, const struct deed *deed, double weight);
void family_free(struct family *family);

/* The deed with the keys that more than nine tenths of the weight share. NULL: nothing was added. */
struct deed *family_deed(struct family *family);

/* The deed with '*' for each number in its thread's name; NULL: no thread with a number in its name did that. */
struct deed *pool_family(const struct deed *deed);

/* The deed that two deeds of one pool family have in common; equal numbers stay. The first may be an earlier result. */
struct deed *pool_join(const struct deed *pool, const struct deed *deed);

/* Tells whether a ranked deed, of a family or a pool perhaps, stands for this node's deed. In a graph both must be its own, or one of neither. */
bool deed_covers(const struct deed *ranked, const struct deed *deed);

#endif
