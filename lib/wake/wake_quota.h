/*
 * wake_quota: threads that could run and were not let, because their group had used up its CPU quota. Private to lib/wake.
 *
 * The kernel's events do not show that: a thread leaves its CPU as if it were preempted, and comes back soon after the
 * timer of its group has expired. It takes a `quota` record as well, which says that the group was throttled for so long
 * between two looks at its cpu.stat.
 */
#ifndef WAKE_QUOTA_H
#define WAKE_QUOTA_H

#include "wake/wake.h"
#include "stream/line.h"

struct wake_quotas *wake_quotas_new(void);
void wake_quotas_free(struct wake_quotas *quotas);
void wake_quotas_forget(struct wake_quotas *quotas); /* the window is over: what groups did lately stays */

/* A `quota` record. -1 after fail(). */
int wake_quota_read(struct wake *wake, const struct fields *fields);

/* A timer with this function expires now. */
void wake_quota_timer(struct wake *wake, uint64_t function);

struct throttling {
	int64_t from, to;
	const char *quota; /* "10 ms in 100 ms of /group"; valid until the window is over */
};

/* Whether the thread, runnable in [start, end), was throttled in some of that: the first time that can be shown. */
bool wake_throttled(struct wake *wake, const struct thread *thread, int64_t start, int64_t end, struct throttling *found);

#endif
