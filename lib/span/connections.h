/*
 * connections: connections with both ends in the stream, of one host or of two. Ends belong together by their addresses.
 *
 * Left out are ends whose addresses come twice, and those that are seen to receive more than was sent.
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
	struct address ends[2]; /* the lower first */
	unsigned count[2];
	UT_hash_handle hh;
};

struct connections;

struct connections *connections_new(void);
void connections_free(struct connections *connections);

/* The ends of a host's stream; `flows` must outlive the connections. */
void connections_add(struct connections *connections, int host, const struct flows *flows);

/* The first, or the next; NULL: there is none. */
const struct connection *connections_next(const struct connections *connections, const struct connection *connection);

#endif
