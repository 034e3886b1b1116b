/*
 * messages: the way of messages that are not answered: from a request in which a thread left them in queues of connections, to who received them,
 * who may pass them on. Private to lib/span.
 *
 * The `unit`, `message` and `backlog` lines of state files (span/units.h) tell of them; the positions of bytes and the order tell which is which:
 *
 * - Where the receiving side tells where each message ends in what it received, those that lie between two moments at which the sender's queue was
 *   empty are those that were left in it in between, in that order, if they are as many.
 * - Elsewhere, all that was left in a queue was sent by the call that emptied it: the one that was followed by a `backlog` line's event that says so,
 *   or, where none had said that the queue could not all be sent, any.
 *
 * Of a connection that is older than the trace, nobody knows at first whether something is left in the queue. That nothing is shows where the thread
 * waited for several descriptors, came back and waited again without sending, though the other side had received all before: what is to be sent as
 * soon as it can would have been.
 *
 *	struct messages *messages = messages_find(requests, talks)	behind flows_end() and units_end() of all hosts
 *	messages_free(messages)
 */
#ifndef SPAN_MESSAGES_H
#define SPAN_MESSAGES_H

#include "span/talks.h"
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

struct messages *messages_find(const struct requests *requests, const struct talks *talks);
void messages_free(struct messages *messages);

const struct message *messages_list(const struct messages *messages, size_t *count);

/* Tells whether messages with units of their own come in over the end's connection: its other bytes are no requests, either. */
bool messages_have(const struct messages *messages, const struct end *end);

/* Tells whether the bytes up to this position, of those that the end sent or received, were sent together with messages. */
bool messages_hold(const struct messages *messages, const struct end *end, uint64_t position);

#endif
