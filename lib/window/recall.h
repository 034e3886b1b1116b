/*
 * recall: asks a recorder, which keeps context in the kernel, for that of a certain time; see source/question.h.
 *
 *	recall_is_for(offer, fd)		an offer was in the stream: whether it is meant for us
 *	r = recall_open(offer)			calls; a later `recorder` record tells since when the stream lacks what it keeps
 *	recall_ask(r, from, to, &floor)		then recall_next() until it returns 0
 *	recall_close(r)
 */
#ifndef WINDOW_RECALL_H
#define WINDOW_RECALL_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/line.h"
#include "stream/record.h"

struct recall;

/* Calls the recorder; NULL after fail(): it does not listen, or `offer` is malformed. */
struct recall *recall_open(const struct fields *offer);
void recall_close(struct recall *recall); /* NULL is allowed */

/* Whether the pipe of the offer is the one at this file descriptor: then nothing lies between the recorder and us. */
bool recall_is_for(const struct fields *offer, int fd);

/*
 * Asks for the context from `from` on and before `to`. *floor becomes the newest time at which context may have been
 * dropped that was not told yet, INT64_MIN if there is none. -1 after fail(): the recorder is gone.
 */
int recall_ask(struct recall *recall, int64_t from, int64_t to, int64_t *floor);

/*
 * The next `task`, `event` or `lost` record of the answer, in the order of time, valid until the next call. *ts is its
 * time. 1; 0: that was all, and *ts is the time before which all was told; -1 after fail().
 */
int recall_next(struct recall *recall, struct record *record, int64_t *ts);

/* How many events the recorder had kept by its last answer, whether they were told or not. */
uint64_t recall_kept(const struct recall *recall);

#endif
