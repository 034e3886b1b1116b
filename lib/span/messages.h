/*
 * messages: follows messages that are not answered, from the request in which a thread left them in the queues of connections to their receivers,
 * which may pass them on. Private to lib/span.
 *
 * The `unit`, `message` and `backlog` lines of state files (span/units.h) report messages. The positions of bytes, and the order, identify them:
 *
 * - If the receiving side tells where each message ends: the messages received between two times at which the sender's queue was empty are those
 *   that were left in the queue in between, in the same order, if their numbers are equal.
 * - Otherwise: the call that emptied a queue sent all that was left in it. That is the call behind which an event of a `backlog` line says so; or any
 *   call, if no such event has said before that a part of the queue could not be sent.
 *
 * If a connection is older than the trace, it is unknown at first whether its queue is empty. It was empty if the thread waited for several
 * descriptors, returned, and waited again without sending, although the other side had received everything sent before: the thread would have sent
 * bytes in the queue.
 *
 *	struct messages *messages = messages_find(requests, connections)	behind flows_end() and units_end() of all hosts
 *	messages_free(messages)
 */
#ifndef SPAN_MESSAGES_H
#define SPAN_MESSAGES_H

#include "span/connections.h"
#include "span/turns.h"

struct message { /* a message that came in at an end of a connection */
	const struct end *end;
	int host;
	int32_t tid;
	int64_t left;  /* when it was left in the sender's queue; TIME_NONE: unknown */
	int64_t sent;  /* when it was sent from the queue; TIME_NONE: unknown */
	int64_t start, taken, last; /* when it arrived, was read, had been passed on */
	int64_t done;  /* when its thread had finished it; TIME_NONE: unknown */
	uint64_t bytes; /* 0: unknown */
	uint64_t number; /* its number as a unit of its host; 0: it is no unit */
	int cause_host;
	uint64_t cause; /* the number of the unit in which it was left in the queue; 0: unknown */
	uint64_t candidates; /* how many units may have left it */
	const char *name;    /* NULL: not told */
};

struct messages;

struct messages *messages_find(const struct requests *requests, const struct connections *connections);
void messages_free(struct messages *messages);

const struct message *messages_list(const struct messages *messages, size_t *count);

/* Tells whether messages that are units come in over the end's connection: then no bytes of it are requests. */
bool messages_have(const struct messages *messages, const struct end *end);

/* Tells whether the last byte before this position, which the end sent or received, was sent together with messages. */
bool messages_hold(const struct messages *messages, const struct end *end, uint64_t position);

#endif
