#include "span/requests.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/number.h"
#include "span/spans.h"
#include "span/talks.h"

/* System calls that wait for one of several descriptors: those of all machines first. */
static const char *const waits[] = {"epoll_pwait", "epoll_pwait2", "ppoll", "pselect6", "io_uring_enter", "epoll_wait", "poll", "select"};
enum { WAITS = sizeof(waits) / sizeof(*waits), WAITS_OF_ALL = 5, POLL = 6, PPOLL = 2, SERVICE_ROOM = 256 };

struct thread {
	int32_t tid, tgid; /* tgid 0: not told */
	char *service;	   /* the process' program; NULL: not told */
	char comm[32];	   /* "": not told */
	ARRAY(struct { int64_t ts; }) waited; /* when it began to wait for several descriptors */
	UT_hash_handle hh;
};

struct gap {
	int64_t from, to;
};

struct host {
	char *name; /* NULL: the only one, not named */
	struct flows *flows;
	struct thread *threads;
	ARRAY(struct gap) gaps;
	unsigned told; /* the waits of which the stream tells, a bit each */
	bool few;      /* the machine has only those of all */
};

/* A request and its answer, at one end of a connection. */
struct turn {
	const struct end *end;
	int host;
	bool server;
	int32_t tid; /* who received the request, or sent it */
	bool alone;  /* no other thread had a hand in it */
	bool answered;
	int64_t start, taken, last;
	uint64_t from, to; /* positions of the request */
	uint64_t bytes_in, bytes_out;
	int32_t parent; /* another turn; -1: none */
	bool sure;
	uint64_t candidates;
};

struct requests {
	struct stream *stream;
	struct events *events;
	struct event_type *waits[WAITS];
	struct event_field *descriptors[WAITS];
	ARRAY(struct host) hosts;
	int host; /* at hand */
	ARRAY(struct turn) turns;
	struct requests_counts counts;
};

struct requests *requests_new(struct stream *stream, struct events *events)
{
	struct requests *requests = NEW(struct requests);
	char name[64];

	requests->stream = stream;
	requests->events = events;
	requests->host = -1;
	for (int i = 0; i < WAITS; i++) {
		snprintf(name, sizeof(name), "syscalls:sys_enter_%s", waits[i]);
		requests->waits[i] = events_type(events, name);
		requests->descriptors[i] = event_type_field(requests->waits[i], "nfds");
	}
	return requests;
}

static void host_free(struct host *host)
{
	struct thread *thread, *next;

	HASH_ITER(hh, host->threads, thread, next) {
		HASH_DEL(host->threads, thread);
		free(thread->service);
		free(thread->waited.items);
		free(thread);
	}
	flows_free(host->flows);
	free(host->gaps.items);
	free(host->name);
}

static void forget(struct requests *requests)
{
	for (size_t i = 0; i < requests->hosts.count; i++)
		host_free(&requests->hosts.items[i]);
	requests->hosts.count = 0;
	requests->turns.count = 0;
	requests->host = -1;
}

void requests_free(struct requests *requests)
{
	forget(requests);
	free(requests->hosts.items);
	free(requests->turns.items);
	free(requests);
}

const struct requests_counts *requests_counts(const struct requests *requests)
{
	return &requests->counts;
}

/* --- records ------------------------------------------------------------------------------------------------------ */

static int add_host(struct requests *requests, char *name)
{
	*ARRAY_ADD(&requests->hosts) = (struct host){.name = name, .flows = flows_new(requests->stream, requests->events)};
	return (int)requests->hosts.count - 1;
}

static struct host *host_at_hand(struct requests *requests)
{
	if (requests->host < 0)
		requests->host = add_host(requests, NULL);
	return &requests->hosts.items[requests->host];
}

static void take_machine(struct host *host, const struct fields *fields)
{
	host->few = fields_is(fields, "machine", "aarch64") || fields_is(fields, "machine", "riscv64") || fields_is(fields, "machine", "loongarch64");
}

/* A format: system, NUL, "name: sys_enter_poll", ... */
const char *requests_wait(const struct record *format)
{
	for (int i = 0; i < WAITS; i++) {
		char wanted[64];
		int length = snprintf(wanted, sizeof(wanted), "name: sys_enter_%s\n", waits[i]);

		if (memmem(format->text, format->length, wanted, (size_t)length))
			return waits[i];
	}
	return NULL;
}

static void tell_wait(struct host *host, const char *name)
{
	for (int i = 0; name && i < WAITS; i++)
		host->told |= !strcmp(name, waits[i]) ? 1u << i : 0;
}

/* "epoll_wait,poll": of which waits the host's stream tells. */
static void take_waits(struct host *host, const struct fields *fields)
{
	char *list = fields_copy(fields, "waits"), *rest = list, *name;

	while (rest && (name = strsep(&rest, ",")))
		tell_wait(host, name);
	free(list);
}

static int take_host(struct requests *requests, const struct fields *fields)
{
	char *name = fields_copy(fields, "name");

	if (!name)
		return stream_fail(requests->stream, "a host record has no name");
	for (size_t i = 0; i < requests->hosts.count; i++)
		if (requests->hosts.items[i].name && !strcmp(requests->hosts.items[i].name, name)) {
			requests->host = (int)i;
			free(name);
			return 0;
		}
	requests->host = add_host(requests, name);
	take_machine(&requests->hosts.items[requests->host], fields);
	take_waits(&requests->hosts.items[requests->host], fields);
	return 0;
}

static int take_stream(struct requests *requests, const struct fields *fields)
{
	struct host *host;

	requests->host = add_host(requests, fields_copy(fields, "host"));
	host = &requests->hosts.items[requests->host];
	take_machine(host, fields);
	return 0;
}

static struct thread *get_thread(struct host *host, int32_t tid)
{
	struct thread *thread;

	HASH_FIND_INT(host->threads, &tid, thread);
	if (thread)
		return thread;
	thread = NEW(struct thread);
	thread->tid = tid;
	HASH_ADD_INT(host->threads, tid, thread);
	return thread;
}

/* The last of a path: of "/usr/bin/python3 app.py" it is "python3 app.py". */
static char *service_of(char *program)
{
	size_t first = strcspn(program, " ");
	char *slash = memrchr(program, '/', first), *name = memory_format("%s", slash ? slash + 1 : program);

	free(program);
	return name;
}

static int take_task(struct requests *requests, const struct fields *fields)
{
	int64_t tid = 0, tgid = 0;
	struct thread *thread;
	char *program;

	if (fields_integer(fields, "tid", &tid) < 0 || fields_integer(fields, "tgid", &tgid) < 0)
		return stream_fail(requests->stream, "%s", fail_text());
	thread = get_thread(host_at_hand(requests), (int32_t)tid);
	fields_text(fields, "comm", thread->comm, sizeof(thread->comm));
	if (tgid)
		thread->tgid = (int32_t)tgid;
	program = fields_copy(fields, "program");
	if (program) {
		free(thread->service);
		thread->service = service_of(program);
	}
	return 0;
}

static int take_loss(struct requests *requests, const struct fields *fields)
{
	struct gap gap = {INT64_MIN, INT64_MAX};

	if (fields_time(fields, "from", &gap.from) < 0 || fields_time(fields, "ts", &gap.to) < 0)
		return stream_fail(requests->stream, "%s", fail_text());
	*ARRAY_ADD(&host_at_hand(requests)->gaps) = gap;
	return 0;
}

static void add_wait(struct thread *thread, int64_t ts)
{
	size_t place = thread->waited.count;

	(void)ARRAY_ADD(&thread->waited);
	thread->waited.items[place].ts = ts;
}

static int take_event(struct requests *requests, const struct record *record)
{
	struct host *host = host_at_hand(requests);
	struct event event;

	if (events_read(requests->events, record, &event) < 0)
		return -1;
	for (int i = 0; i < WAITS; i++)
		if (event.type == requests->waits[i] &&
		    !((i == POLL || i == PPOLL) && event_has(&event, requests->descriptors[i]) && event_number(&event, requests->descriptors[i]) <= 1))
			add_wait(get_thread(host, event.tid), event.ts);
	if (!record->packed) {
		struct thread *thread = get_thread(host, event.tid);

		if (!*thread->comm && event.fields)
			fields_text(event.fields, "comm", thread->comm, sizeof(thread->comm));
	}
	return 0;
}

bool requests_reads(enum kind kind)
{
	return flows_reads(kind) || kind == KIND_HOST || kind == KIND_STREAM || kind == KIND_FORMAT || kind == KIND_TASK;
}

int requests_record(struct requests *requests, const struct record *record)
{
	const struct fields *fields = NULL;
	int status = 0;

	if (!record->packed && record->kind != KIND_EVENT) {
		fields = stream_fields(requests->stream, record);
		if (!fields)
			return -1;
	}
	if (record->kind == KIND_STREAM)
		return take_stream(requests, fields);
	if (record->kind == KIND_HOST)
		return take_host(requests, fields);
	if (record->kind == KIND_FORMAT)
		tell_wait(host_at_hand(requests), requests_wait(record));
	else if (record->kind == KIND_TASK)
		status = take_task(requests, fields);
	else if (record->kind == KIND_LOST)
		status = take_loss(requests, fields);
	else if (record->kind == KIND_EVENT)
		status = take_event(requests, record);
	return status == 0 && flows_reads(record->kind) ? flows_record(host_at_hand(requests)->flows, record) : status;
}

/* --- turns -------------------------------------------------------------------------------------------------------- */

/* When the byte behind this position had arrived; `otherwise` if no segment tells. */
static int64_t arrival(const struct end *end, uint64_t position, int64_t otherwise)
{
	size_t before = COUNT_UNTIL(end->arrived.items, end->arrived.count, end, position);

	return before < end->arrived.count && end->arrived.items[before].ts < otherwise ? end->arrived.items[before].ts : otherwise;
}

static void begin_turn(struct requests *requests, const struct end *end, int host, const struct moved *first, uint64_t from)
{
	struct turn turn = {.end = end, .host = host, .server = end->accepted, .tid = first->tid, .alone = true, .from = from, .parent = -1};

	turn.taken = turn.start = first->ts;
	if (!turn.server && first->since != INT64_MIN)
		turn.start = turn.taken = first->since;
	*ARRAY_ADD(&requests->turns) = turn;
}

/* Cuts what an end moved into turns. A turn ends where the asking side sends again after it was answered. */
static void find_turns(struct requests *requests, const struct end *end, int host)
{
	const struct moves *asks = end->accepted ? &end->received : &end->sent, *answers = end->accepted ? &end->sent : &end->received;
	uint64_t asked = end->accepted ? 0 : end->sent_before, told = end->accepted ? end->sent_before : 0;
	size_t i = 0, k = 0;
	struct turn *turn = NULL;

	while (i < asks->count || (turn && k < answers->count)) {
		bool ask = i < asks->count && (k == answers->count || asks->items[i].ts <= answers->items[k].ts);
		const struct moved *moved = ask ? &asks->items[i++] : &answers->items[k++];
		uint64_t bytes = moved->end - (ask ? asked : told);

		if (ask && (!turn || turn->answered)) {
			begin_turn(requests, end, host, moved, asked);
			turn = &requests->turns.items[requests->turns.count - 1];
		}
		*(ask ? &asked : &told) = moved->end;
		if (!turn)
			continue;
		turn->answered |= !ask;
		turn->alone &= moved->tid == turn->tid;
		turn->last = moved->ts > turn->last || (i + k) == 1 ? moved->ts : turn->last;
		*(ask == turn->server ? &turn->bytes_in : &turn->bytes_out) += bytes;
		if (ask)
			turn->to = asked;
	}
}

static int by_start(const void *left, const void *right)
{
	const struct turn *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

/* --- causes ------------------------------------------------------------------------------------------------------- */

/* The turns of each end, in order of positions. */
struct ends {
	const struct end *end;
	ARRAY(int32_t) turns;
	UT_hash_handle hh;
};

static struct ends *index_turns(const struct requests *requests)
{
	struct ends *index = NULL, *entry;

	for (size_t i = 0; i < requests->turns.count; i++) {
		const struct end *end = requests->turns.items[i].end;

		HASH_FIND_PTR(index, &end, entry);
		if (!entry) {
			entry = NEW(struct ends);
			entry->end = end;
			HASH_ADD_PTR(index, end, entry);
		}
		*ARRAY_ADD(&entry->turns) = (int32_t)i;
	}
	return index;
}

static void index_free(struct ends *index)
{
	struct ends *entry, *next;

	HASH_ITER(hh, index, entry, next) {
		HASH_DEL(index, entry);
		free(entry->turns.items);
		free(entry);
	}
}

/* The client's turns hold the positions of the server's requests. */
static void join_sides(struct requests *requests, struct ends *index, const struct end *client, const struct end *server)
{
	struct ends *asks, *answers;
	size_t k = 0;

	HASH_FIND_PTR(index, &client, asks);
	HASH_FIND_PTR(index, &server, answers);
	for (size_t i = 0; asks && answers && i < answers->turns.count; i++) {
		struct turn *turn = &requests->turns.items[answers->turns.items[i]];

		while (k < asks->turns.count && requests->turns.items[asks->turns.items[k]].to <= turn->from)
			k++;
		if (k < asks->turns.count && requests->turns.items[asks->turns.items[k]].from <= turn->from)
			turn->parent = asks->turns.items[k];
		turn->sure = turn->parent >= 0;
	}
}

/*
 * A server's request was in the queue from its arrival. A segment that the other side sent again may count twice, and so seem to have come
 * before it did.
 */
static void find_queues(struct requests *requests, struct ends *index, const struct end *client, const struct end *server)
{
	struct ends *answers;

	HASH_FIND_PTR(index, &server, answers);
	for (size_t i = 0; answers && !client->again && i < answers->turns.count; i++) {
		struct turn *turn = &requests->turns.items[answers->turns.items[i]];

		turn->start = arrival(server, turn->from, turn->taken);
	}
}

/* 0: not told. */
static int32_t process_of(const struct host *host, int32_t tid)
{
	struct thread *thread;

	HASH_FIND_INT(host->threads, &tid, thread);
	return thread && thread->tgid ? thread->tgid : 0;
}

static bool waited(const struct host *host, int32_t tid, int64_t from, int64_t to)
{
	struct thread *thread;
	size_t before;

	HASH_FIND_INT(host->threads, &tid, thread);
	if (!thread)
		return false;
	before = COUNT_UNTIL(thread->waited.items, thread->waited.count, ts, from);
	return before < thread->waited.count && thread->waited.items[before].ts <= to;
}

static bool lost_within(const struct host *host, int64_t from, int64_t to)
{
	for (size_t i = 0; i < host->gaps.count; i++)
		if (host->gaps.items[i].from <= to && host->gaps.items[i].to >= from)
			return true;
	return false;
}

/* Tells whether the host's stream tells of all waits that there are. */
static bool sees_waits(const struct host *host)
{
	unsigned all = (1u << (host->few ? WAITS_OF_ALL : WAITS)) - 1;

	return (host->told & all) == all;
}

/* Whether nobody whom the stream tells of can have asked: the peer's address is none of the hosts'. */
static bool is_outside(const struct requests *requests, const struct turn *turn)
{
	for (size_t h = 0; h < requests->hosts.count; h++) {
		size_t count;
		const struct end *const *ends = flows_ends(requests->hosts.items[h].flows, &count);

		for (size_t i = 0; i < count; i++)
			if (!memcmp(ends[i]->local.ip, turn->end->peer.ip, sizeof(turn->end->peer.ip)))
				return false;
	}
	return true;
}

/* The open requests of servers, as time goes on. */
struct open {
	ARRAY(int32_t) turns;
};

static void close_answered(const struct requests *requests, struct open *open, int64_t now)
{
	size_t kept = 0;

	for (size_t i = 0; i < open->turns.count; i++)
		if (requests->turns.items[open->turns.items[i]].last >= now)
			open->turns.items[kept++] = open->turns.items[i];
	open->turns.count = kept;
}

static bool of_one_process(const struct host *host, int32_t a, int32_t b)
{
	int32_t first = process_of(host, a), second = process_of(host, b);

	return a == b || !first || !second || first == second;
}

/* Of a client's turn: the request that it belongs to, or how many may be. */
static void find_cause(struct requests *requests, const struct open *open, struct turn *turn, bool served)
{
	const struct host *host = &requests->hosts.items[turn->host];
	int32_t own = -1;
	uint64_t owned = 0;

	for (size_t i = 0; i < open->turns.count; i++) {
		const struct turn *candidate = &requests->turns.items[open->turns.items[i]];

		if (candidate->host != turn->host || candidate->taken > turn->start || !of_one_process(host, candidate->tid, turn->tid))
			continue;
		turn->candidates++;
		if (candidate->tid == turn->tid) {
			own = open->turns.items[i];
			owned++;
		}
	}
	if (owned == 1) {
		const struct turn *cause = &requests->turns.items[own];

		turn->sure = cause->alone && cause->answered && turn->alone && sees_waits(host) &&
			     !waited(host, turn->tid, cause->taken, turn->start) && !lost_within(host, cause->taken, cause->last);
		turn->parent = turn->sure ? own : -1;
	} else {
		turn->sure = !served && !host->gaps.count;
	}
}

/* Threads that have received requests, and whether one of their process has: a client's turn of another process is a root. */
struct servers {
	ARRAY(int32_t) turns; /* one of each host and thread */
};

static void add_server(const struct requests *requests, struct servers *servers, int32_t index)
{
	const struct turn *turn = &requests->turns.items[index];

	for (size_t i = 0; i < servers->turns.count; i++) {
		const struct turn *known = &requests->turns.items[servers->turns.items[i]];

		if (known->host == turn->host && known->tid == turn->tid)
			return;
	}
	*ARRAY_ADD(&servers->turns) = index;
}

static bool has_served(const struct requests *requests, const struct servers *servers, const struct turn *turn)
{
	for (size_t i = 0; i < servers->turns.count; i++) {
		const struct turn *known = &requests->turns.items[servers->turns.items[i]];

		if (known->host == turn->host && of_one_process(&requests->hosts.items[turn->host], known->tid, turn->tid))
			return true;
	}
	return false;
}

static void find_causes(struct requests *requests)
{
	struct servers servers = {0};
	struct open open = {0};

	for (size_t i = 0; i < requests->turns.count; i++) {
		struct turn *turn = &requests->turns.items[i];

		close_answered(requests, &open, turn->start);
		if (turn->server) {
			*ARRAY_ADD(&open.turns) = (int32_t)i;
			add_server(requests, &servers, (int32_t)i);
			turn->sure = turn->sure || is_outside(requests, turn);
		} else {
			find_cause(requests, &open, turn, has_served(requests, &servers, turn));
		}
	}
	free(servers.turns.items);
	free(open.turns.items);
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

/* "10.0.0.2:6379"; of who asks without the port, which is another each time. */
static void spell_peer(const struct turn *turn, char *text, size_t room)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	const struct address *peer = &turn->end->peer;
	bool ipv4 = !memcmp(peer->ip, mapped, sizeof(mapped));
	char ip[INET6_ADDRSTRLEN];

	inet_ntop(ipv4 ? AF_INET : AF_INET6, ipv4 ? peer->ip + 12 : peer->ip, ip, sizeof(ip));
	if (turn->server)
		snprintf(text, room, "%s", ip);
	else
		snprintf(text, room, ipv4 ? "%s:%u" : "[%s]:%u", ip, peer->port);
}

/* What the process is called: by its first thread, else the thread's own name. */
static const char *service_name(const struct host *host, int32_t tid)
{
	struct thread *thread, *leader = NULL;

	HASH_FIND_INT(host->threads, &tid, thread);
	if (thread && thread->tgid)
		HASH_FIND_INT(host->threads, &thread->tgid, leader);
	if (leader && leader->service)
		return leader->service;
	if (thread && thread->service)
		return thread->service;
	return thread && *thread->comm ? thread->comm : NULL;
}

static void tell(struct requests *requests, struct spans *spans, int32_t index)
{
	const struct turn *turn = &requests->turns.items[index];
	const struct host *host = &requests->hosts.items[turn->host];
	char id[NUMBER_ROOM], parent[NUMBER_ROOM], peer[INET6_ADDRSTRLEN + 16];
	struct span_told told = {.id = id, .host = host->name, .service = service_name(host, turn->tid), .peer = peer,
		.pid = process_of(host, turn->tid), .start = turn->start, .end = turn->last > turn->start ? turn->last : turn->start,
		.kind = turn->server ? SPAN_SERVER : SPAN_CLIENT, .tid = turn->tid, .found = true, .sure = turn->sure,
		.candidates = turn->candidates, .bytes_in = turn->bytes_in, .bytes_out = turn->bytes_out, .taken = turn->taken};

	number_spell_integer(id, index + 1);
	number_spell_integer(parent, turn->parent + 1);
	told.parent = turn->parent >= 0 ? parent : NULL;
	spell_peer(turn, peer, sizeof(peer));
	spans_add(spans, &told);
	requests->counts.spans++;
	requests->counts.unsure += !turn->sure;
}

static int write_spans(struct requests *requests)
{
	struct spans *spans = spans_new();
	int status;

	for (size_t i = 0; i < requests->turns.count; i++)
		tell(requests, spans, (int32_t)i);
	status = spans_write(spans, requests->stream);
	spans_free(spans);
	return status;
}

static void find_all(struct requests *requests)
{
	struct talks *talks = talks_new();
	struct ends *index;

	for (size_t h = 0; h < requests->hosts.count; h++) {
		struct host *host = &requests->hosts.items[h];
		const struct end *const *ends;
		size_t count;

		flows_end(host->flows);
		talks_add(talks, (int)h, host->flows);
		ends = flows_ends(host->flows, &count);
		for (size_t i = 0; i < count; i++)
			if (ends[i]->accepted != ends[i]->connected)
				find_turns(requests, ends[i], (int)h);
		requests->counts.blind += count && !sees_waits(host);
	}
	index = index_turns(requests);
	for (const struct talk *talk = NULL; (talk = talks_next(talks, talk));)
		if (talk->end[0]->accepted != talk->end[1]->accepted)
			find_queues(requests, index, talk->end[talk->end[0]->accepted], talk->end[!talk->end[0]->accepted]);
	index_free(index);
	if (requests->turns.count)
		qsort(requests->turns.items, requests->turns.count, sizeof(struct turn), by_start);
	index = index_turns(requests);
	for (const struct talk *talk = NULL; (talk = talks_next(talks, talk));)
		if (talk->end[0]->accepted != talk->end[1]->accepted)
			join_sides(requests, index, talk->end[talk->end[0]->accepted], talk->end[!talk->end[0]->accepted]);
	index_free(index);
	talks_free(talks);
	find_causes(requests);
}

int requests_write(struct requests *requests)
{
	int status;

	find_all(requests);
	status = write_spans(requests);
	forget(requests);
	return status;
}
