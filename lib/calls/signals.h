/*
 * signals: keeps the signals of a window, and chooses the worst of them. Private to lib/calls.
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
	double lost;	      /* seconds beyond the centre; negative: the signal is no wait; see signals_take() */
	double excess;	      /* value / ucl */
	size_t order;	      /* of arrival, within the window */
	int32_t tid;	      /* 0: none */
	char comm[SIGNAL_COMM_ROOM];
	bool open;	      /* its interval had not ended yet */
	bool request;	      /* it is of a block request, at: */
	uint64_t disk, sector;
};

/* Empty when all zero. Of more than SIGNALS_MAX signals the least bad are dropped. */
enum { SIGNALS_MAX = BUFFER_SIZE(1 << 16, 1 << 4) };
struct signals {
	ARRAY(struct graph_signal) list;
	/* private */
	struct first_center *centers;
	struct open_signal *open; /* of the list, by the wait */
	size_t taken;
};

/*
 * Takes a `signal` record; ignores that of a rate, which is no wait. Measures the time lost from the centre that its chart and key had
 * at the window's first signal. The signal replaces one of the same wait that was still open. 0; -1 after fail(): it is malformed.
 */
int signals_take(struct signals *signals, struct events *events, const struct fields *fields);

/*
 * Sorts the signals, the worst first. Returns how many get graphs, at most `worst`. Signals whose end is not in the data get none,
 * unless all are so.
 */
size_t signals_choose(struct signals *signals, const struct wake *wake, size_t worst);

/* Tells whether the data have the signal's end, at which the walk backward begins. */
bool signal_has_end(const struct wake *wake, const struct graph_signal *signal);

void signals_forget(struct signals *signals);
void signals_free(struct signals *signals);

#endif
