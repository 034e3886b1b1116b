#include "wake/taker.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "wake/early_wait.h"
#include "wake/reason.h"

/* Listeners that are kept; nothing is known of further ones. If more processes than TOGETHER_MAX take connections at one port, none is the answer. */
enum { LISTENERS_MAX = 1 << 12, PORT_MAX = 65535, TOGETHER_MAX = 64 };

struct woken { /* by a connection: the last thread of its process */
	int32_t tid, process;
};

struct listener {
	char *peer;
	ARRAY(struct woken) woken;
	bool more; /* than are kept */
	UT_hash_handle hh;
};

/* A process that listened when tracing began. */
struct holder {
	int32_t process;
	int32_t parent; /* process; 0: not known */
	bool alone;	/* it had one thread */
	bool stopped;	/* by a signal */
	int64_t seen;	/* when */
	int16_t reason; /* of the wait in which its first thread was then; CALL_NONE: it is not known */
};

/* A TCP port of this machine. */
struct port {
	int32_t number;
	ARRAY(struct holder) holders;
	bool more; /* than are kept, or processes that listen there since */
	UT_hash_handle hh;
};

/* --- one of several --------------------------------------------------------------------------------------------------- */

struct candidates {
	int32_t threads[2 * TOGETHER_MAX]; /* indexes */
	size_t count;
};

static bool waits_longer(const struct thread *thread, const struct thread *other)
{
	return thread_last(thread)->start < thread_last(other)->start;
}

/* An idle thread would have been woken. */
static bool waits_for_connections(const struct reason *reason)
{
	return reason->syscall && strncmp(reason->syscall, "accept", strlen("accept")) == 0;
}

/* Of several threads the one that has waited longest, if all of them wait for the same reason; else INDEX_NONE. */
static int32_t choose(struct wake *wake, const struct candidates *among)
{
	const struct thread *first = NULL;

	if (among->count == 1)
		return among->threads[0];
	for (size_t i = 0; i < among->count; i++) {
		const struct thread *thread = core_sync(wake, among->threads[i]);
		int16_t reason = thread_asleep(thread) ? thread_last(thread)->call : CALL_NONE;

		if (reason == CALL_NONE || (first && reason != thread_last(first)->call) || waits_for_connections(reason_at(wake->reasons, reason)))
			return INDEX_NONE;
		if (!first || waits_longer(thread, first))
			first = thread;
	}
	return first ? first->index : INDEX_NONE;
}

/* --- by earlier connections ------------------------------------------------------------------------------------------- */

/* Tells whether the process is known to have ended. Its end may have been between two windows, and so not seen. */
static bool has_ended(struct wake *wake, int32_t process)
{
	const struct thread *first = core_thread_find(wake, process, wake->now);
	int32_t now = events_tgid(wake->events, process);

	return (first && first->died != TIME_NONE) || (now && now != process);
}

static void forget_ended(struct listener *listener, struct wake *wake)
{
	size_t left = 0;

	for (size_t i = 0; i < listener->woken.count; i++)
		if (!has_ended(wake, listener->woken.items[i].process))
			listener->woken.items[left++] = listener->woken.items[i];
	listener->woken.count = left;
}

struct listener *takers_at(struct takers *takers, const char *peer)
{
	struct listener *listener;

	HASH_FIND_STR(takers->listeners, peer, listener);
	if (!listener && HASH_COUNT(takers->listeners) < LISTENERS_MAX) {
		listener = NEW(struct listener);
		listener->peer = memory_text(peer, strlen(peer));
		HASH_ADD_KEYPTR(hh, takers->listeners, listener->peer, strlen(listener->peer), listener);
	}
	return listener;
}

void takers_learn(struct listener *listener, struct wake *wake, const struct thread *woken)
{
	int32_t process = events_tgid(wake->events, woken->tid);

	for (size_t i = 0; i < listener->woken.count; i++)
		if (listener->woken.items[i].process == process) {
			listener->woken.items[i].tid = woken->tid;
			return;
		}
	if (listener->woken.count >= TOGETHER_MAX)
		forget_ended(listener, wake);
	if (listener->woken.count >= TOGETHER_MAX)
		listener->more = true;
	else
		*ARRAY_ADD(&listener->woken) = (struct woken){woken->tid, process};
}

/* Adds the thread of each process that lives. False: one of them is not known, as nothing was seen of it in this window. */
static bool add_woken(struct candidates *among, struct wake *wake, const struct listener *listener)
{
	for (size_t i = 0; i < listener->woken.count; i++) {
		const struct woken *woken = &listener->woken.items[i];
		const struct thread *thread;

		if (has_ended(wake, woken->process))
			continue;
		thread = core_thread_find(wake, woken->tid, wake->now);
		if (!thread || thread->died != TIME_NONE || events_tgid(wake->events, woken->tid) != woken->process)
			return false;
		among->threads[among->count++] = thread->index;
	}
	return !listener->more;
}

static bool was_woken(const struct listener *listener, int32_t process)
{
	for (size_t i = 0; listener && i < listener->woken.count; i++)
		if (listener->woken.items[i].process == process)
			return true;
	return false;
}

/* --- by who listened -------------------------------------------------------------------------------------------------- */

static struct port *port_at(struct takers *takers, int32_t number)
{
	struct port *port;

	HASH_FIND_INT(takers->ports, &number, port);
	if (port || number > PORT_MAX)
		return port;
	port = NEW(struct port);
	port->number = number;
	HASH_ADD_INT(takers->ports, number, port);
	return port;
}

void takers_told(struct takers *takers, struct wake *wake, int32_t process, int32_t number, const struct fields *fields)
{
	struct port *port = port_at(takers, number);
	struct holder *holder;
	int64_t parent = 0;

	if (!port)
		return;
	for (size_t i = 0; i < port->holders.count; i++)
		if (port->holders.items[i].process == process)
			return;
	if (port->holders.count >= TOGETHER_MAX) {
		port->more = true;
		return;
	}
	holder = ARRAY_ADD(&port->holders);
	*holder = (struct holder){.process = process, .seen = INT64_MIN};
	holder->alone = fields_is(fields, "takes", "yes");
	holder->stopped = fields_is(fields, "stopped", "signal");
	holder->reason = early_wait_reason(wake, fields);
	fields_time(fields, "seen", &holder->seen);
	if (fields_integer(fields, "parent", &parent) > 0 && parent > 0 && parent <= INT32_MAX)
		holder->parent = (int32_t)parent;
}

void takers_listen(struct takers *takers, int32_t number)
{
	struct port *port;

	HASH_FIND_INT(takers->ports, &number, port);
	if (port)
		port->more = true;
}

/*
 * Index of the holder's thread that takes connections. What /proc told when tracing began counts only if all the data since then are here. Of
 * several threads that a signal has stopped, one is as good as another.
 */
static int32_t taker_of(struct wake *wake, const struct holder *holder, int32_t asking)
{
	const struct thread *known;
	struct thread *taker;

	if (holder->process == asking || core_since(wake) > holder->seen || !events_tgid(wake->events, holder->process))
		return INDEX_NONE;
	known = core_thread_find(wake, holder->process, wake->now);
	if (known && (known->died != TIME_NONE || known->born != TIME_NONE || known->forked)) /* whom it made may take connections, too */
		return INDEX_NONE;
	taker = core_thread(wake, holder->process);
	if (!holder->alone && !(holder->stopped && thread_unseen(taker)))
		return INDEX_NONE;
	return !thread_unseen(taker) || early_wait_begin(wake, taker, holder->reason) ? taker->index : INDEX_NONE;
}

/*
 * Tells whether the holder only watches over several processes that take the connections, as gunicorn's first process does: it polls, but not for
 * connections, because this one did not wake it.
 */
static bool is_master(const struct wake *wake, const struct port *port, const struct holder *holder, const struct thread *thread)
{
	int children = 0;

	if (!thread_asleep(thread) || !reason_at(wake->reasons, thread_last(thread)->call)->many)
		return false;
	for (size_t i = 0; i < port->holders.count; i++)
		children += port->holders.items[i].parent == holder->process;
	return children > 1;
}

/* Adds the threads of those processes that no connection has woken. False: one of them is not known. */
static bool add_holders(struct candidates *among, const struct takers *takers, struct wake *wake, const struct listener *listener, int32_t number, int32_t asking)
{
	const struct port *port;
	int32_t taker;

	HASH_FIND_INT(takers->ports, &number, port);
	if (!port || port->more)
		return false;
	for (size_t i = 0; i < port->holders.count; i++) {
		const struct holder *holder = &port->holders.items[i];

		if (was_woken(listener, holder->process) || has_ended(wake, holder->process))
			continue;
		taker = taker_of(wake, holder, asking);
		if (taker == INDEX_NONE)
			return false;
		if (!is_master(wake, port, holder, core_sync(wake, taker)))
			among->threads[among->count++] = taker;
	}
	return true;
}

/* --- all -------------------------------------------------------------------------------------------------------------- */

int32_t takers_find(const struct takers *takers, struct wake *wake, const struct listener *listener, uint16_t port, int32_t asking)
{
	struct candidates among = {.count = 0};
	size_t woken;

	if (listener && !add_woken(&among, wake, listener))
		return INDEX_NONE;
	woken = among.count;
	if (port && !add_holders(&among, takers, wake, listener, port, asking))
		among.count = woken; /* without them the connections alone tell */
	return choose(wake, &among);
}

void takers_free(struct takers *takers)
{
	struct listener *listener, *next;
	struct port *port, *next_port;

	HASH_ITER(hh, takers->listeners, listener, next) {
		HASH_DEL(takers->listeners, listener);
		ARRAY_FREE(&listener->woken);
		free(listener->peer);
		free(listener);
	}
	HASH_ITER(hh, takers->ports, port, next_port) {
		HASH_DEL(takers->ports, port);
		ARRAY_FREE(&port->holders);
		free(port);
	}
}
