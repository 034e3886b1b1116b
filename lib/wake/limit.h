/*
 * limit: when a wait would end by itself. A server's thread that waits for any of many events may wait for one deadline again and again, because
 * requests of others come in between, or another thread of its process waits in its place: Go's runtime does. Private to lib/wake.
 */
#ifndef WAKE_LIMIT_H
#define WAKE_LIMIT_H

#include "wake/part.h"

/*
 * Since when the process has waited for the deadline that ended this wait, which a timer of the thread's own did, and which thread then did so:
 * the wait's own begin where the data show no earlier wait for it.
 */
struct ask limit_since(const struct wake *wake, const struct thread *thread, size_t wait);

#endif
