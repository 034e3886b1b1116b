/*
 * totals: the aggregates of a trigger: Count, Avg, Percentile and their like over windows of time, for each key of its events.
 *
 * Time is cut into slots at multiples of a grain. A slot keeps a few numbers of each value that aggregates ask for. A window from A to B
 * before an event has the slots from floor(t/g) - A/g + 1 to floor(t/g) - B/g, with bounds rounded up to multiples of the grain g, which is
 * the trigger's shortest window / 60, but a millisecond at least. So windows that touch share nothing, and one up to now has the
 * slot at hand.
 *
 *	totals = totals_new(trigger)
 *	totals_begin(totals, ts)			the data begin, or begin again behind a loss
 *	key = totals_key(totals, text)		for an event in the trigger's scope
 *	totals_add(totals, key, ts, values)
 *	totals_value(totals, key, named, ts, &value)
 *	totals_lost(totals), totals_forget(totals), totals_free(totals)
 *
 * The 512 keys that had events last are kept.
 */
#ifndef TRIGGER_TOTALS_H
#define TRIGGER_TOTALS_H

#include "trigger/trigger.h"

struct totals;
struct totals_key;

enum { TOTALS_KEYS_MAX = 512 };

/* NULL: no value of the trigger is an aggregate. The trigger must outlive it. */
struct totals *totals_new(const struct trigger *trigger);
void totals_free(struct totals *totals);

/* The values that aggregates ask for, each once: *count of them, by the number of a value in trigger->values that names it. */
const int *totals_columns(const struct totals *totals, size_t *count);

/* From this time on, the data are whole. totals_lost(): not until the next such time. totals_forget(): the clock begins anew. */
void totals_begin(struct totals *totals, int64_t ts);
void totals_lost(struct totals *totals);
void totals_forget(struct totals *totals);

/* A key, which is new if need be. Valid until the next call. */
struct totals_key *totals_key(struct totals *totals, const char *text);

/* Adds an event, with its values in the order of the columns; NAN: it lacks this one. */
void totals_add(struct totals *totals, struct totals_key *key, int64_t ts, const double *values);

/* An aggregate, by its number in trigger->values, as of this time. VALUE_UNKNOWN: its window begins before the data, or is empty. */
void totals_value(struct totals *totals, struct totals_key *key, int named, int64_t ts, struct value *value);

/* The first time after this one at which an aggregate may change though no event comes; INT64_MAX: none will. */
int64_t totals_change(const struct totals *totals, int64_t ts);

#endif
