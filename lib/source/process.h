/*
 * process: the threads of one process and of the children it makes, as they come and go.
 */
#ifndef SOURCE_PROCESS_H
#define SOURCE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

enum { PROCESS_TIDS = 1 << 22 }; /* the kernel's PID_MAX_LIMIT */

struct process {
	uint64_t *members; /* a bit per tid; NULL: every thread of the machine is a member */
};

/* Takes in the threads and descendants that /proc lists now. -1 after fail(): there is no such process. */
int process_follow(struct process *process, int32_t pid);

/* A thread made another, whose tid may have been a member's before. */
void process_fork(struct process *process, int32_t parent, int32_t child);
void process_free(struct process *process);

static inline bool process_has(const struct process *process, int32_t tid)
{
	return !process->members || process->members[(uint32_t)tid % PROCESS_TIDS / 64] >> (tid % 64) & 1;
}

#endif
