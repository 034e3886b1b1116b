/*
 * patience: notices starts whose age passes the limit while they are still open, without looking at each of them at each
 * event: each series has its open starts in order of age, so that only the oldest can be next, and nothing is looked at
 * before the first of these is due.
 */
#ifndef CHART_PATIENCE_H
#define CHART_PATIENCE_H

#include "base/number.h"
#include "chart/pair.h"
#include "chart/series.h"

/* A suspect is told of as open when it has not ended this long after it became one... */
#define PATIENCE_REPORT NSEC_PER_SEC
/* ... and its context is kept this long, so that the whole of it can be explained if it ends by then. */
#define PATIENCE_HOLD (10 * NSEC_PER_SEC)

struct patience { /* all zero but for `next` is a new one */
	struct series *series;	/* those with starts in state START_OPEN */
	struct start *suspects; /* START_SUSPECT, the next to be due first */
	struct start *reported; /* START_REPORTED, the same way */
	int64_t next;		/* nothing is due before this time; INT64_MAX at first */
};

/* Watches a new start of a series. */
void patience_add(struct patience *patience, struct start *start);

/* Forgets a start in whatever state. */
void patience_drop(struct patience *patience, struct start *start);

/* The limits of this series are new: its starts may be due. */
void patience_wake(struct patience *patience);

/*
 * What is due now, one by one: a start whose state has just become START_SUSPECT, START_REPORTED or START_RELEASED.
 * NULL: no more, and the time of the next is known.
 */
struct start *patience_due(struct patience *patience, int64_t now);

#endif
