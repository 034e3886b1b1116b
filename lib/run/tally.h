/*
 * tally: sums over the threads of one run: how often and how long each system call, and each pair of calls that followed each other.
 *
 * Sums can be added up, so that those of a thread can join its run later, when it is known whose thread it is. Features (means, rates)
 * are made of sums at the end. A time that is negative, as in a damaged stream, counts as 0.
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

void tally_count(struct tally *tally, const struct call *call);				/* it was entered */
void tally_argument(struct tally *tally, const struct call *call, int64_t size);	/* its size argument */
void tally_next(struct tally *tally, const struct call *before, const struct call *call); /* it was the next after that */
void tally_gap(struct tally *tally, const struct call *before, const struct call *call, int64_t time);
void tally_end(struct tally *tally, const struct call *call, int64_t time, int64_t result); /* it returned */
void tally_outside(struct tally *tally, int64_t time);					/* a time in no call */

bool tally_is_empty(const struct tally *tally);

/* Adds the sums of `from`, which is empty then. */
void tally_add(struct tally *tally, struct tally *from);

/* Writes them as `features` records of this run. 0; -1 after fail(). */
int tally_write(const struct tally *tally, const struct calls *calls, const char *run, struct stream *stream);

#endif
