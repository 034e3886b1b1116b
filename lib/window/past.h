/*
 * past: the events from before now, in the order of time: those of the stream, which wait in a ring, and those that a
 * recorder keeps in the kernel (window/recall.h) until somebody wants them. Each is passed on or dropped, once.
 *
 * `lost` records wait with the events and are always passed on, at their place in time.
 * Functions return 0, or -1 after fail() where the output cannot be written.
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
 * Room for so many bytes of the stream's events; what does not fit pushes out the oldest. The threads, which must stay, learns
 * who threads are as time passes here.
 */
struct past *past_new(struct stream *stream, struct thread_records *threads, uint64_t bytes);
void past_free(struct past *past);

/* An `event` or `lost` record of this time, or another that belongs to the events around it, and does not count as one. */
int past_push(struct past *past, const struct record *record, int64_t ts);

/* From this time on the stream lacks what the recorder keeps. Ours from now on; NULL: it cannot be asked. */
void past_recall(struct past *past, struct recall *recall, int64_t since);

/* Whether there is a recorder, and that has not told all before this time. */
bool past_is_kept(const struct past *past, int64_t ts);
int64_t past_told(const struct past *past); /* all before this time came, or was told */

/* Why the recorder could not be asked; NULL: it could, or there was none. From then on nothing is complete. */
const char *past_complaint(const struct past *past);

/* Drops what came in the stream before this time. */
int past_drop(struct past *past, int64_t before);

struct passage { /* what was passed */
	uint64_t bytes;	 /* of events; all bytes here are those of record_size(), which are written */
	int64_t newest;	 /* time of the newest event */
	bool lossy;	 /* there were losses among it */
};

/* Passes what came in the stream up to and with `to`, and if `ask`, what the recorder kept from `from` on between it. */
int past_pass(struct past *past, int64_t from, int64_t to, bool ask, struct passage *passage);

/*
 * The time from which on the events up to `to` are so many bytes: exactly where all are in the stream; else by how many
 * came in a time, in all or of late, and rather too early.
 */
int64_t past_reach(const struct past *past, int64_t to, uint64_t bytes);

/* Of what lies between these times, passes the newest, so many bytes of events; drops the rest. */
int past_pass_newest(struct past *past, int64_t from, int64_t to, uint64_t bytes, struct passage *passage);

/* The time of the newest event that was dropped, or that the kernel overwrote before it was wanted; INT64_MIN: none. */
int64_t past_floor(const struct past *past);
void past_raise_floor(struct past *past, int64_t ts); /* what was passed, or given up, up to this time is not there either */

/* The time of the newest event in the stream that was not passed; INT64_MIN: none. */
int64_t past_left_out(const struct past *past);

/* How many bytes of events there were so far, in the stream and with the recorder as far as it was asked. */
uint64_t past_bytes(const struct past *past);
int past_ask_bytes(struct past *past); /* asks it for that alone; every now and then, for past_pass_newest() */

/* How many of them, by their rate, the recorder has kept from this time on and was not asked for; 0: none, or there is none. */
uint64_t past_kept_from(const struct past *past, int64_t from);

/* The end of a stream: drops all, lets the recorder go, forgets the times. */
int past_end(struct past *past);

#endif
