/*
 * flows: the ends of TCP connections in a host's stream: when which bytes left, and when they had arrived.
 *
 * An end is known by its addresses, from the events sock:inet_sock_set_state and tcp:tcp_probe. It counts bytes from its connection's
 * beginning or, if that is not in the stream, from a `socket` record.
 *
 * - A byte left after its thread had entered the system call that writes, or had sent earlier bytes in it. (sock:sock_send_length comes when the
 *   call has sent, which may be after the bytes have arrived.)
 * - A byte had arrived when a segment came in that ends at it or further on (tcp:tcp_probe), and when a call had received it
 *   (sock:sock_recv_length). Segments do not count if the other end sent any again.
 *
 * If an arrival is not seen, later bytes are taken for earlier ones, which left earlier: that is still true. If a sending is not seen, the result
 * would be false, so an end says nothing of bytes that it sent behind a loss.
 *
 *	struct flows *flows = flows_new(stream, events);
 *	flows_record(flows, record)		each of kinds flows_reads()
 *	flows_end(flows)			all ends, then flows_ends()
 *	flows_free(flows)
 *
 * While a stream goes on, flows_so_far() gives the ends that are known now, and flows_forget() bounds the memory.
 */
#ifndef SPAN_FLOWS_H
#define SPAN_FLOWS_H

#include "base/memory.h"
#include "event/event.h"
#include "span/clock_steps.h"
#include "stream/stream.h"

struct address { /* of IPv4 as IPv6 spells it: ::ffff:1.2.3.4 */
	uint8_t ip[16];
	uint16_t port;
};

struct moved { /* some bytes of a connection */
	int64_t ts;	/* when they had been moved */
	int64_t since;	/* sent: they had not left before; INT64_MIN: nobody knows */
	uint64_t end;	/* the position behind them */
	int32_t tid;
};

struct moves {
	struct moved *items;
	size_t count, room;
	uint64_t before; /* the position of the first's first byte */
};

struct end {
	struct address local, peer;
	struct moves sent, received, arrived;
	int64_t since; /* what it moved is known from here on: its beginning, or its `socket` record; INT64_MIN: not told */
	int32_t fd; /* what it was sent by last; -1: not known */
	bool again; /* it sent segments again */
	bool whole; /* from its beginning to its end */
	bool older; /* its beginning was not seen: it is counted from its `socket` record */
	bool accepted, connected; /* which side it is, where that is known */
};

struct flows;

struct flows *flows_new(struct stream *stream, struct events *events);
void flows_clock_steps(struct flows *flows, const struct clock_steps *steps); /* for a clock that may be set back: all times are shifted by them */
void flows_free(struct flows *flows);
bool flows_reads(enum kind kind);
int flows_record(struct flows *flows, const struct record *record); /* 0; -1 after fail() */
void flows_end(struct flows *flows);

/* A copy of them that is ended here; flows_free() frees it. They must outlive it. */
struct flows *flows_so_far(const struct flows *flows);

/* Forgets what was moved before, but for the last of each end, and for ends that were closed before, but for the last. */
void flows_forget(struct flows *flows, int64_t before);

/* The end at which the thread received last, so far; NULL: none. */
const struct end *flows_received_last(const struct flows *flows, int32_t tid);

/* Those whose addresses and first positions are known. Valid until flows_free(). */
const struct end *const *flows_ends(const struct flows *flows, size_t *count);

#endif
