/*
 * function: entries and returns of the functions that are traced; lib/calls makes calls of them. Private to lib/wake and
 * lib/calls.
 */
#ifndef WAKE_FUNCTION_H
#define WAKE_FUNCTION_H

#include "wake/core.h"

struct function_event {
	int64_t ts;
	int64_t depth; /* stack address of the call's frame; 0: not known */
	int64_t to;    /* an exception or longjmp() left all calls from `depth` to here; else 0 */
	int32_t thread;
	int16_t function; /* index of the function's name; CALL_NONE: calls were left */
	bool returns;
};

/* A value of a call, which a `handoff` record names: the call handed the value on, or was caused by it. */
struct function_hand {
	size_t event;	/* index of the call's event in the window */
	int handoff;	/* number of the record; 0, 1, 2, ... */
	bool takes;	/* the call was caused by the value, else it hands the value on */
	bool anywhere;	/* the two calls need not be of one process */
	uint64_t value; /* equal in calls that belong together */
};

/* The events and handed-on values of the window, in the order of time. */
struct traced_functions {
	ARRAY(struct function_event) events;
	ARRAY(struct function_hand) hands;
};

static inline const struct traced_functions *function_all(const struct wake *wake)
{
	return wake->of[PART_FUNCTION];
}

#endif
