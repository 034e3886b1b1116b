/*
 * counters: what perf_event_open(2) can count of a CPU, by the names that libpfm4 knows ("page-faults", "cycles:u"), and tracepoints
 * ("syscalls:sys_enter_sched_yield"). libpfm4 knows more than a machine has, so the kernel is asked for each.
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

enum { COUNTERS_MAX = 9 /* with yields */ };

struct counter {
	char *name;  /* as it was asked for: "page-faults" */
	char *event; /* as events are named: "page_faults" */
	uint32_t period; /* an event after each `period` of them; 0: counted exactly, from switch to switch */
	struct perf_event_attr attributes;
};

/* For the life of the process. */
struct counters {
	ARRAY(struct counter) list;
};

/*
 * Adds those of a list with commas. -1 after fail(): nobody knows the name, this machine does not have it (the message says what it has), it is
 * there already, or there are more than COUNTERS_MAX.
 */
int counters_add(struct counters *counters, const char *list);

/*
 * How often threads yield, where the kernel can count it: before the others, by the hundred, which costs who does not yield nothing. If it is asked
 * for, too, it is counted exactly.
 */
void counters_add_yields(struct counters *counters);

#endif
