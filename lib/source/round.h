/*
 * round: what a collector does every few milliseconds: takes the events that are there and writes them. Part of
 * collector, see collector.h.
 */
#ifndef SOURCE_ROUND_H
#define SOURCE_ROUND_H

#include <stdint.h>

struct collector;

/*
 * Looks whether somebody else has written to files of our instances, in which case the data are incomplete. `ours` is the name of the files
 * that we ourselves wrote to since the last look; NULL: none.
 */
void round_notice(struct collector *collector, const char *ours);

/* Writes the events of all but the last few milliseconds, before the time *until, and flushes. -1 after fail(). */
int round_take(struct collector *collector, int64_t *until);

/* Writes `lost` records of a count that is not known: something may be missing between these times. -1 after fail(). */
int round_doubt(struct collector *collector, int64_t from, int64_t ts);

/* With tracing off: writes all that is left, and what was lost at the very end. -1 after fail(). */
int round_last(struct collector *collector);

#endif
