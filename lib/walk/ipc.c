#include "walk/ipc.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "walk/whole.h"

enum { SENDS_MOST = 4096 }; /* sends of a channel that may be unreceived: with more, the receiver is not in the data */

struct sent {
	uint64_t end; /* channel->sent after its bytes */
	uint32_t segment;
};

struct channel { /* by its receiving end */
	struct ipc_end end;
	uint64_t sent, taken;
	bool counts; /* both counts are known */
	bool sure;   /* both counts were equal when the receiver slept again */
	uint32_t sending, segment; /* how many calls are sending; the segment in which the last of them began */
	size_t first; /* index of the first send that is not received yet */
	ARRAY(struct sent) sends;
	UT_hash_handle hh;
};

struct sender {
	struct ipc_end end, to;
	UT_hash_handle hh;
};

struct ipc {
	struct channel *channels;
	struct sender *senders;
};

struct ipc *ipc_new(void)
{
	return NEW(struct ipc);
}

static struct channel *channel_of(struct ipc *ipc, struct ipc_end end)
{
	struct channel *channel;

	HASH_FIND(hh, ipc->channels, &end, sizeof(end), channel);
	return channel;
}

static struct sender *sender_of(struct ipc *ipc, struct ipc_end end)
{
	struct sender *sender;

	HASH_FIND(hh, ipc->senders, &end, sizeof(end), sender);
	return sender;
}

/* The channel to which the sender's bytes go; NULL: not known. */
static struct channel *channel_from(struct ipc *ipc, struct ipc_end sender)
{
	const struct sender *known = sender_of(ipc, sender);

	return known ? channel_of(ipc, known->to) : NULL;
}

static void drop_channel(struct ipc *ipc, struct channel *channel)
{
	HASH_DEL(ipc->channels, channel);
	free(channel->sends.items);
	free(channel);
}

static void drop_sender(struct ipc *ipc, struct sender *sender)
{
	HASH_DEL(ipc->senders, sender);
	free(sender);
}

void ipc_lost(struct ipc *ipc)
{
	struct channel *channel, *next_channel;
	struct sender *sender, *next;

	HASH_ITER(hh, ipc->channels, channel, next_channel)
		drop_channel(ipc, channel);
	HASH_ITER(hh, ipc->senders, sender, next)
		drop_sender(ipc, sender);
}

void ipc_free(struct ipc *ipc)
{
	if (!ipc)
		return;
	ipc_lost(ipc);
	free(ipc);
}

static void learn_sender(struct ipc *ipc, struct ipc_end end, struct ipc_end to)
{
	struct sender *sender = sender_of(ipc, end);

	if (!sender) {
		sender = NEW(struct sender);
		sender->end = end;
		HASH_ADD(hh, ipc->senders, end, sizeof(sender->end), sender);
	}
	sender->to = to;
}

void ipc_meet(struct ipc *ipc, struct ipc_end from, struct ipc_end to, uint32_t segment)
{
	struct channel *channel = channel_of(ipc, to);
	const struct sender *known = sender_of(ipc, from);
	bool expected = known && known->to.process == to.process && known->to.fd == to.fd;

	if (!channel) {
		channel = NEW(struct channel);
		channel->end = to;
		HASH_ADD(hh, ipc->channels, end, sizeof(channel->end), channel);
	}
	learn_sender(ipc, from, to);
	channel->sure = expected && channel->counts && channel->sent == channel->taken;
	channel->counts = true;
	channel->sent = channel->taken = 0;
	channel->sends.count = channel->first = 0;
	channel->sending = 1;
	channel->segment = segment;
}

void ipc_sends(struct ipc *ipc, struct ipc_end sender, uint32_t segment)
{
	struct channel *channel = channel_from(ipc, sender);

	if (!channel || !channel->counts)
		return;
	channel->sending++;
	channel->segment = segment;
}

void ipc_sent(struct ipc *ipc, struct ipc_end sender, uint64_t bytes, uint32_t segment)
{
	struct channel *channel = channel_from(ipc, sender);

	if (!channel || !channel->counts)
		return;
	channel->sending -= channel->sending > 0;
	if (!bytes)
		return;
	channel->sent += bytes;
	if (channel->sends.count - channel->first >= SENDS_MOST) {
		channel->counts = false;
		return;
	}
	if (channel->first > SENDS_MOST) {
		ARRAY_REMOVE(&channel->sends, 0, channel->first);
		channel->first = 0;
	}
	*ARRAY_ADD(&channel->sends) = (struct sent){channel->sent, segment};
}

uint32_t ipc_took(struct ipc *ipc, struct ipc_end receiver, uint64_t bytes)
{
	struct channel *channel = channel_of(ipc, receiver);

	if (!channel || !channel->counts)
		return NUMBER_NONE;
	channel->taken += bytes;
	while (channel->first < channel->sends.count && channel->sends.items[channel->first].end < channel->taken)
		channel->first++;
	if (channel->first < channel->sends.count)
		return channel->sure ? channel->sends.items[channel->first].segment : NUMBER_NONE;
	/* the call that sent the bytes has not returned yet */
	return channel->sure && channel->sending == 1 ? channel->segment : NUMBER_NONE;
}

void ipc_closed(struct ipc *ipc, struct ipc_end end)
{
	struct channel *channel = channel_of(ipc, end);
	struct sender *sender = sender_of(ipc, end);

	if (channel)
		drop_channel(ipc, channel);
	if (sender)
		drop_sender(ipc, sender);
}
