/*
 * difference: how two segments differ, for `compare` (Argus, sections 4.4 and 4.5): times, counters, results of system calls, and the
 * first event that differs. The segments may be of two streams, so words are compared as texts.
 */
#ifndef WALK_DIFFERENCE_H
#define WALK_DIFFERENCE_H

#include "walk/describe.h"

struct segment_ref {
	const struct whole *whole;
	uint32_t segment;
};

void describe_difference(struct describer *describer, struct segment_ref one, struct segment_ref other);

#endif
