/*
 * round: what a collector does every few milliseconds: takes the events that are there and writes them. Part of
 * collector, see collector.h.
 */
#ifndef SOURCE_ROUND_H
#define SOURCE_ROUND_H

#include <stdint.h>

struct collector;

/* Writes the events of all but the last few milliseconds, before the time *until, and flushes. -1 after fail(). */
int round_take(struct collector *collector, int64_t *until);

/* With tracing off: writes all that is left, and what was lost at the very end. -1 after fail(). */
int round_last(struct collector *collector);

#endif
