/*
 * roster: who the threads of the events that pass are. What a stream says of a thread, in `task` and `file` records,
 * waits here and passes before the first event that names the thread. So what is written does not grow with the number
 * of processes that a machine starts while nothing happens.
 *
 * Of each thread there is what holds now; of those that are gone it is forgotten after a while (base/departed.h).
 * Functions return 0, or -1 after fail() where the output cannot be written.
 */
#ifndef WINDOW_ROSTER_H
#define WINDOW_ROSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "event/event.h"
#include "stream/stream.h"

struct roster;

struct roster *roster_new(struct stream *stream, struct events *events);
void roster_free(struct roster *roster);

/* Whether it is a record for roster_learn(). */
static inline bool roster_takes(const struct record *record)
{
	return record->kind == KIND_TASK || record->kind == KIND_FILE;
}

/* Its `ts`, from when on it holds; INT64_MIN: it has none. */
int64_t roster_time(struct roster *roster, const struct record *record);

/* A `task` or `file` record that holds for the events after it, as they are passed or dropped. Passes what is of no thread. */
int roster_learn(struct roster *roster, const struct record *record);

/* Passes what is known of the threads that an `event` record names, if it did not pass before. */
int roster_tell(struct roster *roster, const struct record *record);

/* The same for a thread that something else is told of, with what will be learnt that is of this time or an earlier
 * one. */
int roster_tell_thread(struct roster *roster, int32_t tid, int64_t until);

/* Another machine's stream begins. */
void roster_forget(struct roster *roster);

#endif
