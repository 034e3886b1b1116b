#include "span/flows.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/hash.h"
#include "base/number.h"

/* The kernel's numbers of states, families and protocol, and its flag of a call that peeks. */
enum { STATE_SYN_SENT = 2, STATE_SYN_RECV = 3, STATE_CLOSE = 7, FAMILY_IPV4 = 2, FAMILY_IPV6 = 10, PROTOCOL_TCP = 6, FLAG_PEEK = 2 };
enum { ADDRESS_TEXT = 512, WRITES = 8 };
enum { MOVES_KEPT = 64, ENDS_KEPT = 256 }; /* by flows_forget() */

struct base { /* what a `socket` record tells of a connection that is older than the trace */
	struct address ends[2]; /* local, peer */
	int64_t from, ts;
	uint64_t in, out;
	bool server;
	int32_t fd; /* -1: not told */
	bool used; /* a socket uses the record, or a loss made it invalid */
	UT_hash_handle hh;
};

struct socket {
	int64_t sk;
	struct end *end;
	bool addressed, begun; /* the end's addresses are known; its beginning was seen */
	int64_t cut;	       /* what it sent from this time on is unknown */
	const struct base *base; /* NULL: none */
	bool based;	       /* the end's bytes are counted from the base */
	bool unsure;	       /* it sent while the base's record was made */
	UT_hash_handle hh;
};

struct writer { /* a thread */
	int32_t tid;
	int64_t last; /* when it last entered a call that writes, or had sent */
	int32_t fd;   /* of that call; -1: unknown */
	const struct end *received; /* the end at which it last received; NULL: none */
	UT_hash_handle hh;
};

struct flows {
	struct stream *stream;
	struct events *events;
	const struct clock_steps *clock_steps; /* NULL: times are not shifted */
	struct event_type *state, *probe, *again, *send, *receive;
	struct event_field *state_sk, *state_new, *state_family, *state_protocol, *state_sport, *state_dport, *state_from[2], *state_to[2];
	struct event_field *probe_sk, *probe_family, *probe_sport, *probe_dport, *probe_length, *probe_from, *probe_to;
	struct event_field *again_sk, *send_sk, *send_protocol, *send_ret, *receive_sk, *receive_protocol, *receive_ret, *receive_flags;
	struct event_type *writes[WRITES];
	struct event_field *writes_fd[WRITES];
	struct socket *sockets; /* by address */
	struct writer *writers;
	struct base *bases;
	ARRAY(struct socket *) over; /* sockets that are no longer found by address */
	ARRAY(struct end *) known;
};

struct flows *flows_new(struct stream *stream, struct events *events)
{
	static const char *const writes[WRITES][2] = {{"write", "fd"}, {"writev", "fd"}, {"sendto", "fd"}, {"sendmsg", "fd"},
						      {"sendmmsg", "fd"}, {"sendfile64", "out_fd"}, {"splice", "fd_out"}, {"pwritev2", "fd"}};
	struct flows *flows = NEW(struct flows);
	char name[64];

	flows->stream = stream;
	flows->events = events;
	flows->state = events_type(events, "sock:inet_sock_set_state");
	flows->state_sk = event_type_field(flows->state, "skaddr");
	flows->state_new = event_type_field(flows->state, "newstate");
	flows->state_family = event_type_field(flows->state, "family");
	flows->state_protocol = event_type_field(flows->state, "protocol");
	flows->state_sport = event_type_field(flows->state, "sport");
	flows->state_dport = event_type_field(flows->state, "dport");
	flows->state_from[0] = event_type_field(flows->state, "saddr");
	flows->state_from[1] = event_type_field(flows->state, "saddr_v6");
	flows->state_to[0] = event_type_field(flows->state, "daddr");
	flows->state_to[1] = event_type_field(flows->state, "daddr_v6");
	flows->probe = events_type(events, "tcp:tcp_probe");
	flows->probe_sk = event_type_field(flows->probe, "skaddr");
	flows->probe_family = event_type_field(flows->probe, "family");
	flows->probe_sport = event_type_field(flows->probe, "sport");
	flows->probe_dport = event_type_field(flows->probe, "dport");
	flows->probe_length = event_type_field(flows->probe, "data_len");
	flows->probe_from = event_type_field(flows->probe, "saddr");
	flows->probe_to = event_type_field(flows->probe, "daddr");
	flows->again = events_type(events, "tcp:tcp_retransmit_skb");
	flows->again_sk = event_type_field(flows->again, "skaddr");
	flows->send = events_type(events, "sock:sock_send_length");
	flows->send_sk = event_type_field(flows->send, "sk");
	flows->send_protocol = event_type_field(flows->send, "protocol");
	flows->send_ret = event_type_field(flows->send, "ret");
	flows->receive = events_type(events, "sock:sock_recv_length");
	flows->receive_sk = event_type_field(flows->receive, "sk");
	flows->receive_protocol = event_type_field(flows->receive, "protocol");
	flows->receive_ret = event_type_field(flows->receive, "ret");
	flows->receive_flags = event_type_field(flows->receive, "flags");
	for (size_t i = 0; i < WRITES; i++) {
		snprintf(name, sizeof(name), "syscalls:sys_enter_%s", writes[i][0]);
		flows->writes[i] = events_type(events, name);
		flows->writes_fd[i] = event_type_field(flows->writes[i], writes[i][1]);
	}
	return flows;
}

void flows_clock_steps(struct flows *flows, const struct clock_steps *clock_steps)
{
	flows->clock_steps = clock_steps;
}

static int64_t shifted(const struct flows *flows, int64_t ts)
{
	return flows->clock_steps && ts != INT64_MIN ? clock_steps_shift(flows->clock_steps, ts, clock_steps_newest(flows->clock_steps)) : ts;
}

static void end_free(struct end *end)
{
	free(end->sent.items);
	free(end->received.items);
	free(end->arrived.items);
	free(end);
}

void flows_free(struct flows *flows)
{
	struct socket *socket, *next_socket;

	HASH_ITER(hh, flows->sockets, socket, next_socket) {
		HASH_DEL(flows->sockets, socket);
		*ARRAY_ADD(&flows->over) = socket;
	}
	for (size_t i = 0; i < flows->over.count; i++) {
		end_free(flows->over.items[i]->end);
		free(flows->over.items[i]);
	}
	HASH_FREE(flows->writers);
	HASH_FREE(flows->bases);
	free(flows->over.items);
	free(flows->known.items);
	free(flows);
}

/* --- addresses ---------------------------------------------------------------------------------------------------- */

/* Reads the bytes of an array such as "0xa,0x4d,0x0,0x1". Returns how many there are. */
static size_t read_array(const struct event *event, const struct event_field *field, uint8_t *array, size_t room)
{
	char text[ADDRESS_TEXT], *rest = text;
	size_t count = 0;

	event_spell_field(event, field, text, sizeof(text));
	while (count < room && *rest) {
		array[count++] = (uint8_t)strtoul(rest, &rest, 0);
		if (*rest != ',')
			break;
		rest++;
	}
	return count;
}

static void map(struct address *address, const uint8_t *ipv4)
{
	memset(address->ip, 0, 10);
	memset(address->ip + 10, 0xff, 2);
	memcpy(address->ip + 12, ipv4, 4);
}

static bool read_state_address(const struct event *event, struct event_field *const fields[2], int64_t family, struct address *address)
{
	uint8_t ip[16];

	if (family == FAMILY_IPV6)
		return read_array(event, fields[1], address->ip, 16) == 16;
	if (family != FAMILY_IPV4 || read_array(event, fields[0], ip, 4) != 4)
		return false;
	map(address, ip);
	return true;
}

/* Reads the address in a struct sockaddr. */
static bool read_probe_address(const struct event *event, const struct event_field *field, int64_t family, struct address *address)
{
	uint8_t raw[28];
	size_t count = read_array(event, field, raw, sizeof(raw));

	if (family == FAMILY_IPV4 && count >= 8)
		map(address, raw + 4);
	else if (family == FAMILY_IPV6 && count >= 24)
		memcpy(address->ip, raw + 8, 16);
	else
		return false;
	return true;
}

/* Reads "10.0.0.1:80" or "[::1]:80". */
static bool read_address(const struct fields *fields, const char *key, struct address *address)
{
	char text[128], *colon, *ip = text;
	uint8_t ipv4[4];
	uint64_t port;

	if (fields_text(fields, key, text, sizeof(text)) <= 0 || !(colon = strrchr(text, ':')) ||
	    number_count(colon + 1, strlen(colon + 1), &port) < 0 || port > UINT16_MAX)
		return false;
	*colon = '\0';
	address->port = (uint16_t)port;
	if (*ip == '[' && colon[-1] == ']') {
		colon[-1] = '\0';
		return inet_pton(AF_INET6, ip + 1, address->ip) == 1;
	}
	if (inet_pton(AF_INET, ip, ipv4) != 1)
		return false;
	map(address, ipv4);
	return true;
}

/* --- sockets ------------------------------------------------------------------------------------------------------ */

static struct socket *find_socket(const struct flows *flows, int64_t sk)
{
	struct socket *socket;

	HASH_FIND(hh, flows->sockets, &sk, sizeof(sk), socket);
	return socket;
}

static struct socket *get_socket(struct flows *flows, int64_t sk)
{
	struct socket *socket = find_socket(flows, sk);

	if (socket)
		return socket;
	socket = NEW(struct socket);
	socket->sk = sk;
	socket->cut = INT64_MAX;
	socket->end = NEW(struct end);
	socket->end->fd = -1;
	socket->end->since = INT64_MIN;
	HASH_ADD(hh, flows->sockets, sk, sizeof(socket->sk), socket);
	return socket;
}

static struct base *find_base(const struct flows *flows, const struct end *end)
{
	struct address ends[2] = {end->local, end->peer};
	struct base *base;

	HASH_FIND(hh, flows->bases, ends, sizeof(ends), base);
	return base;
}

/* Gives a socket its `socket` record. A record counts only for the first socket with its addresses. */
static void find_own_base(struct flows *flows, struct socket *socket)
{
	struct base *base = socket->addressed && !socket->begun && !socket->base ? find_base(flows, socket->end) : NULL;

	if (base && !base->used) {
		base->used = true;
		socket->base = base;
	}
}

/* Ends a socket: the kernel may now use its address for another one. */
static void end_socket(struct flows *flows, struct socket *socket)
{
	find_own_base(flows, socket);
	HASH_DEL(flows->sockets, socket);
	*ARRAY_ADD(&flows->over) = socket;
}

static void take_state(struct flows *flows, const struct event *event)
{
	int64_t sk = event_number(event, flows->state_sk), state = event_number(event, flows->state_new);
	int64_t family = event_number(event, flows->state_family);
	struct socket *socket = find_socket(flows, sk);
	struct end *end;

	if (event_number(event, flows->state_protocol) != PROTOCOL_TCP)
		return;
	if (socket && (state == STATE_CLOSE || state == STATE_SYN_SENT || state == STATE_SYN_RECV)) {
		socket->end->whole = socket->begun && state == STATE_CLOSE && socket->cut == INT64_MAX;
		end_socket(flows, socket);
		socket = NULL;
	}
	if (state == STATE_CLOSE)
		return;
	if (!socket && state != STATE_SYN_SENT && state != STATE_SYN_RECV)
		return;
	socket = get_socket(flows, sk);
	end = socket->end;
	if (!socket->begun && (state == STATE_SYN_SENT || state == STATE_SYN_RECV)) {
		socket->begun = true;
		end->since = event->ts;
	}
	end->connected |= state == STATE_SYN_SENT;
	end->accepted |= state == STATE_SYN_RECV;
	end->local.port = (uint16_t)event_number(event, flows->state_sport);
	end->peer.port = (uint16_t)event_number(event, flows->state_dport);
	socket->addressed = end->local.port && end->peer.port && read_state_address(event, flows->state_from, family, &end->local) &&
			    read_state_address(event, flows->state_to, family, &end->peer);
}

/* No call moves more than INT32_MAX bytes; with the lengths of a damaged stream, positions could overflow, and would not ascend. */
static void move(struct moves *moves, const struct event *event, int64_t since, int64_t length)
{
	uint64_t before = moves->count ? moves->items[moves->count - 1].end : moves->before;

	length = length < INT32_MAX ? length : INT32_MAX;
	*ARRAY_ADD(moves) = (struct moved){event->ts, since, before + (uint64_t)length, event->tid};
}

static void take_probe(struct flows *flows, const struct event *event)
{
	struct socket *socket = get_socket(flows, event_number(event, flows->probe_sk));
	int64_t length = event_number(event, flows->probe_length), family = event_number(event, flows->probe_family);
	struct end *end = socket->end;

	if (!socket->addressed) {
		end->local.port = (uint16_t)event_number(event, flows->probe_sport);
		end->peer.port = (uint16_t)event_number(event, flows->probe_dport);
		socket->addressed = read_probe_address(event, flows->probe_from, family, &end->local) &&
				    read_probe_address(event, flows->probe_to, family, &end->peer);
	}
	if (length > 0)
		move(&end->arrived, event, INT64_MIN, length);
}

static struct writer *get_writer(struct flows *flows, int32_t tid)
{
	struct writer *writer;

	HASH_FIND_INT(flows->writers, &tid, writer);
	if (writer)
		return writer;
	writer = NEW(struct writer);
	writer->tid = tid;
	writer->last = INT64_MIN;
	writer->fd = -1;
	HASH_ADD_INT(flows->writers, tid, writer);
	return writer;
}

static void take_send(struct flows *flows, const struct event *event)
{
	int64_t length = event_number(event, flows->send_ret);
	struct writer *writer;

	if (event_number(event, flows->send_protocol) != PROTOCOL_TCP)
		return;
	writer = get_writer(flows, event->tid);
	if (length > 0) {
		struct end *end = get_socket(flows, event_number(event, flows->send_sk))->end;

		move(&end->sent, event, writer->last, length);
		if (writer->fd >= 0)
			end->fd = writer->fd;
	}
	writer->last = event->ts;
}

static void take_receive(struct flows *flows, const struct event *event)
{
	int64_t length = event_number(event, flows->receive_ret);
	struct end *end;

	if (length <= 0 || event_number(event, flows->receive_protocol) != PROTOCOL_TCP || event_number(event, flows->receive_flags) & FLAG_PEEK)
		return;
	end = get_socket(flows, event_number(event, flows->receive_sk))->end;
	move(&end->received, event, INT64_MIN, length);
	get_writer(flows, event->tid)->received = end;
}

const struct end *flows_received_last(const struct flows *flows, int32_t tid)
{
	struct writer *writer;

	HASH_FIND_INT(flows->writers, &tid, writer);
	return writer ? writer->received : NULL;
}

static void take_write(struct flows *flows, const struct event *event)
{
	struct writer *writer;

	for (size_t i = 0; i < WRITES; i++) {
		if (flows->writes[i] != event->type)
			continue;
		writer = get_writer(flows, event->tid);
		writer->last = event->ts;
		writer->fd = event_has(event, flows->writes_fd[i]) ? (int32_t)event_number(event, flows->writes_fd[i]) : -1;
	}
}

static void take_event(struct flows *flows, const struct event *event)
{
	if (event->type == flows->send)
		take_send(flows, event);
	else if (event->type == flows->receive)
		take_receive(flows, event);
	else if (event->type == flows->probe)
		take_probe(flows, event);
	else if (event->type == flows->state)
		take_state(flows, event);
	else if (event->type == flows->again)
		get_socket(flows, event_number(event, flows->again_sk))->end->again = true;
	else
		take_write(flows, event);
}

/* --- other records ------------------------------------------------------------------------------------------------ */

static int take_base(struct flows *flows, const struct fields *fields)
{
	struct base read = {.from = INT64_MIN, .server = fields_is(fields, "side", "server")}, *base;
	int64_t fd = -1;

	if (fields_time(fields, "ts", &read.ts) <= 0 || fields_time(fields, "from", &read.from) < 0 ||
	    fields_unsigned(fields, "bytes_in", &read.in) <= 0 || fields_unsigned(fields, "bytes_out", &read.out) <= 0)
		return 0; /* the record does not count bytes */
	if (read.in > INT64_MAX || read.out > INT64_MAX)
		return 0; /* no connection carries so many */
	memset(read.ends, 0, sizeof(read.ends));
	if (!read_address(fields, "local", &read.ends[0]) || !read_address(fields, "peer", &read.ends[1]))
		return 0;
	HASH_FIND(hh, flows->bases, read.ends, sizeof(read.ends), base);
	if (!base) {
		base = NEW(struct base);
		memcpy(base->ends, read.ends, sizeof(read.ends));
		HASH_ADD(hh, flows->bases, ends, sizeof(base->ends), base);
	}
	base->from = shifted(flows, read.from);
	base->ts = shifted(flows, read.ts);
	base->in = read.in;
	base->out = read.out;
	base->server = read.server;
	base->fd = fields_integer(fields, "fd", &fd) > 0 && fd >= 0 && fd <= INT32_MAX ? (int32_t)fd : -1;
	return 0;
}

/* From the beginning of a gap on, it is unknown what was sent, and which sockets the kernel's addresses stand for. */
static int take_loss(struct flows *flows, const struct fields *fields)
{
	struct socket *socket, *next;
	int64_t from = INT64_MIN;

	if (fields_time(fields, "from", &from) < 0)
		return -1;
	from = shifted(flows, from);
	HASH_ITER(hh, flows->sockets, socket, next) {
		socket->cut = from < socket->cut ? from : socket->cut;
		end_socket(flows, socket);
	}
	for (struct base *base = flows->bases; base; base = base->hh.next)
		base->used = true;
	return 0;
}

bool flows_reads(enum kind kind)
{
	return kind == KIND_EVENT || kind == KIND_LOST || kind == KIND_SOCKET;
}

int flows_record(struct flows *flows, const struct record *record)
{
	const struct fields *fields;
	struct event event;

	if (record->kind == KIND_EVENT) {
		if (events_read(flows->events, record, &event) < 0)
			return -1;
		event.ts = shifted(flows, event.ts);
		take_event(flows, &event);
		return 0;
	}
	fields = stream_fields(flows->stream, record);
	if (!fields)
		return -1;
	return record->kind == KIND_SOCKET ? take_base(flows, fields) : take_loss(flows, fields);
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

/* Counts positions from a record on: drops the moves until `until`, when the record was made; `before` is the position then. */
static void rebase(struct moves *moves, int64_t until, uint64_t before)
{
	size_t first = COUNT_UNTIL(moves->items, moves->count, ts, until);
	uint64_t off = first ? moves->items[first - 1].end : moves->before;

	for (size_t i = first; i < moves->count; i++) {
		moves->items[i - first] = moves->items[i];
		moves->items[i - first].end += before - off;
	}
	moves->count -= first;
	moves->before = before;
}

static void cut(struct socket *socket)
{
	struct end *end = socket->end;

	while (end->sent.count && end->sent.items[end->sent.count - 1].ts >= socket->cut)
		end->sent.count--;
}

/*
 * Counts bytes from the `socket` record. Bytes sent while the record was made may be in it or not. Bytes that came in then, or were not read
 * yet, may be missing from the count, which does no harm.
 */
static void count_from_base(struct socket *socket)
{
	const struct base *base = socket->base;
	struct end *end = socket->end;

	if (!base || socket->begun || socket->based)
		return;
	socket->based = true;
	for (size_t i = 0; i < end->sent.count && end->sent.items[i].ts <= base->ts; i++)
		socket->unsure |= end->sent.items[i].ts >= base->from;
	rebase(&end->sent, base->ts, base->out);
	rebase(&end->received, base->ts, base->in);
	rebase(&end->arrived, base->ts, base->in);
	end->older = true;
	end->since = base->ts;
	end->accepted = base->server;
	end->fd = end->fd < 0 ? base->fd : end->fd;
}

/* Tells whether it is known which bytes the end moved. */
static bool place(struct socket *socket)
{
	cut(socket);
	count_from_base(socket);
	return socket->begun ? socket->addressed : socket->based && !socket->unsure;
}

void flows_end(struct flows *flows)
{
	struct socket *socket, *next;

	HASH_ITER(hh, flows->sockets, socket, next)
		end_socket(flows, socket);
	for (size_t i = 0; i < flows->over.count; i++)
		if (place(flows->over.items[i]))
			*ARRAY_ADD(&flows->known) = flows->over.items[i]->end;
}

const struct end *const *flows_ends(const struct flows *flows, size_t *count)
{
	*count = flows->known.count;
	return (const struct end *const *)flows->known.items;
}

/* --- a stream that goes on ---------------------------------------------------------------------------------------- */

static struct moves copy_moves(const struct moves *moves)
{
	struct moves copy = {.count = moves->count, .room = moves->count, .before = moves->before};

	copy.items = memory_new(moves->count + 1, sizeof(*copy.items));
	if (moves->count)
		memcpy(copy.items, moves->items, moves->count * sizeof(*copy.items));
	return copy;
}

static void add_copy(struct flows *copies, const struct socket *socket, const struct base *base)
{
	struct socket *copy = NEW(struct socket);

	*copy = *socket;
	copy->base = socket->base ? socket->base : base;
	copy->end = NEW(struct end);
	*copy->end = *socket->end;
	copy->end->sent = copy_moves(&socket->end->sent);
	copy->end->received = copy_moves(&socket->end->received);
	copy->end->arrived = copy_moves(&socket->end->arrived);
	*ARRAY_ADD(&copies->over) = copy;
}

struct flows *flows_so_far(const struct flows *flows)
{
	struct flows *copies = NEW(struct flows);

	for (size_t i = 0; i < flows->over.count; i++)
		add_copy(copies, flows->over.items[i], NULL);
	for (const struct socket *socket = flows->sockets; socket; socket = socket->hh.next) {
		const struct base *base = socket->addressed && !socket->begun ? find_base(flows, socket->end) : NULL;

		add_copy(copies, socket, base && !base->used ? base : NULL);
	}
	flows_end(copies);
	return copies;
}

static void forget_moves(struct moves *moves, int64_t before)
{
	size_t old = COUNT_UNTIL(moves->items, moves->count, ts, before);

	if (old + MOVES_KEPT > moves->count)
		old = moves->count > MOVES_KEPT ? moves->count - MOVES_KEPT : 0;
	if (!old)
		return;
	moves->before = moves->items[old - 1].end;
	ARRAY_REMOVE(moves, 0, old);
}

static void forget_of(struct socket *socket, int64_t before)
{
	count_from_base(socket);
	forget_moves(&socket->end->sent, before);
	forget_moves(&socket->end->received, before);
	forget_moves(&socket->end->arrived, before);
}

static bool moved_since(const struct moves *moves, int64_t before)
{
	return moves->count && moves->items[moves->count - 1].ts >= before;
}

static bool is_old(const struct end *end, int64_t before)
{
	return !moved_since(&end->sent, before) && !moved_since(&end->received, before) && !moved_since(&end->arrived, before);
}

static void forget_ends(struct flows *flows, int64_t before)
{
	size_t kept = 0, last = flows->over.count > ENDS_KEPT ? flows->over.count - ENDS_KEPT : 0;

	for (size_t i = 0; i < flows->over.count; i++) {
		struct socket *socket = flows->over.items[i];

		if (i < last && is_old(socket->end, before)) {
			end_free(socket->end);
			free(socket);
			continue;
		}
		forget_of(socket, before);
		flows->over.items[kept++] = socket;
	}
	flows->over.count = kept;
}

void flows_forget(struct flows *flows, int64_t before)
{
	struct socket *socket, *next_socket;
	struct writer *writer, *next_writer;

	HASH_ITER(hh, flows->writers, writer, next_writer) {
		writer->received = NULL; /* the end may be freed below */
		if (writer->last >= before)
			continue;
		HASH_DEL(flows->writers, writer);
		free(writer);
	}
	HASH_ITER(hh, flows->sockets, socket, next_socket) {
		find_own_base(flows, socket);
		forget_of(socket, before);
	}
	forget_ends(flows, before);
}
