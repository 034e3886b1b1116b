/*
 * flows: the ends of TCP connections in a host's stream: when which bytes left, and when they had arrived.
 *
 * An end is identified by its addresses, from the events sock:inet_sock_set_state and tcp:tcp_probe. Bytes are counted from the beginning of
 * the connection or, if that is not in the stream, from a `socket` record.
 *
 * - A byte left after its thread had entered the system call that writes, or had sent earlier bytes in that call. (sock:sock_send_length comes
 *   when the call has sent, which may be after the bytes have arrived.)
 * - A byte had arrived when a segment came in that ends at the byte or behind it (tcp:tcp_probe), and when a call had received the byte
 *   (sock:sock_recv_length). Segments do not count if the other end retransmitted any.
 *
 * If an arrival is not seen, later bytes are taken for earlier ones. Those left earlier, so it is still true that they left before the arrival.
 * If a sending is not seen, the result would be false; so an end tells nothing about bytes that it sent behind a loss.
 *
 *	struct flows *flows = flows_new(stream, events);
 *	flows_record(flows, record)		each of kinds flows_reads()
 *	flows_end(flows)			all ends, then flows_ends()
 *	flows_free(flows)
 *
 * While a stream runs, flows_so_far() gives the ends that are known so far, and flows_forget() bounds the memory.
 */
#ifndef SPAN_FLOWS_H
#define SPAN_FLOWS_H

#include "base/memory.h"
#include "event/event.h"
#include "span/clock_steps.h"
#include "stream/stream.h"

struct address { /* IPv4 in its IPv6 form, ::ffff:1.2.3.4 */
	uint8_t ip[16];
	uint16_t port;
};

struct moved { /* some bytes of a connection */
	int64_t ts;	/* when the bytes had been moved */
	int64_t since;	/* sent: the bytes left after this time; INT64_MIN: unknown */
	uint64_t end;	/* the position behind the bytes */
	int32_t tid;
};

struct moves {
	struct moved *items;
	size_t count, room;
	uint64_t before; /* the position of the first byte of the first item */
};

struct end {
	struct address local, peer;
	struct moves sent, received, arrived;
	int64_t since; /* its moves are known from this time on: its beginning, or its `socket` record; INT64_MIN: unknown */
	int32_t fd; /* the descriptor that it sent by last; -1: unknown */
	bool again; /* it retransmitted segments */
	bool whole; /* the stream has it from its beginning to its end */
	bool older; /* its beginning was not seen: bytes are counted from its `socket` record */
	bool accepted, connected; /* which side it is; neither: unknown */
};

struct flows;

struct flows *flows_new(struct stream *stream, struct events *events);
void flows_clock_steps(struct flows *flows, const struct clock_steps *steps); /* for a clock that may be set back: shifts all times */
void flows_free(struct flows *flows);
bool flows_reads(enum kind kind);
int flows_record(struct flows *flows, const struct record *record); /* 0; -1 after fail() */
void flows_end(struct flows *flows);

/* A copy that is ended here, for flows_free(). The original must outlive it. */
struct flows *flows_so_far(const struct flows *flows);

/* Forgets moves from before this time, except the last ones of each end, and ends that moved nothing since and were closed, except the last ones. */
void flows_forget(struct flows *flows, int64_t before);

/* The end at which the thread last received; NULL: none. */
const struct end *flows_received_last(const struct flows *flows, int32_t tid);

/* The ends whose addresses and first positions are known. Valid until flows_free(). */
const struct end *const *flows_ends(const struct flows *flows, size_t *count);

#endif
