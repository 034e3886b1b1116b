/*
 * process: the threads of some processes and of the children that they make, as they come and go.
 *
 * All zero is every thread of the machine; process_free() makes it that again.
 */
#ifndef SOURCE_PROCESS_H
#define SOURCE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

enum { PROCESS_TIDS = 1 << 22 }; /* the kernel's PID_MAX_LIMIT: tids are below it */

struct process {
	uint64_t *members; /* a bit per tid; NULL: every thread of the machine is a member */
};

/* Takes in the threads and descendants that /proc lists now. -1 after fail(): there is no such process. */
int process_follow(struct process *process, int32_t pid);

/* A thread made another, whose tid may have been a member's before. Whether the child, by that, became a member or is one no more. */
bool process_fork(struct process *process, int32_t parent, int32_t child);

/* Of `tid`, from 1 to PROCESS_TIDS - 1. With the first that is added, nobody else is a member. */
void process_add(struct process *process, int32_t tid);
void process_remove(struct process *process, int32_t tid);

void process_free(struct process *process);

static inline bool process_has(const struct process *process, int32_t tid)
{
	uint32_t bit = (uint32_t)tid % PROCESS_TIDS;

	return !process->members || process->members[bit / 64] >> (bit % 64) & 1;
}

#endif
