/*
 * clock: times of records and of the day.
 *
 * A record's time is nanoseconds of the trace clock. Plus the `wall` of its stream, it is Unix time. Times from outside are bounded
 * when they are read, to about 146 years before and after zero, so that the sum or difference of two never overflows.
 */
#ifndef MODEL_CLOCK_H
#define MODEL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/fields.h"

/* The relation of a stream's times to the wall clock. Without `wall`, its times are not comparable with those of other streams. */
struct clock {
	bool has_wall;
	int64_t wall; /* 0: there is none */
};

/* A span of time; first > last: none. */
struct times {
	int64_t first, last;
};
#define NO_TIMES ((struct times){INT64_MAX, INT64_MIN})

/* Widens the span so that it holds this one, too. */
void times_widen(struct times *times, int64_t first, int64_t last);

/* time_read() reads a time, bounded. Returns 1; 0 if the key is missing; -1 after fail(). */
int time_read(const struct fields *fields, const char *key, int64_t *ns);
int64_t time_bounded(int64_t ns);
int64_t time_sum(int64_t a, int64_t b); /* bounded too */

/* The functions below write to `text`, which has room for TIME_ROOM bytes. */
enum { TIME_ROOM = 64 };

/* "15:43:11.203" (UTC) if the stream has a wall clock, else "11.203456 s" of the trace clock. */
void clock_words(const struct clock *clock, int64_t ts, char *text);

/* Unix time as "2026-11-20", as "2026-11-20 15:43:07", and as "2026-11-20T15:43:07.123456789Z". */
void time_day(int64_t unix_time, char *text);
void time_date(int64_t unix_time, char *text);
void time_iso(int64_t unix_time, char *text);

#endif
