/*
 * requests: spans of requests, found in what connections of one or several hosts carried (span/flows.h).
 *
 * On each connection a turn is one request and its answer: all bytes that one side sends until the other has answered. At the side that accepted
 * the connection it is a server's span, from the arrival of its first byte to the last byte of the answer; at the other a client's, from the
 * call that sends to the one that receives the last byte. Positions of bytes show to which client's span a server's span belongs.
 *
 * A client's span belongs to the request that its thread received last, if that is certain: the request is not answered yet, no other thread took
 * part in it, nothing was lost meanwhile, and the stream shows that the thread has not waited for several descriptors since. Else it has no
 * parent, and its record tells how many requests of its process were open. If its process has received no request at all, it is a root.
 * State files (span/units.h) may say more: where requests begin within a turn, their names, and the callbacks of an event loop that a
 * thread ran: in a callback, the thread sends for the request that it received in it.
 *
 *	struct requests *requests = requests_new(stream, events);
 *	requests_states(requests, file)		state files, before any record
 *	requests_record(requests, record)	each
 *	requests_write(requests)		span and graph records
 *	requests_free(requests)
 */
#ifndef SPAN_REQUESTS_H
#define SPAN_REQUESTS_H

#include "event/event.h"
#include "span/thread_activity.h"
#include "state/state_file.h"

/* The system call whose entry a format record is of, if it waits for one of several descriptors; NULL. */
const char *requests_wait(const struct record *format);

struct requests;

struct requests *requests_new(struct stream *stream, struct events *events);
void requests_free(struct requests *requests);
void requests_states(struct requests *requests, struct state_file *file); /* which it owns from here on */
void requests_activity_source(struct requests *requests, struct activity_source source); /* asked before state files */
bool requests_reads(enum kind kind);
int requests_record(struct requests *requests, const struct record *record); /* 0; -1 after fail() */
int requests_host(struct requests *requests); /* the number, as the source is given it, of the host whose records are at hand */

/* Writes what was found, and begins anew. 0; -1 after fail(). */
int requests_write(struct requests *requests);

/* Of all that was written: spans, and those whose cause is not certain; hosts whose streams cannot tell how threads wait. */
struct requests_counts {
	uint64_t spans, unsure, blind;
};
const struct requests_counts *requests_counts(const struct requests *requests);

#endif
