/*
 * timers: tells which functions of the kernel's timers have which address: events of timers have only that.
 */
#ifndef SOURCE_TIMERS_H
#define SOURCE_TIMERS_H

#include "stream/stream.h"

/*
 * Writes a `timer` record for each function that says more of a packet than that a timer sent it. None if the kernel keeps its
 * addresses secret. Reads all of /proc/kallsyms, some 50 ms. -1 after fail(): they cannot be written.
 */
int timers_tell(struct stream *stream);

#endif
