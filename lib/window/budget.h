/*
 * budget: how many bytes of events may pass, and how they are shared among the windows: no window takes all of it, for there may
 * be others. All bytes here are those of record_size(), which are written.
 */
#ifndef WINDOW_BUDGET_H
#define WINDOW_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

enum { BUDGET_SLICE = BUFFER_SIZE(1 << 18, 4096) }; /* bytes that are worth a window of their own */

struct budget {
	uint64_t burst; /* may pass in any case */
	double share;	/* and of all bytes; 1: no bound */
	uint64_t room;	/* for what waits until a window passes it */
	uint64_t passed;
};

/* How many may pass now, of `all` so far. */
uint64_t budget_left(const struct budget *budget, uint64_t all);

/* Whether a window may pass its events as they come: all that waits at once, `kept` more, and enough is left for others. */
bool budget_affords(const struct budget *budget, uint64_t all, uint64_t kept);

/* Whether one that does has passed what it may. */
bool budget_is_short(const struct budget *budget, uint64_t all);

/*
 * What another one may pass of what came before its worst signal: half of what is left, and a quarter of the room at most, in which
 * heads lie, too. It must not be pushed out by what comes behind it: whether it is time to pass it, so many bytes behind it.
 */
uint64_t budget_slice(const struct budget *budget, uint64_t all);
bool budget_slice_is_due(const struct budget *budget, uint64_t all, uint64_t behind);

#endif
