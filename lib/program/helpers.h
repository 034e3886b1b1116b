/*
 * helpers: the processes that open and read programs for this one (program/helper.h, program/lookup.h), as long as they live. They are
 * tailblame's own work: their events are nobody else's, and their CPU time is a part of what tracing costs. Any thread may ask.
 */
#ifndef PROGRAM_HELPERS_H
#define PROGRAM_HELPERS_H

#include <stdint.h>

enum { HELPERS_MAX = 4 }; /* more are not known */

/* It has been forked; it is about to be killed, and has not been waited for. */
void helpers_add(int32_t process);
void helpers_remove(int32_t process);

/* Those that live; 0: none. */
void helpers_list(int32_t processes[HELPERS_MAX]);

/* CPU time of all that there were, in nanoseconds. */
int64_t helpers_spent(void);

#endif
