/*
 * tally: sums over the threads of one run: count and duration of each system call, and of each pair of successive calls.
 *
 * Tallies can be added up, so that the sums of a process can join those of its run later, when its parent is known. Features (means, rates)
 * are made from the sums at the end. A negative time, as in a damaged stream, counts as 0.
 */
#ifndef RUN_TALLY_H
#define RUN_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "run/calls.h"
#include "stream/stream.h"

struct tally;

struct tally *tally_new(void);
void tally_free(struct tally *tally);

/* Times are in ns. */
void tally_count(struct tally *tally, const struct call *call);				/* the call was entered */
void tally_argument(struct tally *tally, const struct call *call, int64_t size);	/* its size argument */
void tally_next(struct tally *tally, const struct call *before, const struct call *call); /* the call followed `before` */
void tally_gap(struct tally *tally, const struct call *before, const struct call *call, int64_t time); /* the time between the two */
void tally_end(struct tally *tally, const struct call *call, int64_t time, int64_t result); /* the call returned after `time` */
void tally_outside(struct tally *tally, int64_t time);					/* a time outside all calls */

bool tally_is_empty(const struct tally *tally);

/* Adds the sums of `from`, and empties it. */
void tally_add(struct tally *tally, struct tally *from);

/* Writes the sums as `features` records of this run. Returns 0; -1 after fail(). */
int tally_write(const struct tally *tally, const struct calls *calls, const char *run, struct stream *stream);

#endif
