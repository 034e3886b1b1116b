/*
 * requests: finds spans of requests in the bytes that connections of one or several hosts carried (span/flows.h).
 *
 * On a connection, a turn is one request and its answer: all bytes that one side sends until the other has answered. On the side that accepted
 * the connection, the turn is a server's span, from the arrival of its first byte to the last byte of the answer. On the other side it is a
 * client's span, from the call that sends to the call that receives the last byte. Positions of bytes show to which client's span a server's
 * span belongs.
 *
 * A client's span belongs to the request that its thread received last, if that is certain: the request is not answered yet, no other thread took
 * part in it, nothing was lost meanwhile, and the stream shows that the thread has not waited for several descriptors since. Otherwise the span
 * has no parent, and its record tells how many requests of its process were open. If its process has received no request at all, the span is a
 * root. State files (span/units.h) may tell more: where requests begin within a turn, their names, and the callbacks of an event loop that a
 * thread ran. In a callback, the thread sends for the request that it received in the same callback.
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

/* The system call of a format record, if the record describes the entry of a call that waits for one of several descriptors; NULL. */
const char *requests_wait(const struct record *format);

struct requests;

struct requests *requests_new(struct stream *stream, struct events *events);
void requests_free(struct requests *requests);
void requests_states(struct requests *requests, struct state_file *file); /* takes ownership of the file */
void requests_activity_source(struct requests *requests, struct activity_source source); /* a source that is asked before state files */
bool requests_reads(enum kind kind);
int requests_record(struct requests *requests, const struct record *record); /* 0; -1 after fail() */
int requests_host(struct requests *requests); /* the number of the host whose records come now, as the activity source gets it */

/* Writes the spans and graphs, and forgets all. 0; -1 after fail(). */
int requests_write(struct requests *requests);

/* Of all that was written: spans; spans whose cause is uncertain; hosts whose streams lack waits of threads. */
struct requests_counts {
	uint64_t spans, unsure, blind;
};
const struct requests_counts *requests_counts(const struct requests *requests);

#endif
