/*
 * units: facts about requests that bytes do not show, by the `unit`, `call`, `message`, `backlog` and `dispatch` lines of state files: where a
 * request begins within a connection, and its name; for which request a thread calls others; in which runs of an event loop's callbacks
 * a thread received and sent; which messages a thread leaves in the queues of connections, and when the queues are empty again.
 *
 *	struct units *units = units_new(events, flows);
 *	units_add(units, file)			state files, read for these events; they must outlive the units
 *	units_event(units, &event)		each, in order of time
 *	units_end(units)			then the rest
 *	units_free(units)
 */
#ifndef SPAN_UNITS_H
#define SPAN_UNITS_H

#include "span/flows.h"
#include "state/state_file.h"

struct units;

/* A unit: a request or message that an event begins. */
struct begun {
	int64_t ts;
	int32_t tid, fd;       /* fd: -1: not told */
	const struct end *end; /* the end at which its thread last received; NULL: none */
	const struct state_unit *unit;
	char *name; /* NULL: not told */
	uint64_t number; /* counted from 1, in the order of the events */
	uint64_t bytes;	 /* of a message; 0: not told */
	int64_t until;	 /* when its thread had finished it; INT64_MAX: unknown */
};

/* A thread's announcement that it sends next on this descriptor, and for which request. */
struct called {
	int64_t ts;
	int32_t fd;
	uint64_t request; /* its number; 0: unknown */
};

/* A thread left a message in the queue of one or several connections; or a queue could not be sent completely; or a queue is empty. */
enum queue_what { QUEUE_MESSAGE, QUEUE_LEFT, QUEUE_EMPTY };
struct queued {
	int64_t ts;
	int32_t tid, fd; /* fd -1: each connection at whose other end units of the name `to` come in */
	enum queue_what what;
	const char *to;
	uint64_t request; /* the number of the request that the thread worked on; 0: unknown */
};

struct units *units_new(struct events *events, const struct flows *flows);
void units_free(struct units *units);
void units_add(struct units *units, const struct state_file *file);
void units_event(struct units *units, const struct event *event);
void units_waits(struct units *units, int32_t tid); /* the thread waits for several descriptors: it works on no request */
void units_end(struct units *units);

/* Tells whether the unit line applies to connections to this port: it names the port, or it names none and no other line names this port. */
bool units_count_for(const struct units *units, const struct state_unit *unit, uint16_t port);

/* The units begun in [from, to]: returns the first of them; *count: how many. */
const struct begun *units_begun(const struct units *units, int64_t from, int64_t to, size_t *count);

/* What happened to queues, in order of time. */
const struct queued *units_queued(const struct units *units, size_t *count);

/* The thread's last announcement at or before this time; NULL: none. */
const struct called *units_called(const struct units *units, int32_t tid, int64_t at);

/* The thread's run of a callback at this time. False: none is known. */
bool units_run(const struct units *units, int32_t tid, int64_t at, int64_t *from, int64_t *to);

#endif
