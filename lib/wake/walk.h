/*
 * walk: backward from the end of what was slow, to the thread or device that ended each wait on the way. The walk is a list of errands; the
 * core walks threads, a part what is its own, and each part explains the waits that ended by a cause of its own. Private to
 * lib/wake.
 */
#ifndef WAKE_WALK_H
#define WAKE_WALK_H

#include "wake/part.h"
#include "wake/node.h"

/* On the way back the walk has passed a wait for any of many events, of a thread of this process. */
struct idle {
	int32_t process; /* 0: of none */
	int32_t ended_by; /* the other process that ended it; 0: none did */
};

/* A place that the walk has still to go back from: from `at`, no further than `floor`, because of the node that comes after it. */
struct errand {
	int part; /* whose thing it is; PART_SCHED: a thread */
	int32_t index;
	int64_t at, floor;
	int32_t after; /* node; NODE_NONE: it is the graph's target */
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
void walk_link(struct walk *walk, int32_t from, int32_t to, enum edge_kind kind, int64_t ts); /* to NODE_NONE: the target */

/* The wait is explained by the part whose cause ended it. */
void walk_explain(struct walk *walk, const struct thread *thread, size_t at, int32_t node, struct errand errand);

/* Tells whether the walk has still to go back from the node to the floor. */
bool walk_visit(struct walk *walk, int32_t node, int64_t floor);

/*
 * One more than the number of the piece in which something happened at the errand's time. Where one piece ends then and another begins, it is
 * the run of the two, because a thread that causes something runs; of the target, it is the piece that ends.
 */
size_t walk_piece_at(const struct thread *thread, const struct errand *errand);

#endif
