/*
 * counted: counters of a thread's runs, if the data have them (trace-collect --stack, --counters). Private to lib/wake
 * and lib/walk.
 */
#ifndef WAKE_COUNTED_H
#define WAKE_COUNTED_H

#include "wake/node.h"

/* Forgets what was counted for the thread before this time. */
void counted_trim(const struct thread *thread, int64_t before);

#endif
