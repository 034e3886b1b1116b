/*
 * rival: the names of nodes that had a CPU for which others waited, such as "xz: on CPU 1 while redis was runnable". For
 * whom one and the same culprit left no CPU, and which, differs from one such node to the next, so that its names are many:
 * together they are a family. Any other name is a family of its own.
 *
 *	char *family = rival_family(name);		to find what belongs together
 *	struct rivals rivals = {0};
 *	rivals_add(&rivals, name, seconds);		for each of the family
 *	char *sum = rivals_name(&rivals);		"xz: on CPU while others were runnable"
 *	rivals_free(&rivals);
 */
#ifndef GRAPH_RIVAL_H
#define GRAPH_RIVAL_H

#include <stdint.h>

#include "base/memory.h"

struct rival {
	char *name;
	double weight;
};

/* All zero to begin with. In bounded space: what comes after many different names is counted as different from all. */
struct rivals {
	ARRAY(struct rival) names;
	double weight; /* of all */
};

char *rival_spell(const char *who, uint32_t cpu, const char *waiter); /* a name; the caller frees it */
char *rival_family(const char *name);				      /* "xz: on CPU"; the caller frees it */

/* All names must be of one family. */
void rivals_add(struct rivals *rivals, const char *name, double weight);
void rivals_free(struct rivals *rivals);

/* What is true of more than nine tenths of the weight, as a name of the family; the caller frees it. "" of nothing. */
char *rivals_name(struct rivals *rivals);

#endif
