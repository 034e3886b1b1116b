/*
 * totals: the aggregates of a trigger: Count, Avg, Percentile and their like over windows of time, for each key of its events.
 *
 * Time is divided into slots at multiples of a grain g: the trigger's shortest window / 60, but at least a millisecond. A slot keeps a few
 * numbers of each value that aggregates ask for. A window from A to B before an event at time t has the slots from floor(t/g) - A/g + 1 to
 * floor(t/g) - B/g, with A and B rounded up to multiples of g. So adjacent windows share no slot, and a window up to now includes the
 * current slot.
 *
 *	totals = totals_new(trigger)
 *	totals_begin(totals, ts)			the data begin, or begin again after a loss
 *	key = totals_key(totals, text)		for an event in the trigger's scope
 *	totals_add(totals, key, ts, values)
 *	totals_value(totals, key, named, ts, &value)
 *	totals_lost(totals), totals_forget(totals), totals_free(totals)
 *
 * The 512 most recently used keys are kept.
 */
#ifndef TRIGGER_TOTALS_H
#define TRIGGER_TOTALS_H

#include "trigger/trigger.h"

struct totals;
struct totals_key;

enum { TOTALS_KEYS_MAX = 512 };

/* NULL: no value of the trigger is an aggregate. The trigger must outlive the totals. */
struct totals *totals_new(const struct trigger *trigger);
void totals_free(struct totals *totals);

/* The values that aggregates ask for, each once, as numbers of values in trigger->values; *count: how many. These are the columns. */
const int *totals_columns(const struct totals *totals, size_t *count);

/* The data are complete from `ts` on. totals_lost(): only from the next totals_begin() on. totals_forget(): another stream begins; all is dropped. */
void totals_begin(struct totals *totals, int64_t ts);
void totals_lost(struct totals *totals);
void totals_forget(struct totals *totals);

/* Returns a key, which is made if needed. Valid until the next call. */
struct totals_key *totals_key(struct totals *totals, const char *text);

/* Adds an event, with its values in the order of the columns; NAN: the event lacks the value. */
void totals_add(struct totals *totals, struct totals_key *key, int64_t ts, const double *values);

/*
 * Sets *value to an aggregate, by its number in trigger->values, at time `ts`. Leaves *value unchanged if the window begins before the data
 * (except for Count), or has no values (except for Count, Throughput and Sum).
 */
void totals_value(struct totals *totals, struct totals_key *key, int named, int64_t ts, struct value *value);

/* The first time after `ts` at which an aggregate may change without an event; INT64_MAX: none will change. */
int64_t totals_change(const struct totals *totals, int64_t ts);

#endif
