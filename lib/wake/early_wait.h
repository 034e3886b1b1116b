/*
 * early_wait: a wait in which /proc saw a process when tracing began, as the keys stopped and call of a `traced` record tell. Private to lib/wake.
 */
#ifndef WAKE_EARLY_WAIT_H
#define WAKE_EARLY_WAIT_H

#include "wake/core.h"

/* The reason of the wait; CALL_NONE: the record does not tell. */
int16_t early_wait_reason(const struct wake *wake, const struct fields *fields);

/* Begins the wait of a thread that has done nothing since. False: the reason is CALL_NONE. */
bool early_wait_begin(struct wake *wake, struct thread *thread, int16_t reason);

#endif
