/*
 * strace_queue: puts the entries and returns of system calls in order of time, and writes them as raw_syscalls events.
 *
 * The line of a call also gives its return, often before lines of other threads that are earlier than the return, or a moment too late.
 * So an event waits until the log has passed its time by STRACE_QUEUE_WINDOW.
 */
#ifndef IMPORT_STRACE_QUEUE_H
#define IMPORT_STRACE_QUEUE_H

#include "import/import_format.h"
#include "import/strace_line.h"

#define STRACE_QUEUE_WINDOW (NSEC_PER_SEC / 100)

struct strace_queue;

struct strace_event {
	int64_t ts;
	int32_t tid;
	bool enters, returns; /* neither: there is only the record */
	bool held;	      /* more arguments may come: waits for strace_queue_complete(), unless too many other events wait */
	int64_t number;	      /* of the call */
	uint64_t arguments[STRACE_ARGUMENTS];
	int64_t result;
	char *record; /* a record in text form, written before the event; NULL: none. The queue frees it */
};

/* Writes the formats of the events into the stream. NULL after fail(). */
struct strace_queue *strace_queue_new(struct import *import);
void strace_queue_free(struct strace_queue *queue);

/* Adds an event, behind events of the same time. Returns its ticket, which no other event has. */
uint64_t strace_queue_add(struct strace_queue *queue, const struct strace_event *event);

/* Gives an event that still waits an earlier time; an event that was written stays as it is. */
void strace_queue_advance(struct strace_queue *queue, uint64_t ticket, int64_t ts);

/* Gives an event that still waits its arguments from number `from` on, and holds it no longer. */
void strace_queue_complete(struct strace_queue *queue, uint64_t ticket, const uint64_t *arguments, int from);

/* The log has come to time `ts`: writes the events that are older than the window; INT64_MAX: writes all. -1 after fail(). */
int strace_queue_pass(struct strace_queue *queue, int64_t ts);

/* Counts events that came too late to be put in order; each got the time of the event written before it. */
uint64_t strace_queue_late(const struct strace_queue *queue);
uint64_t strace_queue_written(const struct strace_queue *queue); /* events */

#endif
