#include "span/talks.h"

#include <stdlib.h>
#include <string.h>

struct talks {
	struct talk *by_address;
};

struct talks *talks_new(void)
{
	return NEW(struct talks);
}

void talks_free(struct talks *talks)
{
	struct talk *talk, *next;

	HASH_ITER(hh, talks->by_address, talk, next) {
		HASH_DEL(talks->by_address, talk);
		free(talk);
	}
	free(talks);
}

static bool is_loopback(const struct address *address)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff}, one[16] = {[15] = 1};

	return (!memcmp(address->ip, mapped, sizeof(mapped)) && address->ip[12] == 127) || !memcmp(address->ip, one, sizeof(one));
}

static void add_end(struct talks *talks, int host, const struct end *end)
{
	bool swap = memcmp(&end->local, &end->peer, sizeof(end->local)) > 0;
	struct address ends[2] = {swap ? end->peer : end->local, swap ? end->local : end->peer};
	struct talk *talk;

	HASH_FIND(hh, talks->by_address, ends, sizeof(ends), talk);
	if (!talk) {
		talk = NEW(struct talk);
		memcpy(talk->ends, ends, sizeof(ends));
		talk->loopback = is_loopback(&end->local) || is_loopback(&end->peer);
		HASH_ADD(hh, talks->by_address, ends, sizeof(talk->ends), talk);
	}
	talk->end[swap] = end;
	talk->host[swap] = host;
	talk->count[swap]++;
}

void talks_add(struct talks *talks, int host, const struct flows *flows)
{
	size_t count;
	const struct end *const *ends = flows_ends(flows, &count);

	for (size_t i = 0; i < count; i++)
		add_end(talks, host, ends[i]);
}

/* More bytes arrived than were seen to be sent: some that were sent were not seen. */
static bool contradicts(const struct end *from, const struct end *to)
{
	uint64_t sent = from->sent.count ? from->sent.items[from->sent.count - 1].end : from->sent.before;
	uint64_t received = to->received.count ? to->received.items[to->received.count - 1].end : to->received.before;

	return from->whole && received > sent;
}

/* Loopback addresses of two hosts are not each other's. */
static bool is_talk(const struct talk *talk)
{
	return talk->count[0] == 1 && talk->count[1] == 1 && !(talk->loopback && talk->host[0] != talk->host[1]) &&
	       !contradicts(talk->end[0], talk->end[1]) && !contradicts(talk->end[1], talk->end[0]);
}

const struct talk *talks_next(const struct talks *talks, const struct talk *talk)
{
	const struct talk *next = talk ? talk->hh.next : talks->by_address;

	while (next && !is_talk(next))
		next = next->hh.next;
	return next;
}
