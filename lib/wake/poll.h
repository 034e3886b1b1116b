/*
 * poll: waits for locks of files, and tries for them; see poll.c. Private to lib/wake.
 */
#ifndef WAKE_POLL_H
#define WAKE_POLL_H

#include "wake/core.h"

/* The thread is assumed to be in a wait since before the data. If the collector has told which lock of a file it waits for, that is noted. */
void poll_assumed(struct wake *wake, struct thread *thread);

#endif
