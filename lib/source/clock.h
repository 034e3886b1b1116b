/*
 * clock: the trace clock, read from user space. A ring can be merged with others only up to a time that has passed,
 * so the collector must know the present time of the trace clock.
 */
#ifndef SOURCE_CLOCK_H
#define SOURCE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <tracefs.h>

struct trace_clock {
	const char *name;
	int id;	   /* for clock_gettime(); -1: only the kernel can read it */
	int stats; /* with id -1: the file per_cpu/cpu0/stats, open; else -1 */
};

/* Sets the instance's clock. -1 after fail(): the kernel lacks it, or it does not count nanoseconds. */
int clock_set(struct trace_clock *clock, struct tracefs_instance *instance, const char *name);
void clock_close(struct trace_clock *clock);

/* The time of the trace clock, in nanoseconds; INT64_MIN after fail(). */
int64_t clock_now(const struct trace_clock *clock);

/* The wall clock, in nanoseconds since the epoch, when the trace clock was zero. */
int64_t clock_wall(const struct trace_clock *clock);

#endif
