/*
 * threads: who the threads of the events that pass are. What a stream says of a thread, in `task` and `file` records,
 * waits here and passes before the first event that names the thread. So what is written does not grow with the number
 * of processes that a machine starts while nothing happens.
 *
 * Of each thread there is what holds now; of those that are gone it is forgotten after a while (base/exited_tids.h).
 * Functions return 0, or -1 after fail() where the output cannot be written.
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

/* Whether it is a record for thread_records_learn(). */
static inline bool thread_records_takes(const struct record *record)
{
	return record->kind == KIND_TASK || record->kind == KIND_FILE;
}

/* Its `ts`, from when on it holds; INT64_MIN: it has none. */
int64_t thread_records_time(struct thread_records *threads, const struct record *record);

/* A `task` or `file` record that holds for the events after it, as they are passed or dropped. Passes what is of no thread. */
int thread_records_learn(struct thread_records *threads, const struct record *record);

/* Passes what is known of the threads that an `event` record names, if it did not pass before. */
int thread_records_tell(struct thread_records *threads, const struct record *record);

/* The same for a thread that something else is told of, with what will be learnt that is of this time or an earlier
 * one. */
int thread_records_tell_thread(struct thread_records *threads, int32_t tid, int64_t until);

/* Another machine's stream begins. */
void thread_records_forget(struct thread_records *threads);

#endif
