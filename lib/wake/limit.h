/*
 * limit: the deadline at which a wait ends by itself. A server's thread that waits for any of many events may wait for one deadline again and
 * again, because requests of others come in between. Or another thread of its process waits in its place, as in Go's runtime. Private to
 * lib/wake.
 */
#ifndef WAKE_LIMIT_H
#define WAKE_LIMIT_H

#include "wake/part.h"

/*
 * A timer of the thread's own ended this wait. Returns since when the process has waited for that deadline, and which thread did so first. If
 * the data show no earlier wait for that deadline: this thread, since this wait began.
 */
struct ask limit_since(const struct wake *wake, const struct thread *thread, size_t wait);

#endif
