/*
 * timestamp: arithmetic with times that saturates instead of overflowing, because a stream written by hand may have any times.
 */
#ifndef BASE_TIMESTAMP_H
#define BASE_TIMESTAMP_H

#include <stdbool.h>
#include <stdint.h>

static inline int64_t timestamp_add(int64_t ts, int64_t span)
{
	int64_t sum;

	if (__builtin_add_overflow(ts, span, &sum))
		return span < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

/* a - b */
static inline int64_t timestamp_difference(int64_t a, int64_t b)
{
	int64_t difference;

	if (__builtin_sub_overflow(a, b, &difference))
		return a < b ? INT64_MIN : INT64_MAX;
	return difference;
}

/* Tells whether the two are less than this apart. */
static inline bool timestamp_near(int64_t a, int64_t b, int64_t apart)
{
	int64_t difference = timestamp_difference(a, b);

	return difference < apart && difference > -apart;
}

/* The time between `from` and `to`; 0 if `to` is earlier. */
static inline int64_t timestamp_between(int64_t from, int64_t to)
{
	int64_t span;

	if (to <= from)
		return 0;
	return __builtin_sub_overflow(to, from, &span) ? INT64_MAX : span;
}

#endif
