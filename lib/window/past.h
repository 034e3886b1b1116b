/*
 * past: past events in the order of time. Events of the stream wait in a ring; a recorder may keep others in the kernel
 * (window/recall.h). Each event is passed or dropped, once.
 *
 * `lost` records wait with the events and are always passed, at their place in time.
 * Functions return 0; -1 after fail() if the output cannot be written.
 */
#ifndef WINDOW_PAST_H
#define WINDOW_PAST_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/stream.h"
#include "window/recall.h"
#include "window/thread_records.h"

struct past;

/*
 * Keeps `bytes` of the stream's events; newer ones push out the oldest. If `all`, nothing waits: records pass as they are pushed. `threads`
 * must outlive it; it gets `task` and `file` records in the order of time.
 */
struct past *past_new(struct stream *stream, struct thread_records *threads, uint64_t bytes, bool all);
void past_free(struct past *past);

/* Adds an `event` or `lost` record with its time, or another record that must keep its place among the events. */
int past_push(struct past *past, const struct record *record, int64_t ts);

/* From `since` on, the recorder keeps events that the stream lacks. Owns the recall; NULL: the recorder cannot be asked. */
void past_recall(struct past *past, struct recall *recall, int64_t since);

/* The reason why the recorder failed; NULL: it did not, or there was none. */
const char *past_complaint(const struct past *past);

/* At the end of a stream: drops all events, closes the recall, forgets the times. */
int past_end(struct past *past);

struct past_times {
	int64_t first, newest; /* of the events in the stream; INT64_MAX and INT64_MIN: none yet */
	int64_t floor;	       /* of the newest event that was dropped, or that the kernel overwrote; INT64_MIN: none */
};

const struct past_times *past_times(const struct past *past);

/* ns: a recorder must be asked this often for its events, before the kernel overwrites them. */
enum { PAST_ASK_EVERY = 100000000 };

/* The events that calls passed. All zero at first; each call adds its own. */
struct passage {
	uint64_t bytes;	  /* of events, by record_size() */
	int64_t newest;	  /* time of the newest event */
	int64_t left_out; /* time of the stream's newest event that no call has passed; INT64_MIN: none */
	bool lossy;	  /* events were lost among them, or the recorder failed */
};

/*
 * Passes the stream's events up to and including `to`, with the recorder's events from `from` on among them. Without `ask`, the recorder is
 * asked only if PAST_ASK_EVERY has passed since the last time.
 */
int past_pass(struct past *past, int64_t from, int64_t to, bool ask, struct passage *passage);

/* Passes the newest `bytes` of events between these times; drops the others. */
int past_pass_newest(struct past *past, int64_t from, int64_t to, uint64_t bytes, struct passage *passage);

/* Drops the stream's events from before this time. */
int past_drop(struct past *past, int64_t before);

/* Raises the floor: events up to this time were passed, or given up. */
void past_settle(struct past *past, int64_t ts);

/* Tells whether a recorder still keeps events from before this time. */
bool past_is_kept(const struct past *past, int64_t ts);

/* Asks the recorder for its count of events; call it now and then, for the estimates below. */
int past_ask_bytes(struct past *past);

/*
 * Bytes of all events so far, in the stream and, as of its last answer, with the recorder. Before its first answer, the recorder's
 * events are taken to be as large as the stream's.
 */
uint64_t past_bytes(const struct past *past);

/* An estimate of the bytes that the recorder keeps from this time on; 0: none, or there is no recorder. */
uint64_t past_kept_from(const struct past *past, int64_t from);

/*
 * The time from which on the events up to `to` have `bytes` together. Exact if all are in the stream; else an estimate from the
 * rate of events, overall or of late, that errs to the early side.
 */
int64_t past_reach(const struct past *past, int64_t to, uint64_t bytes);

#endif
