/*
 * quota: threads that could run and were not let, because their group had used up its CPU quota. Private to lib/wake.
 *
 * The kernel's events do not show that: a thread leaves its CPU as if it were preempted, and comes back soon after the
 * timer of its group has expired. It takes a `quota` record as well, which says that the group was throttled for so long
 * between two looks at its cpu.stat.
 */
#ifndef WAKE_QUOTA_H
#define WAKE_QUOTA_H

#include "wake/core.h"

struct throttling {
	int64_t from, to;
	const char *group; /* valid until the window is over; NULL: not known */
	int64_t quota, period;
	int32_t user; /* index of the other thread that used up most of the quota; INDEX_NONE: no other did */
};

/* Tells whether the thread, runnable in [start, end), was throttled in some of that: the first time that can be shown. */
bool quota_throttled(struct wake *wake, const struct thread *thread, int64_t start, int64_t end, struct throttling *found);

#endif
