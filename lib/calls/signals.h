/*
 * signals: the signals of a window, as far as their graphs need them, and which of them are the worst. Private to lib/calls.
 *
 *	signals_take(&signals, events, fields) with each `signal` record
 *	count = signals_choose(&signals, wake, worst) at the end of the window: the first `count` get graphs
 *	signals_forget(&signals) before the next window; signals_free(&signals) in the end
 */
#ifndef CALLS_SIGNALS_H
#define CALLS_SIGNALS_H

#include "wake/wake.h"
#include "stream/line.h"

enum { SIGNAL_COMM_ROOM = 32 };

struct graph_signal {
	char id[32];
	int64_t start, ts;
	double lost;	      /* seconds beyond the centre; less than nothing of what is no wait; see signals_take() */
	double excess;	      /* in limits */
	size_t order;	      /* among those of the window */
	int32_t tid;	      /* 0: none */
	char comm[SIGNAL_COMM_ROOM];
	bool open;	      /* it had not ended yet */
	bool request;	      /* of a block request, at: */
	uint64_t disk, sector;
};

/* Empty when all zero. */
struct signals {
	ARRAY(struct graph_signal) list;
	/* private */
	struct first_center *centers;
	size_t open; /* of the list */
};

/*
 * A `signal` record; that of a rate is left out: it is no wait, and names who. What it lost is measured from the centre that
 * its chart and key had at the window's first signal. It takes the place of one for the same wait when that was open.
 * 0; -1 after fail(): it is malformed.
 */
int signals_take(struct signals *signals, struct events *events, const struct fields *fields);

/*
 * Sorts them, the worst first, and tells how many of them get graphs, `worst` at most: of those without an end in the data
 * none, unless all are.
 */
size_t signals_choose(struct signals *signals, const struct wake *wake, size_t worst);

/* Whether the end of it is among the events, so that it can be walked backward from there. */
bool signal_has_end(const struct wake *wake, const struct graph_signal *signal);

void signals_forget(struct signals *signals);
void signals_free(struct signals *signals);

#endif
