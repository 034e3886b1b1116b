/*
 * timeshift: converts times on pages of a trace.dat file to nanoseconds of its clock.
 *
 * Samples that were taken per CPU while recording shift a guest's times to its host's. Ticks of the processor are scaled. A fixed offset
 * is added. The formulas and roundings are libtracecmd's (trace-input.c, timestamp_calc()), so that all tools give the same times.
 */
#ifndef IMPORT_TIMESHIFT_H
#define IMPORT_TIMESHIFT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "import/cursor.h"

struct timeshift_sample {
	int64_t time, offset;
	uint64_t scaling, fraction;
};

struct timeshift_cpu {
	ARRAY(struct timeshift_sample) samples; /* by time */
};

/* All zero: times stay as they are. */
struct timeshift {
	int64_t offset;
	uint32_t mult, shift; /* to scale ticks; mult 0: times are nanoseconds */
	bool interpolate;
	struct timeshift_cpu *cpus;
	uint32_t cpu_count;
};

/* Reads the option TIME_SHIFT. -1 after fail(). */
int timeshift_read_samples(struct timeshift *shift, struct cursor data);
void timeshift_free(struct timeshift *shift);

int64_t timeshift_apply(const struct timeshift *shift, int cpu, uint64_t ts);

/* Tells whether there is anything to apply. */
static inline bool timeshift_is_needed(const struct timeshift *shift)
{
	return shift->offset || shift->mult || shift->cpu_count;
}

#endif
