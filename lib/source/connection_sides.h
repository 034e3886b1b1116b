/*
 * connection_sides: on which side of their connections processes are.
 *
 * connect() and accept() tell which side of a connection asks. For a connection from before the trace only its first transfer would tell, and
 * that misleads if it is an answer. But the kernel knows more. An end that was accepted has the address of a listener, and the asking end has
 * that address as its peer. An end that asks another machine, or another network namespace, has a port that the kernel gave it
 * (ip_local_port_range), and the other end has none of those. The sides of a pair of sockets are unknown.
 */
#ifndef SOURCE_CONNECTION_SIDES_H
#define SOURCE_CONNECTION_SIDES_H

#include <stdbool.h>
#include <stdint.h>

#include "source/process.h"
#include "stream/stream.h"

/*
 * Writes a `traced` record of each member process with connections of a known side. Processes that we may not look at are left out. If no process
 * was chosen, all are looked at, for a tenth of a second at most. -1 after fail().
 */
int connection_sides_write(const struct process *process, struct stream *stream);

/* Tells whether the process serves connections: it listens for them, or has accepted one. False, too, if it may not be looked at. */
bool serves_connections(int32_t pid);

#endif
