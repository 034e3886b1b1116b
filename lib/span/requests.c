#include "span/requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "span/messages.h"
#include "span/spans.h"
#include "span/connections.h"
#include "span/turns.h"

/* System calls that wait for one of several descriptors; those that all machines have come first. */
static const char *const waits[WAITS] = {"epoll_pwait", "epoll_pwait2", "ppoll", "pselect6", "io_uring_enter", "epoll_wait", "poll", "select"};
enum { POLL = 6, PPOLL = 2 };

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

static void host_free(struct turn_host *host)
{
	struct turn_thread *thread, *next;

	HASH_ITER(hh, host->threads, thread, next) {
		HASH_DEL(host->threads, thread);
		free(thread->service);
		free(thread->waited.items);
		free(thread);
	}
	units_free(host->units);
	lanes_free(host->lanes);
	flows_free(host->flows);
	free(host->gaps.items);
	free(host->name);
}

static void forget(struct requests *requests)
{
	for (size_t i = 0; i < requests->hosts.count; i++)
		host_free(&requests->hosts.items[i]);
	for (size_t i = 0; i < requests->widths.count; i++)
		free(requests->widths.items[i].host);
	if (requests->messages)
		messages_free(requests->messages);
	requests->messages = NULL;
	requests->widths.count = 0;
	requests->hosts.count = 0;
	requests->turns.count = 0;
	requests->host = -1;
}

void requests_free(struct requests *requests)
{
	forget(requests);
	for (size_t i = 0; i < requests->files.count; i++)
		state_file_free(requests->files.items[i]);
	free(requests->files.items);
	free(requests->widths.items);
	free(requests->hosts.items);
	free(requests->turns.items);
	free(requests);
}

void requests_activity_source(struct requests *requests, struct activity_source source)
{
	requests->sources[0] = source;
}

const struct requests_counts *requests_counts(const struct requests *requests)
{
	return &requests->counts;
}

/* --- records ------------------------------------------------------------------------------------------------------ */

void requests_states(struct requests *requests, struct state_file *file)
{
	*ARRAY_ADD(&requests->files) = file;
}

/* The width of a host's clock: the widest, if the clock was stepped. */
static int64_t width_of(const struct requests *requests, const char *host)
{
	int64_t width = 0;

	for (size_t i = 0; host && i < requests->widths.count; i++)
		if (!strcmp(requests->widths.items[i].host, host) && requests->widths.items[i].ns > width)
			width = requests->widths.items[i].ns;
	return width;
}

static int add_host(struct requests *requests, char *name)
{
	struct flows *flows = flows_new(requests->stream, requests->events);
	struct units *units = units_new(requests->events, flows);
	struct lanes *lanes = lanes_new(requests->events);

	for (size_t i = 0; i < requests->files.count; i++) {
		units_add(units, requests->files.items[i]);
		lanes_add(lanes, requests->files.items[i]);
	}
	*ARRAY_ADD(&requests->hosts) = (struct turn_host){.name = name, .flows = flows, .units = units, .lanes = lanes, .width = width_of(requests, name)};
	return (int)requests->hosts.count - 1;
}

/* The entry of a host, added if needed; takes ownership of `host`. A host has several `clock` records if its clock was found repeatedly. */
static struct width *get_width(struct requests *requests, char *host)
{
	for (size_t i = 0; i < requests->widths.count; i++)
		if (!strcmp(requests->widths.items[i].host, host)) {
			free(host);
			return &requests->widths.items[i];
		}
	*ARRAY_ADD(&requests->widths) = (struct width){.host = host};
	return &requests->widths.items[requests->widths.count - 1];
}

static int take_clock(struct requests *requests, const struct fields *fields)
{
	int64_t ns = SPAN_WIDTH_UNKNOWN;
	char *name = fields_copy(fields, "host");
	struct width *width;

	if (!name)
		return stream_fail(requests->stream, "a clock record has no host");
	width = get_width(requests, name);
	if (!fields_is(fields, "width", "unknown") && fields_time(fields, "width", &ns) < 0)
		return stream_fail(requests->stream, "%s", fail_text());
	width->ns = ns > width->ns ? ns : width->ns;
	for (size_t i = 0; i < requests->hosts.count; i++)
		if (requests->hosts.items[i].name && !strcmp(requests->hosts.items[i].name, width->host))
			requests->hosts.items[i].width = width->ns;
	return 0;
}

static struct turn_host *host_at_hand(struct requests *requests)
{
	if (requests->host < 0)
		requests->host = add_host(requests, NULL);
	return &requests->hosts.items[requests->host];
}

int requests_host(struct requests *requests)
{
	host_at_hand(requests);
	return requests->host;
}

static void take_machine(struct turn_host *host, const struct fields *fields)
{
	host->few = fields_is(fields, "machine", "aarch64") || fields_is(fields, "machine", "riscv64") || fields_is(fields, "machine", "loongarch64");
}

/* The body of a format record is: system, NUL, "name: sys_enter_poll", ... */
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

static void tell_wait(struct turn_host *host, const char *name)
{
	for (int i = 0; name && i < WAITS; i++)
		host->told |= !strcmp(name, waits[i]) ? 1u << i : 0;
}

/* Reads the waits that the host's stream has: "epoll_wait,poll". */
static void take_waits(struct turn_host *host, const struct fields *fields)
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
	struct turn_host *host;

	requests->host = add_host(requests, fields_copy(fields, "host"));
	host = &requests->hosts.items[requests->host];
	take_machine(host, fields);
	return 0;
}

static struct turn_thread *get_thread(struct turn_host *host, int32_t tid)
{
	struct turn_thread *thread;

	HASH_FIND_INT(host->threads, &tid, thread);
	if (thread)
		return thread;
	thread = NEW(struct turn_thread);
	thread->tid = tid;
	HASH_ADD_INT(host->threads, tid, thread);
	return thread;
}

/* The program without its directory: "/usr/bin/python3 app.py" becomes "python3 app.py". Frees `program`. */
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
	struct turn_thread *thread;
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
	struct turn_gap gap = {INT64_MIN, INT64_MAX};

	if (fields_time(fields, "from", &gap.from) < 0 || fields_time(fields, "ts", &gap.to) < 0)
		return stream_fail(requests->stream, "%s", fail_text());
	*ARRAY_ADD(&host_at_hand(requests)->gaps) = gap;
	return 0;
}

static void take_wait(struct turn_host *host, int32_t tid, int64_t ts)
{
	struct turn_thread *thread = get_thread(host, tid);
	size_t place = thread->waited.count;

	(void)ARRAY_ADD(&thread->waited);
	thread->waited.items[place].ts = ts;
	units_waits(host->units, tid);
}

static int take_event(struct requests *requests, const struct record *record)
{
	struct turn_host *host = host_at_hand(requests);
	struct event event;

	if (events_read(requests->events, record, &event) < 0)
		return -1;
	for (int i = 0; i < WAITS; i++)
		if (event.type == requests->waits[i] &&
		    !((i == POLL || i == PPOLL) && event_has(&event, requests->descriptors[i]) && event_number(&event, requests->descriptors[i]) <= 1))
			take_wait(host, event.tid, event.ts);
	units_event(host->units, &event);
	if (!record->packed) {
		struct turn_thread *thread = get_thread(host, event.tid);

		if (!*thread->comm && event.fields)
			fields_text(event.fields, "comm", thread->comm, sizeof(thread->comm));
	}
	return 0;
}

bool requests_reads(enum kind kind)
{
	return flows_reads(kind) || kind == KIND_HOST || kind == KIND_CLOCK || kind == KIND_FORMAT || lanes_reads(kind);
}

/* The fields of a record in text form. NULL after fail(), or if the record is packed. */
static const struct fields *fields_of(struct requests *requests, const struct record *record)
{
	return record->packed ? NULL : stream_fields(requests->stream, record);
}

static int take(struct requests *requests, const struct record *record, const struct fields *fields)
{
	switch (record->kind) {
	case KIND_STREAM:
		return take_stream(requests, fields);
	case KIND_HOST:
		return take_host(requests, fields);
	case KIND_CLOCK:
		return take_clock(requests, fields);
	case KIND_FORMAT:
		tell_wait(host_at_hand(requests), requests_wait(record));
		return 0;
	case KIND_TASK:
		return take_task(requests, fields);
	case KIND_LOST:
		return take_loss(requests, fields);
	case KIND_EVENT:
		return take_event(requests, record);
	default:
		return 0;
	}
}

int requests_record(struct requests *requests, const struct record *record)
{
	const struct fields *fields = record->kind == KIND_EVENT ? NULL : fields_of(requests, record);

	if (record->kind != KIND_EVENT && !record->packed && !fields)
		return -1;
	if (take(requests, record, fields) < 0 || (lanes_reads(record->kind) && lanes_record(host_at_hand(requests)->lanes, record, fields) < 0))
		return -1;
	return flows_reads(record->kind) ? flows_record(host_at_hand(requests)->flows, record) : 0;
}

/* --- turns -------------------------------------------------------------------------------------------------------- */

static void begin_turn(struct requests *requests, const struct end *end, bool server, int host, const struct moved *first, uint64_t from)
{
	struct turn turn = {.end = end, .host = host, .server = server, .tid = first->tid, .alone = true, .from = from, .parent = -1};

	turn.taken = turn.start = turn.moved = first->ts;
	if (!turn.server && first->since != INT64_MIN)
		turn.start = turn.taken = first->since;
	*ARRAY_ADD(&requests->turns) = turn;
}

/*
 * Divides what an end moved into turns. A turn ends when the asking side sends again after an answer. If the connection is older than the trace,
 * requests before the first answer may have begun before the trace, and are left out. Messages behind an answer are not part of the turn.
 */
static void find_turns(struct requests *requests, const struct end *end, bool server, int host)
{
	const struct moves *asks = server ? &end->received : &end->sent, *answers = server ? &end->sent : &end->received;
	uint64_t asked = server ? end->received.before : end->sent.before, told = server ? end->sent.before : end->received.before;
	bool begun = !end->older;
	size_t i = 0, k = 0;
	struct turn *turn = NULL;

	if (messages_have(requests->messages, end))
		return;
	while (i < asks->count || ((turn || !begun) && k < answers->count)) {
		bool ask = i < asks->count && (k == answers->count || asks->items[i].ts <= answers->items[k].ts);
		const struct moved *moved = ask ? &asks->items[i++] : &answers->items[k++];
		uint64_t bytes = moved->end - (ask ? asked : told);

		if (ask && begun && (!turn || turn->answered)) {
			begin_turn(requests, end, server, host, moved, asked);
			turn = &requests->turns.items[requests->turns.count - 1];
		}
		*(ask ? &asked : &told) = moved->end;
		begun |= !ask;
		if (!turn || (!ask && turn->answered && messages_hold(requests->messages, end, told)))
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

/* --- requests within turns ---------------------------------------------------------------------------------------- */

static bool is_of_turn(const struct turn_host *host, const struct turn *turn, const struct begun *begun)
{
	int32_t process = turns_process(host, turn->tid);

	if (begun->unit->message || !units_count_for(host->units, begun->unit, turn->end->local.port))
		return false;
	if (begun->unit->fd.pieces.count == 0)
		return begun->end == turn->end;
	return begun->fd == turn->end->fd && (begun->tid == turn->tid || (process && turns_process(host, begun->tid) == process));
}

/* Splits a turn into its requests, in order. Each but the last ends where the next begins, which waited until then. Their answers leave together. */
static void split_turn(struct requests *requests, size_t index, const struct begun *list, size_t count)
{
	struct turn whole = requests->turns.items[index];
	const struct turn_host *host = &requests->hosts.items[whole.host];
	size_t found = 0, last = index;

	for (size_t i = 0; i < count; i++) {
		struct turn next = whole;

		if (!is_of_turn(host, &whole, &list[i]))
			continue;
		if (found++ == 0) {
			requests->turns.items[index].name = list[i].name;
			requests->turns.items[index].request = list[i].number;
			continue;
		}
		requests->turns.items[last].last = list[i].ts;
		requests->turns.items[last].split = next.split = next.behind = true;
		next.taken = list[i].ts;
		next.name = list[i].name;
		next.request = list[i].number;
		last = requests->turns.count;
		*ARRAY_ADD(&requests->turns) = next;
	}
}

static void find_units(struct requests *requests)
{
	size_t turns = requests->turns.count;

	for (size_t i = 0; i < turns; i++) {
		const struct turn *turn = &requests->turns.items[i];
		const struct turn_host *host = &requests->hosts.items[turn->host];
		const struct begun *list;
		size_t count;

		if (!turn->server)
			continue;
		list = units_begun(host->units, turn->taken, turn->last, &count);
		split_turn(requests, i, list, count);
	}
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

/* Makes each turn of the server a child of the client's turn that has the position of its first byte. */
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
 * A server's request was in the queue since its arrival. A retransmitted segment may count twice, which would make later bytes seem to arrive too
 * early; so such connections are left out.
 */
static void find_queues(struct requests *requests, struct ends *index, const struct end *client, const struct end *server)
{
	struct ends *answers;

	HASH_FIND_PTR(index, &server, answers);
	for (size_t i = 0; answers && !client->again && i < answers->turns.count; i++) {
		struct turn *turn = &requests->turns.items[answers->turns.items[i]];

		turn->start = turns_arrival(server, turn->from, turn->taken);
	}
}

/* --- all ----------------------------------------------------------------------------------------------------------- */

/* The end of a connection that asks, 0 or 1: the one that did not accept; -1: unknown. */
static int asking_end(const struct connection *connection)
{
	const struct end *a = connection->end[0], *b = connection->end[1];

	if (a->accepted == b->accepted)
		return -1;
	return a->accepted ? 1 : 0;
}

/* Finds the turns of each end that is known to ask or to answer, by its own events or by those of the other end. */
static void find_all_turns(struct requests *requests, const struct connections *connections)
{
	for (size_t h = 0; h < requests->hosts.count; h++) {
		const struct end *const *ends;
		size_t count;

		ends = flows_ends(requests->hosts.items[h].flows, &count);
		for (size_t i = 0; i < count; i++)
			if (ends[i]->accepted != ends[i]->connected)
				find_turns(requests, ends[i], ends[i]->accepted, (int)h);
	}
	for (const struct connection *connection = NULL; (connection = connections_next(connections, connection));) {
		int asking = asking_end(connection);

		if (asking >= 0 && !connection->end[asking]->connected)
			find_turns(requests, connection->end[asking], false, connection->host[asking]);
	}
}

static void find_all(struct requests *requests)
{
	struct connections *connections = connections_new();
	struct ends *index;

	for (size_t h = 0; h < requests->hosts.count; h++) {
		struct turn_host *host = &requests->hosts.items[h];
		size_t count;

		flows_end(host->flows);
		units_end(host->units);
		connections_add(connections, (int)h, host->flows);
		flows_ends(host->flows, &count);
		requests->counts.blind += count && !turns_see_waits(host);
	}
	requests->messages = messages_find(requests, connections);
	find_all_turns(requests, connections);
	index = index_turns(requests);
	for (const struct connection *connection = NULL; (connection = connections_next(connections, connection));)
		if (asking_end(connection) >= 0)
			find_queues(requests, index, connection->end[asking_end(connection)], connection->end[!asking_end(connection)]);
	index_free(index);
	find_units(requests);
	if (requests->turns.count)
		qsort(requests->turns.items, requests->turns.count, sizeof(struct turn), by_start);
	index = index_turns(requests);
	for (const struct connection *connection = NULL; (connection = connections_next(connections, connection));)
		if (asking_end(connection) >= 0)
			join_sides(requests, index, connection->end[asking_end(connection)], connection->end[!asking_end(connection)]);
	index_free(index);
	connections_free(connections);
	causes_find(requests);
}

int requests_write(struct requests *requests)
{
	int status;

	for (size_t h = 0; h < requests->hosts.count; h++)
		if (lanes_end(requests->hosts.items[h].lanes) < 0)
			return -1;
	find_all(requests);
	status = turns_write(requests);
	forget(requests);
	return status;
}
