/*
 * former: the limits of levels that have passed.
 *
 * Loads alternate, and what was healthy minutes ago is not abnormal now. So the limits of a level are remembered FORMER_TIMES as long as that
 * level had lasted, and for FORMER_MOST at most. Of many levels the one with the lowest limit goes.
 */
#ifndef CHART_FORMER_H
#define CHART_FORMER_H

#include "base/number.h"
#include "chart/method.h"

enum { FORMER_TIMES = 10, FORMER_LEVELS = 8 };
#define FORMER_MOST (600 * NSEC_PER_SEC)

struct former; /* NULL: none, as for most keys */

/* The level of these limits, which has lasted so many ns, has passed. Allocates what is not there yet; former_forget() leaves NULL. */
void former_remember(struct former **former, const struct limits *limits, int64_t lasted, int64_t now);
void former_forget(struct former **former);

/* The highest upper limit of those that are remembered; 0: none is. */
double former_limit(const struct former *former, int64_t now);

/* The same for a point of this size. */
double former_line(const struct former *former, const struct judgement *how, double size, int64_t now);

#endif
