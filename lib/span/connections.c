#include "span/connections.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct connections {
	struct connection *by_address;
};

struct connections *connections_new(void)
{
	return NEW(struct connections);
}

void connections_free(struct connections *connections)
{
	HASH_FREE(connections->by_address);
	free(connections);
}

static bool is_loopback(const struct address *address)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff}, one[16] = {[15] = 1};

	return (!memcmp(address->ip, mapped, sizeof(mapped)) && address->ip[12] == 127) || !memcmp(address->ip, one, sizeof(one));
}

static void add_end(struct connections *connections, int host, const struct end *end)
{
	bool swap = memcmp(&end->local, &end->peer, sizeof(end->local)) > 0;
	struct address ends[2] = {swap ? end->peer : end->local, swap ? end->local : end->peer};
	struct connection *connection;

	HASH_FIND(hh, connections->by_address, ends, sizeof(ends), connection);
	if (!connection) {
		connection = NEW(struct connection);
		memcpy(connection->ends, ends, sizeof(ends));
		connection->loopback = is_loopback(&end->local) || is_loopback(&end->peer);
		HASH_ADD(hh, connections->by_address, ends, sizeof(connection->ends), connection);
	}
	connection->end[swap] = end;
	connection->host[swap] = host;
	connection->count[swap]++;
}

void connections_add(struct connections *connections, int host, const struct flows *flows)
{
	size_t count;
	const struct end *const *ends = flows_ends(flows, &count);

	for (size_t i = 0; i < count; i++)
		add_end(connections, host, ends[i]);
}

/* Tells whether more bytes arrived than were seen to be sent: the stream lacks some sendings. */
static bool contradicts(const struct end *from, const struct end *to)
{
	uint64_t sent = from->sent.count ? from->sent.items[from->sent.count - 1].end : from->sent.before;
	uint64_t received = to->received.count ? to->received.items[to->received.count - 1].end : to->received.before;

	return from->whole && received > sent;
}

/* Tells whether the connection has exactly two ends that fit. Loopback addresses of different hosts do not belong together. */
static bool is_talk(const struct connection *connection)
{
	return connection->count[0] == 1 && connection->count[1] == 1 && !(connection->loopback && connection->host[0] != connection->host[1]) &&
	       !contradicts(connection->end[0], connection->end[1]) && !contradicts(connection->end[1], connection->end[0]);
}

const struct connection *connections_next(const struct connections *connections, const struct connection *connection)
{
	const struct connection *next = connection ? connection->hh.next : connections->by_address;

	while (next && !is_talk(next))
		next = next->hh.next;
	return next;
}
