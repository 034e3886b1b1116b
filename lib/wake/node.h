/*
 * node: makes the nodes of a graph that is cut out of a window: one for each piece that the walk comes to, with its deed, and one for
 * each thing that kept a piece waiting. Parts make the nodes of what is theirs. Private to lib/wake.
 */
#ifndef WAKE_NODE_H
#define WAKE_NODE_H

#include "wake/core.h"

struct cut {
	struct wake *wake;
	struct graph *graph;
	ARRAY(struct piece *) pieces; /* those that have a node */
};

/* Forgets which pieces have nodes; the graph stays. */
void cut_end(struct cut *cut);

/*
 * The index of the piece's node. The first call makes it, with nodes for all that kept the piece waiting. The asker is the thread
 * whose wait led here (INDEX_NONE: none). If a run served another thread than the asker, its node names that thread.
 */
int32_t piece_node(struct cut *cut, const struct thread *thread, size_t piece, int32_t asker);

/* Makes a node that says that nobody known ended this wait; `until`: "end": the thread ended in it; "signal": a signal broke it off; else NULL. */
int32_t nobody_node(struct cut *cut, const struct thread *thread, const struct piece *wait, int64_t end, const char *until);

/* Makes the only node of a graph for which there are no data. */
int32_t nothing_node(struct cut *cut, const struct wake_wanted *wanted);

/*
 * new_node() makes a node of the thread with this tid: the deed's `who` or, if the deed has none, its `whom`. wait_end_node() makes
 * a node of what ended this wait, and adds to the deed the function in which the thread waited.
 */
int32_t new_node(struct cut *cut, enum node_what what, int64_t start, int64_t end, int32_t tid, const struct deed *deed);
int32_t wait_end_node(struct cut *cut, const struct thread *thread, const struct piece *wait, enum node_what what, int64_t start,
		      int64_t end, struct deed *deed);

/*
 * deed_of() makes a deed without keys. deed_in() sets the keys that say what a wait was in or for; deed_by_interrupt() sets those of the
 * interrupt that did the deed.
 */
struct deed deed_of(enum deed_kind kind);
void deed_in(const struct wake *wake, struct deed *deed, const struct piece *wait);
void deed_by_interrupt(const struct wake *wake, struct deed *deed, bool soft, int32_t number);

#endif
