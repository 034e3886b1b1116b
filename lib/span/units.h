/*
 * units: facts about requests that bytes do not show, by the `unit`, `call`, `message`, `backlog` and `dispatch` lines of state files: where a
 * request begins within a connection, and its name; for which request a thread calls others; in which runs of an event loop's callback
 * it received and sent; which messages it leaves in queues of connections, and when those are empty again.
 *
 *	struct units *units = units_new(events, flows);
 *	units_add(units, file)			state files that stay, read for these events
 *	units_event(units, &event)		each, in order of time
 *	units_end(units)			then the rest
 *	units_free(units)
 */
#ifndef SPAN_UNITS_H
#define SPAN_UNITS_H

#include "span/flows.h"
#include "state/state_file.h"

struct units;

/* A request that an event begins. */
struct begun {
	int64_t ts;
	int32_t tid, fd;       /* fd: -1: not told */
	const struct end *end; /* where its thread received last; NULL: nowhere */
	const struct state_unit *unit;
	char *name; /* NULL: not told */
	uint64_t number; /* from 1 on, in order of the events */
	uint64_t bytes;	 /* of a message; 0: not told */
	int64_t until;	 /* its thread had done with it; INT64_MAX: nobody knows when */
};

/* A thread announces that it sends next on a descriptor, and for which request. */
struct called {
	int64_t ts;
	int32_t fd;
	uint64_t request; /* its number; 0: not known */
};

/* A thread leaves a message in the queue of a connection, or of several; or a queue could not all be sent; or all of it is. */
enum queue_what { QUEUE_MESSAGE, QUEUE_LEFT, QUEUE_EMPTY };
struct queued {
	int64_t ts;
	int32_t tid, fd; /* fd -1: of each connection at whose other end units of the name `to` come in */
	enum queue_what what;
	const char *to;
	uint64_t request; /* which the thread did then, by its number; 0: not known */
};

struct units *units_new(struct events *events, const struct flows *flows);
void units_free(struct units *units);
void units_add(struct units *units, const struct state_file *file);
void units_event(struct units *units, const struct event *event);
void units_waits(struct units *units, int32_t tid); /* the thread waits for several descriptors: it does no request */
void units_end(struct units *units);

/* Tells whether the unit line is for connections to this port: it names the port, or no port, and no other line names it. */
bool units_count_for(const struct units *units, const struct state_unit *unit, uint16_t port);

/* Requests begun from `from` to `to`: the first of them, and how many. */
const struct begun *units_begun(const struct units *units, int64_t from, int64_t to, size_t *count);

/* What came to queues, in order of time. */
const struct queued *units_queued(const struct units *units, size_t *count);

/* The last announcement of the thread, at that time or before; NULL: none. */
const struct called *units_called(const struct units *units, int32_t tid, int64_t at);

/* The thread's run of a callback that has this time. False: none, or nobody knows. */
bool units_run(const struct units *units, int32_t tid, int64_t at, int64_t *from, int64_t *to);

#endif
