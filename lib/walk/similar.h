/*
 * similar: finds normal segments that did what a given segment did (Argus, section 4.5).
 *
 * A similar segment is of the same thread, or of a thread of the same name, and waits for the same thing; it is normal (interval.h), and
 * waited less than half as long; and of the two sets of what happened in them, one contains the other. A set of few words says
 * too little: it is joined with the sets of the segments before.
 */
#ifndef WALK_SIMILAR_H
#define WALK_SIMILAR_H

#include "walk/interval.h"
#include "walk/normal_stream.h"

enum { SET_FEW = 2, SETS_JOINED = 8 };

struct similar {
	uint32_t segment;
	uint32_t both, either; /* how many words are in both sets, and in either: the likeness is both / either */
};

struct similar_list {
	ARRAY(struct similar) found;
};

/*
 * The similar segments by likeness, highest first; then by the distance of starts, and by id. Only the first `most` are in order. If `normal` is
 * NULL, they are of the same stream. The caller frees the list with similar_free().
 */
struct similar_list similar_find(const struct whole *whole, uint32_t segment, bool any_thread, const struct normal_stream *normal, uint64_t most);
void similar_free(struct similar_list *list);

#endif
