/*
 * counters: what perf_event_open(2) can count on a CPU, by the names that libpfm4 knows ("page-faults", "cycles:u"), and tracepoints
 * ("syscalls:sys_enter_sched_yield"). libpfm4 knows more than a machine has, so the kernel is asked about each.
 *
 *	struct counters counters = {0};
 *	counters_add_yields(&counters)
 *	counters_add(&counters, "page-faults,cycles")
 *	sampler_open(..., &counters)		counts them from switch to switch
 */
#ifndef PROGRAM_COUNTERS_H
#define PROGRAM_COUNTERS_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "base/memory.h"

enum { COUNTERS_MAX = 9 /* including yields */ };

struct counter {
	char *name;  /* as the user wrote it: "page-faults" */
	char *event; /* name of its events: "page_faults" */
	uint32_t period; /* one sample after every `period` of them; 0: counted exactly, from switch to switch */
	struct perf_event_attr attributes;
};

/* Lives as long as the process. */
struct counters {
	ARRAY(struct counter) list;
};

/*
 * Adds the counters of a list separated by commas. -1 after fail(): the name is unknown, this machine does not have it (the message says
 * what it has), it was already added, or there are more than COUNTERS_MAX.
 */
int counters_add(struct counters *counters, const char *list);

/*
 * Adds a counter of yields if the kernel can count them; to be called before counters_add(). It samples every hundredth yield, which costs
 * threads that do not yield nothing. If the user asks for this counter, too, it counts exactly.
 */
void counters_add_yields(struct counters *counters);

#endif
