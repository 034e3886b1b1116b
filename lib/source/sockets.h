/*
 * sockets: the TCP connections that are older than the trace.
 *
 * Events tell who makes and closes connections, and how many bytes each call sends or receives. Of a connection that was there when tracing
 * began they tell neither where its ends are nor how many bytes went before. The kernel knows (inet_diag): it is asked in each network
 * namespace that a process is in, and /proc says which process has the socket, as which descriptor.
 *
 * Counts are of bytes that calls have moved: received without what waits to be read, and sent with what waits to be sent.
 */
#ifndef SOURCE_SOCKETS_H
#define SOURCE_SOCKETS_H

#include "source/clock.h"
#include "source/process.h"
#include "stream/stream.h"

/*
 * Writes a `socket` record of each connection that a member process has. A namespace that may not be entered is left out. What a process has
 * may be hidden, too: then the record is without it, and if processes were chosen, left out. -1 after fail().
 */
int sockets_tell(const struct process *process, const struct trace_clock *clock, struct stream *stream);

#endif
