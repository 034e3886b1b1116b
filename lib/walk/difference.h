/*
 * difference: what sets two segments apart, for `compare` (Argus, sections 4.4 and 4.5): times, counters, what system calls returned, and where
 * what happened in the one goes another way than in the other. They may be of two streams, so words are compared as texts.
 */
#ifndef WALK_DIFFERENCE_H
#define WALK_DIFFERENCE_H

#include "walk/tell.h"

struct segment_ref {
	const struct whole *whole;
	uint32_t segment;
};

void tell_difference(struct teller *teller, struct segment_ref one, struct segment_ref other);

#endif
