/*
 * connections: finds the connections whose ends are both in the stream, on one host or on two. The addresses show which ends belong together.
 *
 * A connection is left out if two ends have the same local and peer address, or if an end received more than the other was seen to send.
 *
 *	struct connections *connections = connections_new();
 *	connections_add(connections, host, flows)		for each host
 *	connection = connections_next(connections, NULL), connections_next(connections, connection) ...
 *	connections_free(connections)
 */
#ifndef SPAN_CONNECTIONS_H
#define SPAN_CONNECTIONS_H

#include <uthash.h>

#include "span/flows.h"

struct connection { /* a connection with both ends in the stream */
	const struct end *end[2];
	int host[2];
	bool loopback;
	/* private */
	struct address ends[2]; /* the lower address first */
	unsigned count[2];
	UT_hash_handle hh;
};

struct connections;

struct connections *connections_new(void);
void connections_free(struct connections *connections);

/* Adds the ends of a host's stream; `flows` must outlive the connections. */
void connections_add(struct connections *connections, int host, const struct flows *flows);

/* The first, or the next; NULL: there is none. */
const struct connection *connections_next(const struct connections *connections, const struct connection *connection);

#endif
