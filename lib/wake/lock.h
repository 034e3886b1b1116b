/*
 * lock: the kernel's own locks (lock:contention_begin), which threads sleep for, or spin. Private to lib/wake.
 */
#ifndef WAKE_LOCK_H
#define WAKE_LOCK_H

#include "wake/core.h"

/* Whether the thread tries to get a lock that it may sleep for. */
bool lock_wanted(const struct thread *thread);

#endif
