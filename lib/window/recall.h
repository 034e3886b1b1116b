/*
 * recall: asks a recorder for the context of a certain time, which it keeps in the kernel; see source/recorder_question.h.
 *
 *	recall_is_for(offer, fd)		for an offer in the stream: tells whether it is meant for us
 *	r = recall_open(offer)			connects; a later `recorder` record says since when the stream lacks context
 *	recall_ask(r, from, to, &floor)		then recall_next() until it returns 0
 *	recall_close(r)
 */
#ifndef WINDOW_RECALL_H
#define WINDOW_RECALL_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/fields.h"
#include "stream/record.h"

struct recall;

/* Connects to the recorder; NULL after fail(): it does not listen, or `offer` is malformed. */
struct recall *recall_open(const struct fields *offer);
void recall_close(struct recall *recall); /* NULL is allowed */

/* Tells whether the offer's pipe is the one at this descriptor: then no other command stands between the recorder and us. */
bool recall_is_for(const struct fields *offer, int fd);

/*
 * Asks for the context from `from` on and before `to`. Sets *floor to the newest time at which the kernel may have dropped
 * unread context; INT64_MIN: none. 0; -1 after fail(): the recorder is gone.
 */
int recall_ask(struct recall *recall, int64_t from, int64_t to, int64_t *floor);

/* Tells a collector that keeps a ring that there is a signal; it sends no answer. 0; -1 after fail(): it has gone. */
int recall_tell(struct recall *recall);

/*
 * The next `task`, `event` or `lost` record of the answer, in the order of time, valid until the next call; sets *ts to its
 * time. 1; 0: the answer ends, and all context before *ts has come; -1 after fail().
 */
int recall_next(struct recall *recall, struct record *record, int64_t *ts);

/* The number of events that the recorder had kept by its last answer, handed over or not. */
uint64_t recall_kept(const struct recall *recall);

#endif
