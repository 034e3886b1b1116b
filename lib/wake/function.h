/*
 * function: entries and returns of the functions that are traced; lib/calls makes calls of them. Private to lib/wake and
 * lib/calls.
 */
#ifndef WAKE_FUNCTION_H
#define WAKE_FUNCTION_H

#include "wake/core.h"

struct function_event {
	int64_t ts;
	int64_t depth; /* where on the stack: its address; 0: not known */
	int64_t to;    /* all calls from there to here were left, by an exception or longjmp(); else 0 */
	int32_t thread;
	int16_t function; /* index of its name; CALL_NONE: calls were left */
	bool returns;
};

/* A value of a call that a `handoff` record names: the call handed it over, or was caused by it. */
struct function_hand {
	size_t event;	/* its place among those of the window */
	int handoff;	/* number of the record; 0, 1, 2, ... */
	bool takes;	/* it was caused, else it causes */
	bool anywhere;	/* both need not be of one process */
	uint64_t value; /* equal where they belong together */
};

/* Those of the window, in the order of time. */
struct traced_functions {
	ARRAY(struct function_event) events;
	ARRAY(struct function_hand) hands;
};

static inline const struct traced_functions *function_all(const struct wake *wake)
{
	return wake->of[PART_FUNCTION];
}

#endif
