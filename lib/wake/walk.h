/*
 * walk: goes backward from the end of what was slow, to the thread or device that ended each wait on the way. The walk works off a list of
 * errands: the core walks threads, a part walks what is its own, and each part explains the waits that a cause of its own ended. Private to
 * lib/wake.
 */
#ifndef WAKE_WALK_H
#define WAKE_WALK_H

#include "wake/part.h"
#include "wake/node.h"

/* On its way back the walk has passed a wait for any of many events, by a thread of this process. */
struct idle {
	int32_t process; /* 0: it has passed none */
	int32_t ended_by; /* the other process that ended that wait; 0: none did */
};

/* A place from which the walk still has to go back: from `at`, no further than `floor`, to explain the node `after`. */
struct errand {
	int part; /* the part that `index` belongs to; PART_SCHED: it is a thread's */
	int32_t index;
	int64_t at, floor;
	int32_t after; /* node; NODE_NONE: there is none, this is the graph's target */
	enum edge_kind edge;
	int64_t ts; /* of the edge */
	int32_t asker; /* index of the thread whose wait led here; INDEX_NONE */
	struct idle idle;
};

struct walk {
	struct cut cut;
	ARRAY(struct errand) errands;
	ARRAY(struct visit) visits; /* by node */
};

void walk_later(struct walk *walk, struct errand errand);
void walk_link(struct walk *walk, int32_t from, int32_t to, enum edge_kind kind, int64_t ts); /* to NODE_NONE: `from` is the target */

/* Has the wait explained by the part whose cause ended it. */
void walk_explain(struct walk *walk, const struct thread *thread, size_t at, int32_t node, struct errand errand);

/* Tells whether the walk has still to go back from the node to the floor. */
bool walk_visit(struct walk *walk, int32_t node, int64_t floor);

/*
 * One more than the index of the piece in which something happened at the errand's time. If one piece ends at that time and another begins, it
 * is the one that is a run, because a thread that causes something runs. For the target, it is the one that ends.
 */
size_t walk_piece_at(const struct thread *thread, const struct errand *errand);

#endif
