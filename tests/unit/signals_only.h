/*
 * signals_only: the listener of a test that looks at signals and at nothing else.
 */
#ifndef TESTS_UNIT_SIGNALS_ONLY_H
#define TESTS_UNIT_SIGNALS_ONLY_H

#include "chart/judge.h"

static int see_limits(void *context, const struct series *series, int64_t ts)
{
	(void)context, (void)series, (void)ts;
	return 0;
}

static int see_healthy(void *context, const struct series *series, int64_t from, double median)
{
	(void)context, (void)series, (void)from, (void)median;
	return 0;
}

static inline struct measure_listener signals_only(int (*signal)(void *context, const struct sample *sample))
{
	return (struct measure_listener){.limits = see_limits, .healthy = see_healthy, .signal = signal};
}

#endif
