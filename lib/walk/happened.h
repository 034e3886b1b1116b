/*
 * happened: what happened so far in a segment that goes on: the events as a set and in order, what system calls returned, what was counted, and
 * where samples found the thread. All zero is nothing.
 */
#ifndef WALK_HAPPENED_H
#define WALK_HAPPENED_H

#include "walk/whole.h"

struct happened {
	ARRAY(uint32_t) words, sequence, results;
	struct whole_counts counters, samples;
};

void happened_free(struct happened *happened);

void happened_add(struct happened *happened, uint32_t word);
void happened_return(struct happened *happened, uint32_t result);
void happened_count(struct whole_counts *counts, uint32_t word, uint64_t count); /* of counters or samples */

/* Hands it over to the segment of the whole, which is over, and begins anew. */
void happened_close(struct happened *happened, struct whole *whole, uint32_t segment);

#endif
