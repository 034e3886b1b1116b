/*
 * question: keeps what threads have asked through connections, and which threads they asked, until the answers come; and the threads that calls
 * have answered (wake_answered() of wake.h). Private to lib/wake.
 *
 * The asking side of a connection is the one that called connect(), or that a `traced` record names. It asks the one thread of another process
 * that its data wake. A new connection that wakes nobody asks the thread that is to take it (wake/taker.h).
 */
#ifndef WAKE_QUESTION_H
#define WAKE_QUESTION_H

#include "wake/core.h"

struct question {
	int64_t since;	/* when it was sent; TIME_NONE: there is no question */
	int32_t by, of; /* index of the thread that asked, and of the one that was asked */
};

/*
 * The question that this thread's process had asked when the wait began, and that is still open or was given up only after the wait. There is none
 * if the process asks several others at that time, or if no answer is to be expected: servers that collect metrics never answer. An answer is to be
 * expected if one has come through that connection before; or if this is the first question through a connection that somebody took, and the asking
 * thread has transferred nothing through another descriptor since.
 */
struct question question_in(const struct wake *wake, const struct thread *thread, const struct piece *wait);

/* Tells whether the thread had asked somebody whom the data do not show, such as a stopped process, and expects an answer. */
bool question_of_unknown(const struct wake *wake, const struct thread *thread, const struct piece *wait);

/* Tells whether the thread is in a call that takes data out of a socket or pipe. That may wake the other side: there is room to send more. */
bool question_receives(const struct wake *wake, const struct thread *thread);

#endif
