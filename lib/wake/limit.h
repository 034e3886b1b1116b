/*
 * limit: the deadline at which a wait ends by itself. A server's thread that waits for any of many events may wait for one deadline again and
 * again, because other clients' requests come in between. Or another thread of its process waits in its place, as in Go's runtime. Private to
 * lib/wake.
 */
#ifndef WAKE_LIMIT_H
#define WAKE_LIMIT_H

#include "wake/part.h"

/*
 * The thread's own timer ended this wait. Returns since when the process has waited for that deadline, and which thread waited first. If
 * the data show no earlier wait for that deadline, that is this thread, since this wait began.
 */
struct ask limit_since(const struct wake *wake, const struct thread *thread, size_t wait);

#endif
