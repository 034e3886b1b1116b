/*
 * quotas: control groups with a quota of CPU time for each period (cpu.max, or cpu.cfs_quota_us where the CPU controller is of the first
 * version), and when their threads had to wait because they had used it up.
 *
 * No event of the kernel says so. A group's cpu.stat does: it counts how often the group was throttled, and for how long, at the latest when
 * that is over.
 */
#ifndef SOURCE_QUOTAS_H
#define SOURCE_QUOTAS_H

#include <stdbool.h>
#include <stdint.h>

#include "source/clock.h"
#include "stream/stream.h"

struct quota_group;

struct quotas { /* all zero: nothing was looked at yet */
	char *mount;		    /* of the CPU controller; NULL: not known yet, or there is none */
	bool first_version;	    /* of the CPU controller */
	bool foreign;		    /* threads in its files have other numbers than in events, so they are not written */
	struct quota_group *groups; /* hash by path */
	uint64_t walks;		    /* over all groups, so far */
	int64_t next_walk, next_look; /* when to look for new groups, and at known ones */
	char *timers;		    /* addresses of the timers' functions that end throttling; NULL: nothing was looked for yet */
};

/*
 * Writes a `quota` record for each group that has a quota and is new, and for each that was throttled since the last
 * call. May be called often: it looks for new groups at most five times a second, and where there are very many so rarely that
 * either costs less than a two-hundredth of a CPU. -1 after fail().
 */
int quotas_look(struct quotas *quotas, struct stream *stream, const struct trace_clock *clock);
void quotas_free(struct quotas *quotas);

#endif
