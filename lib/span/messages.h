/*
 * messages: the way of messages that are not answered: from the request in which a thread left them in queues of connections, to their receivers,
 * which may pass them on. Private to lib/span.
 *
 * The `unit`, `message` and `backlog` lines of state files (span/units.h) report them; the positions of bytes and the order tell which is which:
 *
 * - If the receiving side knows where each message ends, the messages received between two moments at which the sender's queue was empty are
 *   those that were left in it in between, in the same order, if both are as many.
 * - Otherwise the call that emptied a queue sent all that was left in it: the call behind which a `backlog` line's event says so or, if no such event
 *   had said that the queue could not all be sent, any call.
 *
 * If a connection is older than the trace, it is unknown at first whether its queue is empty. It was, if the thread waited for several descriptors,
 * came back and waited again without sending, though the other side had received all before: bytes in the queue would have been sent.
 *
 *	struct messages *messages = messages_find(requests, connections)	behind flows_end() and units_end() of all hosts
 *	messages_free(messages)
 */
#ifndef SPAN_MESSAGES_H
#define SPAN_MESSAGES_H

#include "span/connections.h"
#include "span/turns.h"

struct message { /* as it came in at one end of a connection */
	const struct end *end;
	int host;
	int32_t tid;
	int64_t left;  /* in the queue of the sending side; TIME_NONE: not known */
	int64_t sent;  /* out of it; TIME_NONE: not known */
	int64_t start, taken, last; /* it arrived, was read, had been passed on */
	int64_t done;  /* its thread had done with it; TIME_NONE: not known */
	uint64_t bytes; /* 0: not known */
	uint64_t number; /* as a unit of its host; 0: it is none */
	int cause_host;
	uint64_t cause; /* the number of the unit in which it was left in the queue; 0: not known */
	uint64_t candidates; /* then */
	const char *name;    /* NULL: not told */
};

struct messages;

struct messages *messages_find(const struct requests *requests, const struct connections *connections);
void messages_free(struct messages *messages);

const struct message *messages_list(const struct messages *messages, size_t *count);

/* Tells whether messages with units of their own come in over the end's connection: its other bytes are no requests, either. */
bool messages_have(const struct messages *messages, const struct end *end);

/* Tells whether the bytes up to this position, of those that the end sent or received, were sent together with messages. */
bool messages_hold(const struct messages *messages, const struct end *end, uint64_t position);

#endif
