/*
 * patience: notices open starts whose age passes the limit of their series, without a look at each start at each event. Each series has its open
 * starts in order of age, so only the oldest can be due next, and nothing is looked at before the first of these is due. Private to lib/chart.
 *
 * A start is open until its age passes the limit, then a suspect. PATIENCE_REPORT later it is reported as still open, and its context is kept for
 * PATIENCE_HOLD, so that all of it can be explained if it ends by then.
 *
 *	patience_add(&patience, start)			it has begun
 *	while ((start = patience_due(measure, now)))	after each event: it has a new state
 *	patience_drop(&patience, start)			it has ended, or is given up
 */
#ifndef CHART_PATIENCE_H
#define CHART_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/number.h"

struct measure;
struct series;
struct start;

#define PATIENCE_REPORT NSEC_PER_SEC
#define PATIENCE_HOLD (10 * NSEC_PER_SEC)

/* How often starts in a silence are looked at. */
#define PATIENCE_SWEEP (NSEC_PER_SEC / 10)

/* A new one is all zero except for the times. */
struct patience {
	struct series *series;	/* the series with starts in state START_OPEN */
	struct start *suspects; /* START_SUSPECT, the next to be due first */
	struct start *reported; /* START_REPORTED, in the same order */
	int64_t next;		/* nothing is due before this time; INT64_MAX at first */
	int64_t whole;		/* all events before this time have come, or their loss is known; INT64_MAX: the stream does not say */
	int64_t awaited;	/* a suspect waits until each CPU has an event behind this time; INT64_MAX: none waits */
};

void patience_add(struct patience *patience, struct start *start);
void patience_drop(struct patience *patience, struct start *start); /* in any state */

/* The limits of some series are new: their starts may be due. */
void patience_wake(struct patience *patience);

/*
 * Returns, one by one, the starts that are due now: their state has just become START_SUSPECT, START_REPORTED or START_RELEASED. NULL: no
 * more, and the time of the next is known. A start that is still START_OPEN ended when its silence began.
 */
struct start *patience_due(struct measure *measure, int64_t now);

/*
 * All events before this time have come, or their loss is known: a start that is due after this time is not reported yet, because its end may
 * still come.
 */
void patience_whole(struct patience *patience, int64_t ts);

/* An event, or a `tick` record, has come: if all events that a suspect waits for have come now, the suspect is looked at again. */
void patience_heard(struct measure *measure);

/* There is no more room for context: the suspects that are not to be reported as long as there is room are due now. */
void patience_hurry(struct measure *measure);

/* Tells whether a start is in a silence: a turn has an answer, or a wait for an answer has reached its time limit. */
bool start_in_silence(const struct start *start);

#endif
