/* Spans of the turns and messages that were found; see requests.h. */
#include "span/turns.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/hash.h"
#include "base/number.h"
#include "span/messages.h"
#include "span/spans.h"

/* Spells an address: "10.0.0.2:6379". A client's is spelled without its port, which differs each time. */
static void spell_address(const struct address *address, bool port, char *text, size_t room)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	bool ipv4 = !memcmp(address->ip, mapped, sizeof(mapped));
	char ip[INET6_ADDRSTRLEN];

	inet_ntop(ipv4 ? AF_INET : AF_INET6, ipv4 ? address->ip + 12 : address->ip, ip, sizeof(ip));
	if (!port)
		snprintf(text, room, "%s", ip);
	else
		snprintf(text, room, ipv4 ? "%s:%u" : "[%s]:%u", ip, address->port);
}

/* The name of the thread's process: the program of its leader or of the thread, else the thread's own name. */
static const char *service_name(const struct turn_host *host, int32_t tid)
{
	struct turn_thread *thread, *leader = NULL;

	HASH_FIND_INT(host->threads, &tid, thread);
	if (thread && thread->tgid)
		HASH_FIND_INT(host->threads, &thread->tgid, leader);
	if (leader && leader->service)
		return leader->service;
	if (thread && thread->service)
		return thread->service;
	return thread && *thread->comm ? thread->comm : NULL;
}

/* Until when, after taking the request, the thread did nothing else: until it waited for several descriptors, or the answer; TIME_NONE: unsure. */
static int64_t own_until(const struct turn_host *host, const struct turn *turn)
{
	int64_t waited = turns_waited(host, turn->tid, turn->taken, turn->last);

	if (!turn->server || !turn->alone || !turn->answered || !turns_see_waits(host))
		return TIME_NONE;
	return waited == TIME_NONE ? turn->last : waited;
}

/* Tells whether only this thread ever received on the connection. */
static bool is_only_reader(const struct turn *turn)
{
	for (size_t i = 0; i < turn->end->received.count; i++)
		if (turn->end->received.items[i].tid != turn->tid)
			return false;
	return true;
}

static void tell(struct requests *requests, struct spans *spans, int32_t index)
{
	const struct turn *turn = &requests->turns.items[index];
	const struct turn_host *host = &requests->hosts.items[turn->host];
	char id[NUMBER_ROOM], parent[NUMBER_ROOM], peer[INET6_ADDRSTRLEN + 16];
	struct span_told told = {.id = id, .name = turn->name, .width = host->width, .behind = turn->behind, .host = host->name,
		.service = service_name(host, turn->tid), .peer = peer, .pid = turns_process(host, turn->tid), .start = turn->start,
		.end = later(turn->start, turn->last), .kind = turn->server ? SPAN_SERVER : SPAN_CLIENT, .tid = turn->tid, .found = true,
		.sure = turn->sure, .candidates = turn->candidates, .bytes_in = turn->split ? SPAN_BYTES_UNKNOWN : turn->bytes_in,
		.bytes_out = turn->split ? SPAN_BYTES_UNKNOWN : turn->bytes_out, .taken = turn->taken, .host_number = turn->host,
		.own_until = own_until(host, turn), .queue_own = turn->server && is_only_reader(turn)};

	number_spell_integer(id, index + 1);
	number_spell_integer(parent, turn->parent + 1);
	told.parent = turn->parent >= 0 ? parent : NULL;
	spell_address(&turn->end->peer, !turn->server, peer, sizeof(peer));
	spans_add(spans, &told);
	requests->counts.spans++;
	requests->counts.unsure += !turn->sure;
}

/* The id of a unit's span, by host and number of the unit. */
struct numbered {
	struct numbered_key {
		int64_t host;
		uint64_t number;
	} key;
	int64_t id;
	UT_hash_handle hh;
};

static void add_numbered(struct numbered **all, int host, uint64_t number, int64_t id)
{
	struct numbered *added = number ? NEW(struct numbered) : NULL;

	if (!added)
		return;
	added->key = (struct numbered_key){host, number};
	added->id = id;
	HASH_ADD(hh, *all, key, sizeof(added->key), added);
}

/* The id of a unit's span; 0: the unit has none. */
static int64_t find_numbered(struct numbered *all, int host, uint64_t number)
{
	struct numbered_key key = {host, number};
	struct numbered *found;

	HASH_FIND(hh, all, &key, sizeof(key), found);
	return found ? found->id : 0;
}

static struct numbered *number_spans(const struct requests *requests, const struct message *messages, size_t count)
{
	struct numbered *all = NULL;

	for (size_t i = 0; i < requests->turns.count; i++)
		add_numbered(&all, requests->turns.items[i].host, requests->turns.items[i].request, (int64_t)i + 1);
	for (size_t i = 0; i < count; i++)
		add_numbered(&all, messages[i].host, messages[i].number, (int64_t)(requests->turns.count + i) + 1);
	return all;
}

static void free_numbered(struct numbered *all)
{
	HASH_FREE(all);
}

static void tell_message(struct requests *requests, struct spans *spans, const struct message *message, int64_t number, int64_t cause)
{
	const struct turn_host *host = &requests->hosts.items[message->host];
	char id[NUMBER_ROOM], parent[NUMBER_ROOM], peer[INET6_ADDRSTRLEN + 16], at[INET6_ADDRSTRLEN + 16];
	struct span_told told = {.id = id, .name = message->name, .width = host->width, .host = host->name, .service = service_name(host, message->tid),
		.peer = peer, .pid = turns_process(host, message->tid), .start = message->start, .end = later(message->start, message->last),
		.kind = SPAN_CONSUMER, .tid = message->tid, .found = true, .message = true, .sure = cause > 0, .candidates = message->candidates,
		.bytes_in = message->bytes ? message->bytes : SPAN_BYTES_UNKNOWN, .bytes_out = SPAN_BYTES_UNKNOWN, .taken = message->taken,
		.host_number = message->host, .own_until = message->done, .at = at, .left = message->left, .sent = message->sent};

	number_spell_integer(id, number);
	number_spell_integer(parent, cause);
	told.parent = cause > 0 ? parent : NULL;
	spell_address(&message->end->peer, false, peer, sizeof(peer));
	spell_address(&message->end->local, message->end->accepted, at, sizeof(at));
	spans_add(spans, &told);
	requests->counts.spans++;
	requests->counts.unsure += !told.sure;
}

static void tell_messages(struct requests *requests, struct spans *spans)
{
	size_t count;
	const struct message *messages = messages_list(requests->messages, &count);
	struct numbered *all = count ? number_spans(requests, messages, count) : NULL;

	for (size_t i = 0; i < count; i++) {
		int64_t cause = messages[i].cause ? find_numbered(all, messages[i].cause_host, messages[i].cause) : 0;

		tell_message(requests, spans, &messages[i], (int64_t)(requests->turns.count + i) + 1, cause);
	}
	free_numbered(all);
}

static void tell_lane(void *context, int host, int32_t tid, int64_t from, int64_t to, struct thread_activities *activities)
{
	const struct requests *requests = context;

	lanes_tell(requests->hosts.items[host].lanes, tid, from, to, activities);
}

int turns_write(struct requests *requests)
{
	struct spans *spans = spans_new();
	int status;

	requests->sources[1] = (struct activity_source){tell_lane, requests};
	spans_activity_sources(spans, requests->sources);
	for (size_t i = 0; i < requests->turns.count; i++)
		tell(requests, spans, (int32_t)i);
	tell_messages(requests, spans);
	status = spans_write(spans, requests->stream);
	spans_free(spans);
	return status;
}
