/*
 * walk_back: from a wait to the thread that ended it, and on through the waits of that thread.
 *
 * The walk goes on with the wait that the waker's segment came out of. It ends where no thread ended a wait, where that wait was over before the
 * first node began, at a thread that is the first node's, and at a segment that comes twice. So it never goes into an earlier episode of a waker.
 */
#ifndef WALK_WALK_BACK_H
#define WALK_WALK_BACK_H

#include "walk/whole.h"

enum back_end { BACK_GOES_ON, BACK_NO_WAIT, BACK_NO_THREAD, BACK_EARLIER, BACK_ITSELF, BACK_TWICE, BACK_SEVERAL };

struct walk_back_step {
	uint32_t segment; /* whose wait it is */
	const struct whole_edge *edge; /* that ended it; NULL: no thread did */
	size_t strong;	  /* the number of strong edges that lead to that wait */
};

struct walk_back {
	ARRAY(struct walk_back_step) steps;
	enum back_end end;
	size_t choices; /* edges of the first node that `edge` may choose from */
};

/*
 * `edge`: follow that one of the first node's several, from 1, the last if it has fewer; 0: the latest. `ask`: stop where there are several (BACK_SEVERAL). To be
 * freed.
 */
struct walk_back walk_back(const struct whole *whole, uint32_t segment, size_t edge, bool ask);
void walk_back_free(struct walk_back *back);

#endif
