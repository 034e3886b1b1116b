/*
 * ask: requests of threads to other threads, and their answers. A wait belongs to the request that is not answered yet, which may be much
 * older than the wait. Private to lib/wake and lib/walk.
 */
#ifndef WAKE_ASK_H
#define WAKE_ASK_H

#include "wake/core.h"

/* Of a run at whose end the thread woke a thread of another process; index: of the woken thread. */
enum { CAUSE_PEER = CAUSE(PART_ASK, 0) };

/* Flags of a run (PIECE_BATCH) and of a wait. */
enum {
	PIECE_BATCH = PIECE_OF(ASK_BITS, 0),	 /* one of several runs in a row that served several processes */
	PIECE_TICK = PIECE_OF(ASK_BITS, 1),	 /* the thread's own timer or a signal ended it, not what it waited for */
	PIECE_ROOM = PIECE_OF(ASK_BITS, 2),	 /* a thread that received data ended it: there is room to send, which is no answer */
};

/* Tells whether the wait is for something that has not come by the end of the data: nothing, or only a timer of the thread, has ended the wait. */
bool ask_is_open(const struct wake *wake, const struct thread *thread, size_t wait);

/* The thread whose answer this wait awaits, if the answer has not come by the end of the data (ask_is_open()). INDEX_NONE: there is none. */
int32_t ask_awaits(const struct wake *wake, const struct thread *thread, size_t wait);

/*
 * Tells whether only the thread `child` and kernel threads have ended waits of this thread since the child was made: so this thread reads what
 * the child writes. `child` may be INDEX_NONE.
 */
bool ask_is_for_child(const struct wake *wake, const struct thread *thread, size_t wait, int32_t child);

/* Tells whether the thread's own timer ended the wait, and the wait was for the answer of somebody whom the data do not show. */
bool ask_of_unknown(const struct wake *wake, const struct thread *thread, size_t wait);

#endif
