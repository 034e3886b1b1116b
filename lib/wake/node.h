/*
 * node: makes the nodes of a graph that is cut out of a window: one for each piece that the walk comes to, with the deed that it
 * is, and for what kept a piece waiting. Parts make the nodes of what is theirs. Private to lib/wake.
 */
#ifndef WAKE_NODE_H
#define WAKE_NODE_H

#include "wake/core.h"

struct cut {
	struct wake *wake;
	struct graph *graph;
	ARRAY(struct piece *) pieces; /* that have a node */
};

/* Forgets which pieces have nodes; the graph stays. */
void cut_end(struct cut *cut);

/*
 * The index of the piece's node; the first call makes it, with all that kept the piece waiting. A run that served another than the
 * asker, the thread whose wait led here (INDEX_NONE: none), is named after that one.
 */
int32_t piece_node(struct cut *cut, const struct thread *thread, size_t piece, int32_t asker);

/* Nobody who is known ended the wait; `ends`: it ended with the thread. */
int32_t nobody_node(struct cut *cut, const struct thread *thread, const struct piece *wait, int64_t end, bool ends);

/* All of the graph, for want of data. */
int32_t nothing_node(struct cut *cut, const struct wake_wanted *wanted);

/*
 * A new node of the thread with this tid: it did the deed, or, if the deed names nobody, the deed was done to it. And one of
 * what ended this wait: its deed gets the function in which the thread waited.
 */
int32_t new_node(struct cut *cut, enum node_what what, int64_t start, int64_t end, int32_t tid, const struct deed *deed);
int32_t wait_end_node(struct cut *cut, const struct thread *thread, const struct piece *wait, enum node_what what, int64_t start,
		      int64_t end, struct deed *deed);

/* A deed without keys; then the keys of what a wait is in, or for, and of the interrupt that did it. */
struct deed deed_of(enum deed_kind kind);
void deed_in(const struct wake *wake, struct deed *deed, const struct piece *wait);
void deed_by_interrupt(const struct wake *wake, struct deed *deed, bool soft, int32_t number);

#endif
