/*
 * wake_counted: what was counted while a thread ran, where the data tell it (trace-collect --stack, --counters). Private to lib/wake.
 */
#ifndef WAKE_COUNTED_H
#define WAKE_COUNTED_H

#include "wake/node.h"

/*
 * The counts of the whole run between two waits that a piece belongs to, as far as it is over, by name:
 * "page_faults:12,syscalls_sys_enter_sched_yield:4000"; and for how long the thread had the CPU. NULL: nothing was counted. The text is the
 * part's, until the next call for the thread.
 */
struct counted {
	char *counters;
	int64_t time;
};
struct counted counted_tell(const struct wake *wake, const struct thread *thread, size_t piece);

/* Forgets what was counted before this time. */
void counted_trim(const struct thread *thread, int64_t before);

#endif
