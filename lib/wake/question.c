#include "wake/question.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "base/fail.h"
#include "base/number.h"
#include "wake/context.h"
#include "wake/earlier_names.h"
#include "wake/part.h"
#include "wake/reason.h"
#include "wake/syscall.h"
#include "wake/taker.h"

/* Connections that are kept; nothing is known of further ones. */
enum { CONNECTIONS_MAX = 1 << 16, PEER_ROOM = 256 };

/* How many given-up questions of all processes are searched, from a wait on, for one of the thread's process. */
enum { PATIENCE = 1024 };

enum { TCP_ESTABLISHED = 1, TCP_SYN_SENT = 2, TCP_LISTEN = 10 };

struct connection { /* through which a process asks */
	struct {
		int32_t process, fd;
	} of;
	struct question open; /* open.of: index of the thread that was asked last, even if nothing is open */
	bool answers; /* something has come from the other end */
	bool fresh, taken; /* it was made within the data, and has had one question; a thread is known to take it, or several were woken */
	bool told;    /* a record told of it, so it outlives a window */
	struct connection *prev, *next; /* of its process */
	UT_hash_handle hh;
};

/* A question through a connection that was closed before an answer came. Its `of` is INDEX_NONE if it is not known who was asked. */
struct given_up {
	int32_t process;
	struct question question;
	int64_t until;
};

struct asker {
	int32_t process;
	struct connection *connections; /* at least one */
	UT_hash_handle hh;
};

/* A call that woke one thread of another process. */
struct answer {
	int64_t ts; /* when it returned */
	int32_t woken, fd;
};

enum { SEVERAL = INDEX_NONE - 1 };

struct answering { /* of a thread */
	int32_t woken; /* index of the thread of another process that its current call woke; INDEX_NONE: none; SEVERAL */
	struct listener *listener; /* that it has connected to in this call; NULL: none is known */
	int32_t asked_fd; /* descriptor through which it asked last */
	uint16_t port; /* that it has connected to in this call, if both ends have the same address; 0: none */
	bool elsewhere; /* it has transferred something through another descriptor since */
	ARRAY(struct answer) answers; /* in the order of time */
};

struct connections {
	struct connection *known;
	struct asker *askers;
	ARRAY(struct given_up) given_up; /* in the order of `until` */
	struct takers takers;
};

static struct connections *of(const struct wake *wake)
{
	return wake->of[PART_QUESTION];
}

static struct answering *answering_of(const struct thread *thread)
{
	return thread->of[PART_QUESTION];
}

static struct connection *find(const struct wake *wake, int32_t process, int32_t fd)
{
	struct connection key = {.of = {process, fd}}, *found;

	HASH_FIND(hh, of(wake)->known, &key.of, sizeof(key.of), found);
	return found;
}

static struct asker *asker_of(const struct wake *wake, int32_t process)
{
	struct asker *asker;

	HASH_FIND(hh, of(wake)->askers, &process, sizeof(process), asker);
	return asker;
}

static void put(struct wake *wake, struct connection *connection)
{
	struct asker *asker = asker_of(wake, connection->of.process);

	if (!asker) {
		asker = NEW(struct asker);
		asker->process = connection->of.process;
		HASH_ADD(hh, of(wake)->askers, process, sizeof(asker->process), asker);
	}
	DL_APPEND(asker->connections, connection);
	HASH_ADD(hh, of(wake)->known, of, sizeof(connection->of), connection);
}

static void drop(struct wake *wake, struct connection *connection)
{
	struct asker *asker = asker_of(wake, connection->of.process);

	HASH_DEL(of(wake)->known, connection);
	DL_DELETE(asker->connections, connection);
	if (!asker->connections) {
		HASH_DEL(of(wake)->askers, asker);
		free(asker);
	}
	free(connection);
}

static void nothing_open(struct connection *connection)
{
	connection->open = (struct question){TIME_NONE, INDEX_NONE, INDEX_NONE};
	connection->answers = connection->fresh = connection->taken = false;
}

/* Adds a connection without a question; NULL: there are too many. */
static struct connection *add(struct wake *wake, int32_t process, int32_t fd, bool told)
{
	struct connection *connection = find(wake, process, fd);

	if (!connection && HASH_COUNT(of(wake)->known) >= CONNECTIONS_MAX)
		return NULL;
	if (!connection) {
		connection = NEW(struct connection);
		connection->of.process = process;
		connection->of.fd = fd;
		put(wake, connection);
	}
	connection->told = told;
	nothing_open(connection);
	return connection;
}

static void add_asking(struct wake *wake, int32_t process, int32_t fd, const struct fields *fields)
{
	(void)fields;
	add(wake, process, fd, true);
}

static void add_listening(struct wake *wake, int32_t process, int32_t port, const struct fields *fields)
{
	takers_told(&of(wake)->takers, wake, process, port, fields);
}

/* Calls take() with each number of a list with commas. */
static void read_numbers(struct wake *wake, int32_t process, const struct fields *fields, const char *key,
			 void (*take)(struct wake *wake, int32_t process, int32_t number, const struct fields *fields))
{
	char *numbers = fields_copy(fields, key), *end, *at;

	for (at = numbers; at && *at; at = *end ? end + 1 : end) {
		long number = strtol(at, &end, 10);

		if (end == at)
			break;
		if (number >= 0 && number <= INT32_MAX)
			take(wake, process, (int32_t)number, fields);
	}
	free(numbers);
}

static int read_traced(struct wake *wake, const struct fields *fields)
{
	int64_t process = 0;

	if (fields_integer(fields, "process", &process) < 0)
		return -1;
	if (process <= 0 || process > INT32_MAX)
		return 0;
	read_numbers(wake, (int32_t)process, fields, "asks", add_asking);
	read_numbers(wake, (int32_t)process, fields, "listens", add_listening);
	return 0;
}

/* Indexes of threads do not outlive the window. */
static void forget(struct wake *wake)
{
	struct connection *connection, *next;

	HASH_ITER(hh, of(wake)->known, connection, next) {
		nothing_open(connection);
		if (!connection->told)
			drop(wake, connection);
	}
	of(wake)->given_up.count = 0;
}

static void forget_meanings(struct wake *wake)
{
	struct connection *connection, *next;

	HASH_ITER(hh, of(wake)->known, connection, next)
		drop(wake, connection);
	takers_free(&of(wake)->takers);
	for (size_t i = 0; i < wake->threads.count; i++)
		answering_of(wake->threads.items[i])->listener = NULL;
	ARRAY_FREE(&of(wake)->given_up);
}

/* Forgets all, because data may have been sent or received in the lost events. */
static void lost(struct wake *wake, int64_t from)
{
	(void)from;
	forget(wake);
}

static void thread_begin(struct thread *thread)
{
	*answering_of(thread) = (struct answering){.woken = INDEX_NONE, .asked_fd = FD_NONE};
}

static void thread_lost(struct thread *thread)
{
	answering_of(thread)->woken = INDEX_NONE;
}

static void thread_free(struct thread *thread)
{
	free(answering_of(thread)->answers.items);
}

static void thread_trim(const struct thread *thread, int64_t before)
{
	struct answering *answering = answering_of(thread);
	size_t drop = COUNT_UNTIL(answering->answers.items, answering->answers.count, ts, before - 1);

	if (drop)
		ARRAY_REMOVE(&answering->answers, 0, drop);
}

static void enters(struct wake *wake, struct thread *thread)
{
	(void)wake;
	answering_of(thread)->woken = INDEX_NONE;
	answering_of(thread)->listener = NULL;
	answering_of(thread)->port = 0;
}

bool question_receives(const struct wake *wake, const struct thread *thread)
{
	return reason_at(wake->reasons, syscall_of(thread)->name)->receives;
}

/* `since`: when the waker did what woke the other; a soft interrupt may have woken it later. */
static void wakes_in_call(struct wake *wake, struct thread *waker, const struct thread *woken, int64_t since)
{
	int32_t *by_call = &answering_of(waker)->woken, process = events_tgid(wake->events, woken->tid);

	if (syscall_of(waker)->name == CALL_NONE || since < syscall_of(waker)->since || question_receives(wake, waker) || !process ||
	    process == events_tgid(wake->events, waker->tid) || core_is_kernels(wake, woken))
		return;
	*by_call = *by_call == INDEX_NONE || *by_call == woken->index ? woken->index : SEVERAL;
}

static void woke(struct wake *wake, const struct waking *waking)
{
	const struct raise *raise = waking->cause == CAUSE_RAISED ? &wake->raises.items[waking->index] : NULL;

	if (waking->cause == CAUSE_THREAD)
		wakes_in_call(wake, wake->threads.items[waking->index], waking->woken, wake->now);
	if (raise)
		wakes_in_call(wake, wake->threads.items[raise->thread], waking->woken, raise->ts);
}

/* A connection within this machine is established in the call itself. */
static void established(struct at *at, struct thread *thread, int64_t port)
{
	enum { ADDRESS = 3, OWN_ADDRESS };
	char address[PEER_ROOM - NUMBER_ROOM], own[PEER_ROOM], peer[PEER_ROOM];

	if (!reason_at(at->wake->reasons, syscall_of(thread)->name)->asks || !at_text(at, ADDRESS, address, sizeof(address)))
		return;
	snprintf(peer, sizeof(peer), "%" PRId64 " %s", port, address);
	answering_of(thread)->listener = takers_at(&of(at->wake)->takers, peer);
	if (at_text(at, OWN_ADDRESS, own, sizeof(own)) && strcmp(own, address) == 0)
		answering_of(thread)->port = (uint16_t)port;
}

static void on_state(struct at *at)
{
	enum { BEFORE, NOW, PORT, OWN_PORT = 5 };
	int64_t now = at_number(at, NOW);

	if (now == TCP_LISTEN)
		takers_listen(&of(at->wake)->takers, (int32_t)at_number(at, OWN_PORT));
	else if (at->current && at_number(at, BEFORE) == TCP_SYN_SENT && now == TCP_ESTABLISHED)
		established(at, at->current, at_number(at, PORT));
}

static void connected(struct wake *wake, const struct thread *thread, int32_t process)
{
	struct connection *connection = add(wake, process, syscall_of(thread)->fd, false);
	const struct answering *answering = answering_of(thread);
	int32_t taker = answering->woken >= 0 ? answering->woken : INDEX_NONE;

	if (!connection)
		return;
	if (answering->listener && taker != INDEX_NONE)
		takers_learn(answering->listener, wake, wake->threads.items[taker]);
	else if (answering->woken == INDEX_NONE)
		taker = takers_find(&of(wake)->takers, wake, answering->listener, answering->port, process);
	connection->fresh = true;
	connection->taken = taker != INDEX_NONE || answering->woken == SEVERAL;
	connection->open.of = taker;
}

static bool has_waited(const struct thread *thread, int64_t since)
{
	for (size_t at = thread->pieces.count; at-- > 0 && thread->pieces.items[at].start > since;)
		if (thread->pieces.items[at].what == WHAT_WAIT)
			return true;
	return false;
}

static void sent(const struct thread *thread, struct connection *connection)
{
	struct answering *asking = answering_of(thread);

	if (connection->open.since == TIME_NONE)
		connection->open.since = syscall_of(thread)->since;
	else if (has_waited(thread, connection->open.since))
		connection->fresh = false;
	connection->open.by = thread->index;
	asking->asked_fd = connection->of.fd;
	asking->elsewhere = false;
	if (asking->woken >= 0)
		connection->open.of = asking->woken;
}

/* Tells whether the open question is the first of its connection, and the thread that asked has transferred nothing elsewhere since. */
static bool is_first(const struct wake *wake, const struct connection *connection)
{
	int32_t by = connection->open.by;

	return connection->fresh && by != INDEX_NONE && !answering_of(wake->threads.items[by])->elsewhere;
}

static void closed(struct wake *wake, struct connection *connection)
{
	bool first = is_first(wake, connection);
	struct question question = connection->open;

	if (!connection->answers && !connection->taken)
		question.of = INDEX_NONE;
	if (question.since != TIME_NONE && (connection->answers || first))
		*ARRAY_ADD(&of(wake)->given_up) = (struct given_up){connection->of.process, question, wake->now};
	drop(wake, connection);
}

static void returns(struct wake *wake, struct thread *thread, int64_t result)
{
	struct answering *answering = answering_of(thread);
	const struct in_call *call = syscall_of(thread);
	const struct reason *reason = reason_at(wake->reasons, call->name);
	int32_t process = call->fd == FD_NONE ? 0 : events_tgid(wake->events, thread->tid);
	struct connection *connection = process ? find(wake, process, call->fd) : NULL;

	answering->elsewhere |= (reason->sends || reason->receives) && result > 0 && call->fd != answering->asked_fd;
	if (reason->asks && process)
		connected(wake, thread, process);
	else if (connection && reason->closes)
		closed(wake, connection);
	else if (connection && reason->sends && result > 0)
		sent(thread, connection);
	else if (connection && reason->receives && result >= 0) { /* 0: the other end has closed it */
		connection->open.since = TIME_NONE;
		connection->answers |= result > 0;
	}
	if (answering->woken >= 0 && result > 0 && call->fd != FD_NONE)
		*ARRAY_ADD(&answering->answers) = (struct answer){wake->now, answering->woken, call->fd};
	answering->woken = INDEX_NONE;
}

/*
 * Index of the thread that this one answered last through this descriptor, in (from, to]: a call that does not receive woke that thread of another
 * process, and no other. INDEX_NONE: not known.
 */
static int32_t answered_by(const struct thread *thread, int32_t fd, int64_t from, int64_t to)
{
	const struct answering *answering = answering_of(thread);
	const struct answer *answers = answering->answers.items;

	for (size_t at = COUNT_UNTIL(answers, answering->answers.count, ts, to); at-- > 0 && answers[at].ts > from;)
		if (answers[at].fd == fd)
			return answers[at].woken;
	return INDEX_NONE;
}

const char *wake_answered(struct wake *wake, struct wake_target target, int32_t fd, int64_t from, int64_t to, int32_t *tid)
{
	int32_t answered = INDEX_NONE;

	if (target.part == PART_SCHED && target.index != INDEX_NONE)
		answered = answered_by(core_sync(wake, target.index), fd, from, to);
	if (answered == INDEX_NONE)
		return NULL;
	*tid = wake->threads.items[answered]->tid;
	return wake_comm_at(wake, wake->threads.items[answered], to);
}

static bool is_open(const struct connection *connection, const struct piece *wait)
{
	return connection->open.since != TIME_NONE && connection->open.since <= wait->start;
}

/* The next question of the thread's process from before this wait that was given up only after it; NULL: no more. Begin with *at = 0. */
static const struct given_up *given_up_later(const struct wake *wake, const struct thread *thread, const struct piece *wait, size_t *at)
{
	int64_t end = thread_piece_end(wake, thread, (size_t)(wait - thread->pieces.items));
	int32_t process = events_tgid(wake->events, thread->tid);
	const struct given_up *items = of(wake)->given_up.items;
	size_t count = of(wake)->given_up.count, first = COUNT_UNTIL(items, count, until, end - 1);

	if (count > first + PATIENCE)
		count = first + PATIENCE;
	for (*at = *at > first ? *at : first; process && *at < count; (*at)++)
		if (items[*at].process == process && items[*at].question.since <= wait->start)
			return &items[(*at)++];
	return NULL;
}

bool question_of_unknown(const struct wake *wake, const struct thread *thread, const struct piece *wait)
{
	int32_t process = events_tgid(wake->events, thread->tid);
	const struct asker *asker = process ? asker_of(wake, process) : NULL;
	const struct connection *connection;
	const struct given_up *given_up;
	size_t at = 0;

	for (connection = asker ? asker->connections : NULL; connection; connection = connection->next)
		if (is_open(connection, wait) && connection->open.of == INDEX_NONE && connection->open.by == thread->index &&
		    (connection->answers || is_first(wake, connection)))
			return true;
	while ((given_up = given_up_later(wake, thread, wait, &at)))
		if (given_up->question.of == INDEX_NONE && given_up->question.by == thread->index)
			return true;
	return false;
}

/* Keeps the first of several questions to one process. False: they are to several processes, or it is not known to which. */
static bool take_question(const struct wake *wake, struct question *found, const struct question *open)
{
	int32_t asked = open->of == INDEX_NONE ? 0 : events_tgid(wake->events, wake->threads.items[open->of]->tid);

	if (!asked || (found->since != TIME_NONE && asked != events_tgid(wake->events, wake->threads.items[found->of]->tid)))
		return false;
	if (found->since == TIME_NONE || open->since < found->since)
		*found = *open;
	return true;
}

struct question question_in(const struct wake *wake, const struct thread *thread, const struct piece *wait)
{
	static const struct question none = {TIME_NONE, INDEX_NONE, INDEX_NONE};
	int32_t process = events_tgid(wake->events, thread->tid);
	const struct asker *asker = process ? asker_of(wake, process) : NULL;
	const struct connection *connection;
	const struct given_up *given_up;
	struct question question = none;
	size_t at = 0;

	for (connection = asker ? asker->connections : NULL; connection; connection = connection->next)
		if (is_open(connection, wait) && (connection->answers || (connection->taken && is_first(wake, connection))) &&
		    !take_question(wake, &question, &connection->open))
			return none;
	while ((given_up = given_up_later(wake, thread, wait, &at)))
		if (!take_question(wake, &question, &given_up->question))
			return none;
	return question;
}

static const struct part_event events[] = {
	{"sock:inet_sock_set_state", on_state, {"oldstate", "newstate", "dport", "daddr_v6", "saddr_v6", "sport"}},
	{0},
};

static const struct part_record records[] = {{KIND_TRACED, read_traced}, {0}};

const struct part question_part = {
	.events = events,
	.records = records,
	.window = sizeof(struct connections),
	.thread = sizeof(struct answering),
	.forget = forget,
	.forget_meanings = forget_meanings,
	.free = forget_meanings,
	.lost = lost,
	.thread_begin = thread_begin,
	.thread_lost = thread_lost,
	.thread_trim = thread_trim,
	.thread_free = thread_free,
	.enters = enters,
	.returns = returns,
	.woke = woke,
};
