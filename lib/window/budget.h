/*
 * budget: limits the bytes of events that pass, and shares them among windows, so that one window leaves some for the next. Bytes are
 * counted by record_size().
 */
#ifndef WINDOW_BUDGET_H
#define WINDOW_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

enum { BUDGET_SLICE = 1 << 18 }; /* least bytes for a window */

struct budget {
	uint64_t burst; /* bytes that may pass in any case */
	double share;	/* fraction of all bytes that may pass besides; 1: no bound */
	uint64_t room;	/* bytes of the ring in which events wait for a window */
	uint64_t passed; /* bytes */
};

/* Tells whether a window may pass events as they come: the budget covers all that wait and `kept` more, and leaves a slice. */
bool budget_affords(const struct budget *budget, uint64_t all, uint64_t kept);

/* Tells whether such a window must stop. */
bool budget_is_short(const struct budget *budget, uint64_t all);

/*
 * The bytes before its worst signal that any other window may pass: half of the budget left, and at most a quarter of the room. Newer
 * events must not push them out of the ring: budget_slice_is_due() tells whether to pass them now, `behind` bytes after the signal.
 */
uint64_t budget_slice(const struct budget *budget, uint64_t all);
bool budget_slice_is_due(const struct budget *budget, uint64_t all, uint64_t behind);

#endif
