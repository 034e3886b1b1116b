/*
 * walk_back: goes from a wait to the thread that ended it, and on through the waits of that thread.
 *
 * The walk goes on with the wait that the waker's segment came out of. It ends if no thread ended a wait, if that wait was over before the
 * first node began, if the waker is the first node's thread, and if a segment comes twice. So it never goes into an earlier episode of a waker.
 */
#ifndef WALK_WALK_BACK_H
#define WALK_WALK_BACK_H

#include "walk/whole.h"

enum back_end { BACK_GOES_ON, BACK_NO_WAIT, BACK_NO_THREAD, BACK_EARLIER, BACK_ITSELF, BACK_TWICE, BACK_SEVERAL };

struct walk_back_step {
	uint32_t segment; /* with the wait */
	const struct whole_edge *edge; /* the edge that ended the wait; NULL: no other thread ended it */
	size_t strong;	  /* the number of strong edges that lead to the wait */
};

struct walk_back {
	ARRAY(struct walk_back_step) steps;
	enum back_end end;
	size_t choices; /* the number of edges of the first node from which `edge` chooses */
};

/*
 * `edge`: which edge of the first node to follow, from 1; the last if it has fewer; 0: the latest. `ask`: stop at a wait with several strong edges
 * (BACK_SEVERAL). The caller frees the result with walk_back_free().
 */
struct walk_back walk_back(const struct whole *whole, uint32_t segment, size_t edge, bool ask);
void walk_back_free(struct walk_back *back);

#endif
