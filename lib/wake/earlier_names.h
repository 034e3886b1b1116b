/*
 * earlier_names: the names of threads (comm), which a thread may change while the window is open. Private to lib/wake, lib/calls and lib/walk.
 */
#ifndef WAKE_EARLIER_NAMES_H
#define WAKE_EARLIER_NAMES_H

#include "wake/core.h"

/* wake_comm(): the name that the thread has now, or had when it ended. wake_comm_at(): the name that it had at this time. */
const char *wake_comm(const struct wake *wake, const struct thread *thread);
const char *wake_comm_at(const struct wake *wake, const struct thread *thread, int64_t ts);

#endif
