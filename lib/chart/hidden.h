/*
 * hidden: whether a thread may have got a CPU unseen. Some kernels do not record on every CPU who follows the idle thread
 * (seen on virtual machines): the next switch there is away from a thread that the data never switched to. So a thread
 * that was woken, and is not seen to get a CPU while such a CPU was idle, has probably got that one.
 *
 * All zero is a new one; hidden_clear() ends it too.
 */
#ifndef CHART_HIDDEN_H
#define CHART_HIDDEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

struct hidden_cpu;

struct hidden {
	ARRAY(struct hidden_cpu *) cpus; /* by number; NULL: not seen */
};

/* A switch on this CPU, if its number is below HIDDEN_CPUS_MAX; tid 0 is the idle thread. */
enum { HIDDEN_CPUS_MAX = 1 << 13 };
void hidden_switch(struct hidden *hidden, uint32_t cpu, int64_t ts, int32_t prev, int32_t next);

/* Events were lost: who is on a CPU is not known. */
void hidden_lost(struct hidden *hidden);

/* Whether a CPU that hides who follows the idle thread was idle at this time or later. */
bool hidden_since(const struct hidden *hidden, int64_t ts);

void hidden_clear(struct hidden *hidden);

#endif
