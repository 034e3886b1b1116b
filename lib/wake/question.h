/*
 * question: what threads have asked by a connection of their process and were not answered yet, and whom; and whom calls have answered
 * (wake_answered() of wake.h). Private to lib/wake.
 *
 * Who asks by a connection: the side that called connect(), or that a `traced` record says so of. Whom it asks: the one thread of another process
 * that was woken by what was sent there.
 */
#ifndef WAKE_QUESTION_H
#define WAKE_QUESTION_H

#include "wake/core.h"

struct question {
	int64_t since;	/* when it was sent; TIME_NONE: there is none */
	int32_t by, of; /* index of the thread that asked, and of the one that was asked */
};

/*
 * The question that this thread's process had asked when the wait began, and that is still open. None where the process asks several others
 * at that time, or one that has never answered anything: numbers are sent to some.
 */
struct question question_in(const struct wake *wake, const struct thread *thread, const struct piece *wait);

/* Tells whether the thread is in a call that takes data out of a socket or pipe. That may wake the other side, because there is room to send more. */
bool question_receives(const struct wake *wake, const struct thread *thread);

#endif
