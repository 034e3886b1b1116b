/*
 * helpers: the living processes that open and read programs for this one (program/helper.h, program/lookup.h). They are tailblame's own
 * work: their events are no other program's, and their CPU time is a part of the cost of tracing. Any thread may call.
 */
#ifndef PROGRAM_HELPERS_H
#define PROGRAM_HELPERS_H

#include <stdint.h>

enum { HELPERS_MAX = 4 }; /* processes beyond these are not recorded */

/* Records a process that was just forked; removes one that is about to be killed and has not been waited for. */
void helpers_add(int32_t process);
void helpers_remove(int32_t process);

/* Lists the living processes; 0: none. */
void helpers_list(int32_t processes[HELPERS_MAX]);

/* CPU time of all processes recorded so far, in nanoseconds. */
int64_t helpers_spent(void);

#endif
