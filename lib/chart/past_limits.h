/*
 * past_limits: the limits of past levels.
 *
 * Loads alternate, and a value that was healthy minutes ago is not abnormal now. So the limits of a level are remembered for
 * PAST_LIMITS_TIMES the time that the level lasted, at most PAST_LIMITS_MOST. With more than PAST_LIMITS_LEVELS levels the lowest is dropped.
 */
#ifndef CHART_PAST_LIMITS_H
#define CHART_PAST_LIMITS_H

#include "base/number.h"
#include "chart/method.h"

enum { PAST_LIMITS_TIMES = 10, PAST_LIMITS_LEVELS = 8 };
#define PAST_LIMITS_MOST (600 * NSEC_PER_SEC)

struct past_limits; /* NULL: none, as for most keys */

/* Remembers the limits of a level that has lasted `lasted` ns and is over. Allocates *past on first use; past_limits_forget() sets it to NULL. */
void past_limits_remember(struct past_limits **past, const struct limits *limits, int64_t lasted, int64_t now);
void past_limits_forget(struct past_limits **past);

/* The highest upper limit that is remembered; 0: none. */
double past_limits_highest(const struct past_limits *past, int64_t now);

/* The same for a point of this size. */
double past_limits_line(const struct past_limits *past, const struct policy *how, double size, int64_t now);

#endif
