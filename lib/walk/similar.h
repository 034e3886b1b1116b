/*
 * similar: segments that did what a given one did, and were normal (Argus, section 4.5).
 *
 * A similar segment is of the same thread, or of a thread of the same name, and waits for the same thing; it is normal (interval.h),
 * waited less than half as long, and what happened in one of the two, as a set, contains what happened in the other. A set of few words says
 * too little: it is joined with those of the segments before.
 */
#ifndef WALK_SIMILAR_H
#define WALK_SIMILAR_H

#include "walk/interval.h"
#include "walk/normal_stream.h"

enum { SET_FEW = 2, SETS_JOINED = 8 };

struct similar {
	uint32_t segment;
	uint32_t both, either; /* words of both sets, and of either: their likeness is the quotient */
};

struct similar_list {
	ARRAY(struct similar) found;
};

/*
 * By likeness, falling; then by the distance of starts, and id; of more than `most` those behind these are in no order. To be freed. `normal`: NULL:
 * of the same stream.
 */
struct similar_list similar_find(const struct whole *whole, uint32_t segment, bool any_thread, const struct normal_stream *normal, uint64_t most);
void similar_free(struct similar_list *list);

#endif
