/*
 * taker: the thread that is to take a connection that woke nobody, because that thread is busy or stopped. If earlier connections to the same
 * address and port woke threads, it is one of these. Otherwise, or besides, it is of a process that listened there when tracing began, as `traced`
 * records tell.
 *
 * If several processes take connections there, and a thread of each waits in one and the same call, or is stopped, any of them is the answer: the
 * one that has waited longest. Otherwise the taker is not known. What is known here outlives a window. Private to lib/wake, for its questions.
 */
#ifndef WAKE_TAKER_H
#define WAKE_TAKER_H

#include "wake/core.h"

struct takers {
	struct listener *listeners;
	struct port *ports;
};

/* A port of an address to which threads have connected. */
struct listener;

void takers_free(struct takers *takers); /* every listener, too */

/* A process listened at a port when tracing began; `fields` is its `traced` record. */
void takers_told(struct takers *takers, struct wake *wake, int32_t process, int32_t port, const struct fields *fields);

/* A process begins to listen at a port, perhaps in another network namespace: who listened there before is no longer the answer. */
void takers_listen(struct takers *takers, int32_t port);

/* The listener at a port and address, written in one text. NULL: there are too many to keep. */
struct listener *takers_at(struct takers *takers, const char *peer);

/* A connection to it woke this thread. */
void takers_learn(struct listener *listener, struct wake *wake, const struct thread *woken);

/* Index of the thread that takes the listener's connections; INDEX_NONE: it is not known. `port` on this machine; 0: elsewhere, perhaps. */
int32_t takers_find(const struct takers *takers, struct wake *wake, const struct listener *listener, uint16_t port, int32_t asking);

#endif
