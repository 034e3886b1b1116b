/*
 * wake_node: the nodes of a graph that is cut out of a window: made once for each piece and request, with the deed that
 * it is. Private to lib/wake.
 */
#ifndef WAKE_NODE_H
#define WAKE_NODE_H

#include "wake/wake_name.h"
#include "wake/work.h"

struct cut {
	struct wake *wake;
	struct graph *graph;
	ARRAY(struct piece *) pieces; /* that have a node */
	ARRAY(int32_t) requests;      /* that have one */
};

/*
 * Each returns the index of the node; the first two make on the first call also all that kept the piece waiting. A run
 * that served others than the asker, the thread whose wait led here (INDEX_NONE: none), is named after those.
 */
int32_t piece_node(struct cut *cut, const struct thread *thread, size_t piece, int32_t asker);
int32_t queue_node(struct cut *cut, int32_t request);
int32_t service_node(struct cut *cut, int32_t request);
int32_t data_node(struct cut *cut, int32_t request); /* until its data are written, where there is such a part */
int32_t behind_node(struct cut *cut, int32_t request); /* NODE_NONE: it stood behind none in the device */

/* What ended a wait and has no history of its own: a node that lasts as long as the wait. */
int32_t bare_cause_node(struct cut *cut, const struct thread *thread, const struct piece *wait, int64_t end);

/* Nobody who is known ended the wait; `ends`: it ended with the thread. */
int32_t nobody_node(struct cut *cut, const struct thread *thread, const struct piece *wait, int64_t end, bool ends);

/*
 * What queued a work that is nobody's, or an interrupt's, and how much of the asker's wait that explains: all since
 * `start`. Requests that a limit held back wait for no thread, but for their time.
 */
int32_t work_cause_node(struct cut *cut, const struct work *work, int64_t start, int32_t asker);

/* A wait for a disk to keep up with what is written: queued behind all that it served meanwhile. */
int32_t dirty_node(struct cut *cut, const struct thread *thread, const struct piece *wait, int64_t end);

/* A timer that another thread armed, and how much of the wait it explains. */
int32_t armed_node(struct cut *cut, const struct thread *thread, const struct piece *wait, const struct raise *raise,
		   int64_t end);

/* A soft interrupt that was handled after its raiser had left the CPU: the time in between is nobody's. */
int32_t raised_node(struct cut *cut, const struct thread *thread, const struct raise *raise, int64_t end);

/* All of the graph, for want of data. */
int32_t nothing_node(struct cut *cut);

/* The thread, brought up to date. */
struct thread *thread_at(struct cut *cut, int32_t index);

/*
 * wake_holder.c: who had the CPU that a runnable piece waited for, each cut to the time that they have in common; or
 * that it was not let on an idle one. An idle CPU holds up nobody.
 */
void add_holders(struct cut *cut, const struct thread *waiter, size_t piece, int32_t node);

/*
 * For those above: a node of the thread with this tid, who did the deed; or to whom it was done, where the deed names nobody who did.
 * And a deed without keys; and the interrupt that did it.
 */
int32_t new_node(struct cut *cut, enum node_what what, int64_t start, int64_t end, int32_t tid, const struct deed *deed);
struct deed deed_of(enum deed_kind kind);
void deed_by_interrupt(const struct wake *wake, struct deed *deed, bool soft, int32_t number);

/* Whose time a piece is: that of who asked for the work, if it is one. */
const struct thread *piece_master(const struct wake *wake, const struct thread *thread, const struct piece *piece);

/* Forgets which pieces and requests have nodes; the graph stays. */
void cut_end(struct cut *cut);

#endif
