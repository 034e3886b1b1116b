/*
 * thread_records: keeps a thread's `task` and `file` records until an event that names the thread passes; then they pass before it.
 * So the output does not grow with the processes that a machine starts while nothing happens.
 *
 * A newer record replaces an older one of its sort. Records of a thread are dropped a while after it exits (base/exited_tids.h).
 * Beyond 64 MB, records of living threads are dropped, too, oldest first. If such a thread is named later, it is counted and the
 * stream is marked incomplete.
 * Functions return 0; -1 after fail() if the output cannot be written.
 */
#ifndef WINDOW_THREAD_RECORDS_H
#define WINDOW_THREAD_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "event/event.h"
#include "stream/stream.h"

struct thread_records;

struct thread_records *thread_records_new(struct stream *stream, struct events *events);
void thread_records_free(struct thread_records *threads);

/* Tells whether a record is for thread_records_learn(). */
static inline bool thread_records_takes(const struct record *record)
{
	return record->kind == KIND_TASK || record->kind == KIND_FILE;
}

/* The record's `ts`, from which on it holds; INT64_MIN: it has none. *title: it tells only what its process calls itself. */
int64_t thread_records_time(struct thread_records *threads, const struct record *record, bool *title);

/* Takes a `task` or `file` record, in its place among events that are passed or dropped. Passes a record without a thread. */
int thread_records_learn(struct thread_records *threads, const struct record *record);

/* Passes the waiting records of the threads that an `event` record names. */
int thread_records_tell(struct thread_records *threads, const struct record *record);

/* The same for a thread that another record names. Later records of this thread pass at once, too, if they are from `until` or earlier. */
int thread_records_tell_thread(struct thread_records *threads, int32_t tid, int64_t until);

/* Says in one sentence which records were missing when their threads were named; NULL: none were. Valid until the next call. */
const char *thread_records_complaint(struct thread_records *threads);

/* Forgets all threads: another stream begins. */
void thread_records_forget(struct thread_records *threads);

#endif
