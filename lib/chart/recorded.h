/*
 * recorded: of which CPUs a recording tells, and of what time. A saved recording may lack CPUs (a mask), and of each CPU it
 * begins and ends at another time (rings that were overwritten, or full). An end on such a CPU is not seen.
 *
 * The events tell it: a CPU whose first event comes late, or that never has one though threads are woken to it, and one that
 * falls silent for good though a thread was woken to it. A CPU that is silent as long at other times is a quiet one.
 *
 * All zero is a new one; recorded_clear() ends it too.
 */
#ifndef CHART_RECORDED_H
#define CHART_RECORDED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

struct recorded_cpu;

struct recorded {
	ARRAY(struct recorded_cpu) cpus; /* by number */
	int64_t begin, now;		 /* of the first and the last event of all */
};

/* An event on this CPU, if its number is below RECORDED_CPUS_MAX. */
enum { RECORDED_CPUS_MAX = 1 << 13 };
void recorded_event(struct recorded *recorded, uint32_t cpu, int64_t ts);

/* A wake-up names this CPU. `chosen`: the thread was put into its queue; else it was there last. */
void recorded_woken(struct recorded *recorded, int64_t cpu, int64_t ts, bool chosen);

/* The first CPU that was not recorded all the time from `from` until now, as far as the events tell; -1: all were. */
int recorded_lacks(const struct recorded *recorded, int64_t from);

/* A CPU becomes idle, which it does not while a thread waits in its queue. */
void recorded_idle(struct recorded *recorded, uint32_t cpu, int64_t ts);

/*
 * Whether a thread that was woken at `from` and got CPU `got` just now may have had another before, unseen: `chosen` is the CPU that
 * the wake-up chose; -1: not known.
 */
bool recorded_may_lack_run(const struct recorded *recorded, int64_t from, int chosen, uint32_t got);

void recorded_clear(struct recorded *recorded);

#endif
