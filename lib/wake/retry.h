/*
 * retry: calls that return in vain and are repeated count as one wait. Private to lib/wake and lib/walk.
 */
#ifndef WAKE_RETRY_H
#define WAKE_RETRY_H

#include "wake/core.h"

/* Flags of a wait. */
enum {
	PIECE_CONDITION = PIECE_OF(RETRY_BITS, 0), /* it was for a futex that is no mutex */
	PIECE_VAIN = PIECE_OF(RETRY_BITS, 2),	   /* the thread went back to sleep in the same call */
	PIECE_BROKEN = PIECE_OF(RETRY_BITS, 1),	   /* a signal that asks for the thread's end broke it off, or the end followed: nobody ended the wait */
};

#endif
