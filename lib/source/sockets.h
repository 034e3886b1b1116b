/*
 * sockets: the TCP connections that are older than the trace.
 *
 * Events tell who makes and closes connections, and how many bytes each call sends or receives. For a connection that was there when tracing
 * began they tell neither its addresses nor how many bytes went before. The kernel knows these (inet_diag): it is asked in each network
 * namespace that a process is in, and /proc says which process has the socket, as which descriptor.
 *
 * Counts are of bytes that calls have moved: received without the bytes that wait to be read, and sent with the bytes that wait to be sent.
 */
#ifndef SOURCE_SOCKETS_H
#define SOURCE_SOCKETS_H

#include "source/clock.h"
#include "source/process.h"
#include "stream/stream.h"

/*
 * Writes a `socket` record of each connection that a member process has. A namespace that may not be entered is left out. The owner of a
 * connection may be hidden, too: then the record has none or, if processes were chosen, is left out. -1 after fail().
 */
int sockets_tell(const struct process *process, const struct trace_clock *clock, struct stream *stream);

#endif
