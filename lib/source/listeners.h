/*
 * listeners: which processes listen at the TCP ports of this machine when tracing begins. A connection to a server that is stopped or hangs wakes
 * nobody, so no event tells whom it is for.
 */
#ifndef SOURCE_LISTENERS_H
#define SOURCE_LISTENERS_H

#include "source/clock.h"
#include "source/early_waits.h"
#include "stream/stream.h"

/*
 * Writes a `traced` record with `listens` of each process that listens, behind its name at `ts`, when tracing began. All processes are looked
 * at, in a tenth of a second at most. If that is too short, or if we may not look at one, which may listen at the same port, nothing is written.
 * A process whose only thread waits for signals or children is left out. For whom the first thread of one waits is told, too. -1 after fail().
 */
int listeners_write(struct event_writer *writer, struct stream *stream, const struct trace_clock *clock, struct early_waits *waits, int64_t ts);

#endif
