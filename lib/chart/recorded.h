/*
 * recorded: tells from the events of a recording whether the end of a start may be missing, for one of two reasons.
 *
 * A saved recording may lack CPUs (a mask), and each CPU of it begins and ends at another time (rings that were overwritten, or
 * full). It is taken to lack a CPU whose first event comes late, or never although threads are woken to it, or that falls silent
 * for good although a thread was woken to it. If the CPU is silent for as long at other times, it is just a quiet CPU.
 *
 * Some kernels do not record on every CPU which thread follows the idle thread (seen on virtual machines): the next switch there is
 * away from a thread that the data never switched to. If a thread was woken, and gets no CPU in the data while such a CPU was
 * idle, it has probably got that CPU.
 *
 * All zero is a new one. recorded_clear() frees it and makes it new, but keeps `expected`.
 */
#ifndef CHART_RECORDED_H
#define CHART_RECORDED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

enum { RECORDED_CPUS_MAX = 1 << 13 }; /* CPUs with higher numbers are not looked at */

struct recorded_cpu;
struct switched_cpu;

struct recorded {
	uint64_t expected;		 /* set by the caller: how many CPUs were recorded; 0: not known */
	ARRAY(struct recorded_cpu) cpus; /* by number */
	uint64_t seen;			 /* how many of them have had an event */
	size_t silent;			 /* the CPU that recorded_is_silent() found last */
	ARRAY(struct switched_cpu *) switched; /* by number; NULL: no switch seen */
	int64_t begin, now; /* of the first and the last event of all */
};

/* An event on this CPU. */
void recorded_event(struct recorded *recorded, uint32_t cpu, int64_t ts);

/* A wake-up names this CPU. `chosen`: the thread was put into its queue; else the thread ran there last. */
void recorded_woken(struct recorded *recorded, int64_t cpu, int64_t ts, bool chosen);

/* A CPU becomes idle, which it does not while a thread waits in its queue. */
void recorded_idle(struct recorded *recorded, uint32_t cpu, int64_t ts);

/* Tells whether a CPU has no event at or after `ts` yet: its events before `ts` may still come, or be lost, which its next event will tell. */
bool recorded_is_silent(struct recorded *recorded, int64_t ts);

/* The first CPU that was not recorded all the time from `from` until now; -1: all were. */
int recorded_lacks(const struct recorded *recorded, int64_t from);

/*
 * Tells whether a thread that was woken at `from` and got CPU `got` just now may have run before, unseen. `chosen` is the CPU that the
 * wake-up chose; -1: not known.
 */
bool recorded_may_lack_run(const struct recorded *recorded, int64_t from, int chosen, uint32_t got);

/* A switch on this CPU; tid 0 is the idle thread. */
void recorded_switch(struct recorded *recorded, uint32_t cpu, int64_t ts, int32_t prev, int32_t next);

/* Events were lost: nothing is known of the threads on the CPUs. */
void recorded_lost(struct recorded *recorded);

/* Tells whether a CPU that hides which thread follows the idle thread was idle at this time or later. */
bool recorded_hides_since(const struct recorded *recorded, int64_t ts);

void recorded_clear(struct recorded *recorded);

#endif
