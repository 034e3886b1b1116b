/*
 * value: measured values and counts in words. The caller frees every char * that is returned.
 */
#ifndef MODEL_VALUE_H
#define MODEL_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/fields.h"

/* The units of a chart's values. */
enum unit {
	UNIT_NONE,    /* plain numbers */
	UNIT_SECONDS, /* a latency */
	UNIT_SHARE,   /* a share of all, 0 to 1 */
	UNIT_RATE,    /* a count per second */
};

/* The unit of a sample, signal or limits record. */
enum unit unit_read(const struct fields *fields, bool has_start);

/* "seconds", "share", "per_second"; "" for plain numbers. */
const char *unit_name(enum unit unit);

/* The word for a chart whose level changed: "slower", "more frequent", "higher", or the opposite. */
const char *unit_change(enum unit unit, bool up);

/* "2.293 s", "12 %", "4,123 a second", "17", "10,000,090". */
char *value_words(enum unit unit, double value);

/* A duration given in seconds: "2.293 s"; "0" below half a ns. */
char *value_seconds(double seconds);

/* "1 thread", "9,412 requests". */
char *value_count(uint64_t count, const char *noun);

/* "limit 41.2 ms, median 4.5 ms"; for shares and rates "limit 1.3 %, normally 0.1 %"; NULL: the limit is unknown. */
char *value_limits(enum unit unit, double center, double limit);

#endif
