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
 * Keeps `bytes` of the stream's events; newer ones push out the oldest. `threads` must outlive it; it gets `task` and `file` records
 * in the order of time.
 */
struct past *past_new(struct stream *stream, struct thread_records *threads, uint64_t bytes);
void past_free(struct past *past);

/* Adds an `event` or `lost` record with its time, or another record that must stay between the events around it. */
int past_push(struct past *past, const struct record *record, int64_t ts);

/* From `since` on, the recorder keeps events that the stream lacks. Owns the recall; NULL: the recorder cannot be asked. */
void past_recall(struct past *past, struct recall *recall, int64_t since);

/* Tells whether a recorder still keeps events from before this time. */
bool past_is_kept(const struct past *past, int64_t ts);

/* How much of the past is known. */
struct past_known {
	int64_t told;	  /* all events before this time came from the stream or the recorder */
	int64_t floor;	  /* time of the newest event that was dropped, or that the kernel overwrote; INT64_MIN: none */
	int64_t left_out; /* time of the stream's newest event that was not passed; INT64_MIN: none */
	const char *complaint; /* why the recorder failed, after which no window is complete; NULL: it did not, or there was none */
};

const struct past_known *past_known(const struct past *past);

/* Drops the stream's events from before this time. */
int past_drop(struct past *past, int64_t before);

/* The events passed by a call. */
struct passage {
	uint64_t bytes;	 /* of events, by record_size() */
	int64_t newest;	 /* time of the newest event */
	bool lossy;	 /* events were lost among them */
};

/* Passes the stream's events up to and including `to`; if `ask`, with the recorder's events from `from` on among them. */
int past_pass(struct past *past, int64_t from, int64_t to, bool ask, struct passage *passage);

/*
 * The time from which on the events up to `to` have `bytes` together. Exact if all are in the stream; else an estimate from the
 * rate of events, overall or of late, that errs to the early side.
 */
int64_t past_reach(const struct past *past, int64_t to, uint64_t bytes);

/* Passes the newest `bytes` of events between these times; drops the others. */
int past_pass_newest(struct past *past, int64_t from, int64_t to, uint64_t bytes, struct passage *passage);

/* Events up to this time were passed, or given up. */
void past_raise_floor(struct past *past, int64_t ts);

/* Bytes of all events so far, in the stream and, as of its last answer, with the recorder. */
uint64_t past_bytes(const struct past *past);
int past_ask_bytes(struct past *past); /* asks the recorder for its count; call it now and then, for past_pass_newest() */

/* An estimate of the bytes that the recorder keeps from this time on; 0: none, or there is no recorder. */
uint64_t past_kept_from(const struct past *past, int64_t from);

/* At the end of a stream: drops all events, closes the recall, forgets the times. */
int past_end(struct past *past);

#endif
