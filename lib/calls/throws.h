/*
 * throws: the exceptions thrown in a stream, and the way of an exception through its program as a request activity graph. Private to lib/calls.
 *
 * A process and an object's address identify an exception, until a new throw has that address, or events are lost. A throw continues an earlier one
 * if it throws the same object again, perhaps in another thread, or if the earlier exception was being handled then: that is its cause.
 *
 *	throws = throws_new()
 *	throws_take(throws, ...)	each `exception` record
 *	throws_lose(throws)		each `lost` record
 *	throws_forget(throws)		at each new stream
 *	throws_graph(throws, events, tid, ts)
 *	throws_free(throws)
 *
 * The newest THROWS_MAX throws are kept.
 */
#ifndef CALLS_THROWS_H
#define CALLS_THROWS_H

#include "event/event.h"
#include "graph/graph.h"
#include "stream/fields.h"
#include "wake/core.h"

enum { THROWS_MAX = 1 << 12 };

struct throws;

struct throws *throws_new(void);
void throws_free(struct throws *throws);
void throws_forget(struct throws *throws);

/* Events were lost: from now on the same address may be another object. */
void throws_lose(struct throws *throws);

/* Takes an `exception` record; the record of its stack must have come before. -1 after fail(): it is malformed. */
int throws_take(struct throws *throws, const struct wake *wake, const struct events *events, const struct fields *fields);

/*
 * The way of what this thread threw at this time, from the first throw that it continues. Each function is called by the next one. If the way
 * goes on in another thread, or beside the function that handles the exception, that call is asynchronous. A function that threw has node.threw.
 * A node lasts from the first throw to the last that its function took part in. NULL: no such throw is known.
 */
struct graph *throws_graph(const struct throws *throws, const struct events *events, int32_t tid, int64_t ts);

#endif
