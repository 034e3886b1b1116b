/*
 * lock: the kernel's own locks (lock:contention_begin), for which threads sleep or spin. Private to lib/wake.
 */
#ifndef WAKE_LOCK_H
#define WAKE_LOCK_H

#include "wake/core.h"

/* Of a run: the thread spins for a lock of the kernel. */
enum { PIECE_SPIN = PIECE_OF(LOCK_BITS, 0) };

/* Tells whether the thread tries to get a lock that it may sleep for. */
bool lock_wanted(const struct thread *thread);

#endif
