/*
 * timers: writes the names of the functions that the kernel's timers call, because events of timers have only addresses.
 */
#ifndef SOURCE_TIMERS_H
#define SOURCE_TIMERS_H

#include "stream/stream.h"

/*
 * Writes a `timer` record for each function that explains why a timer sent a packet; none if the kernel keeps its addresses secret. Reads
 * all of /proc/kallsyms, which takes some 50 ms. -1 after fail(): the output cannot be written.
 */
int timers_tell(struct stream *stream);

#endif
