/*
 * throws: what was thrown in a stream, and the way of an exception through its program, as a request activity graph. Private to lib/calls.
 *
 * A process and an object's address name an exception, until a new throw has that address, or events are lost. An exception goes on from what
 * was thrown before if it is the same object, thrown once more, perhaps by another thread, or if the other was being handled then: its cause.
 *
 *	throws = throws_new()
 *	throws_take(throws, ...)	each `exception` record
 *	throws_lose(throws)		each `lost` record
 *	throws_forget(throws)		at each new stream
 *	throws_graph(throws, events, tid, ts)
 *	throws_free(throws)
 *
 * The newest THROWS_MAX are kept.
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

/* From now on the same address may be another object. */
void throws_lose(struct throws *throws);

/* Takes an `exception` record, whose stack has been told. -1 after fail(): it is malformed. */
int throws_take(struct throws *throws, const struct wake *wake, const struct events *events, const struct fields *fields);

/*
 * The way of what this thread threw at this time, from the first throw that it goes on from: each function is called by the next, but
 * where it goes on in another thread, or beside what handles it; there the call is asynchronous. A function that threw has node.threw. Each is
 * there from the first throw to the last that it has a part in. NULL: nothing is known to have been thrown there.
 */
struct graph *throws_graph(const struct throws *throws, const struct events *events, int32_t tid, int64_t ts);

#endif
