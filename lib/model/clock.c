#include "model/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/number.h"

#define TIME_MOST (INT64_MAX / 2)

int64_t time_bounded(int64_t ns)
{
	return ns > TIME_MOST ? TIME_MOST : ns < -TIME_MOST ? -TIME_MOST : ns;
}

int64_t time_sum(int64_t a, int64_t b)
{
	return time_bounded(time_bounded(a) + time_bounded(b));
}

int time_read(const struct fields *fields, const char *key, int64_t *ns)
{
	int found = fields_time(fields, key, ns);

	if (found > 0)
		*ns = time_bounded(*ns);
	return found;
}

void times_widen(struct times *times, int64_t first, int64_t last)
{
	times->first = first < times->first ? first : times->first;
	times->last = last > times->last ? last : times->last;
}

static void utc(int64_t unix_time, struct tm *tm, int64_t *fraction)
{
	time_t seconds;

	*fraction = unix_time % NSEC_PER_SEC;
	seconds = unix_time / NSEC_PER_SEC;
	if (*fraction < 0) {
		*fraction += NSEC_PER_SEC;
		seconds--;
	}
	gmtime_r(&seconds, tm); /* cannot fail: the year of 64-bit nanoseconds always fits */
}

void clock_words(const struct clock *clock, int64_t ts, char *text)
{
	struct tm tm;
	int64_t fraction;

	if (!clock->has_wall) {
		snprintf(text, TIME_ROOM, "%.6f s", ts / 1e9);
		return;
	}
	utc(time_sum(clock->wall, ts), &tm, &fraction);
	snprintf(text, TIME_ROOM, "%02d:%02d:%02d.%03d", tm.tm_hour, tm.tm_min, tm.tm_sec,
		 (int)(fraction / 1000000));
}

void time_day(int64_t unix_time, char *text)
{
	struct tm tm;
	int64_t fraction;

	utc(unix_time, &tm, &fraction);
	strftime(text, TIME_ROOM, "%Y-%m-%d", &tm);
}

void time_date(int64_t unix_time, char *text)
{
	struct tm tm;
	int64_t fraction;

	utc(unix_time, &tm, &fraction);
	strftime(text, TIME_ROOM, "%Y-%m-%d %H:%M:%S", &tm);
}

void time_iso(int64_t unix_time, char *text)
{
	struct tm tm;
	int64_t fraction;
	size_t length;

	utc(unix_time, &tm, &fraction);
	length = strftime(text, TIME_ROOM, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + length, TIME_ROOM - length, ".%09" PRId64 "Z", fraction);
}
