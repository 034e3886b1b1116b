/*
 * process: the threads of some processes and of the children that they make, as they come and go.
 *
 * All zero stands for every thread of the machine; process_free() makes it all zero again.
 *
 *	process_follow(p, pid)		a process, and its children
 *	process_choose(p, name)		all processes of this name, also those that begin later:
 *	process_follow_chosen(p)		those that are there
 *	process_began(p, ...)			each that begins to run a program
 *	process_fork(p, parent, child)	children
 */
#ifndef SOURCE_PROCESS_H
#define SOURCE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "source/program.h"

enum { PROCESS_TIDS = 1 << 22 }; /* the kernel's PID_MAX_LIMIT: tids are below it */

struct process {
	uint64_t *members; /* a bit per tid; NULL: every thread of the machine is a member */
	ARRAY(const char *) names; /* processes of these names are members, too; not copied */
};

/* Takes in the threads and descendants that /proc lists now. -1 after fail(): there is no such process. */
int process_follow(struct process *process, int32_t pid);

/* Processes of this name (program_is_called()) are members from now on, besides those that were followed or added. The name is not copied. */
void process_choose(struct process *process, const char *name);

/*
 * Takes in the processes of a chosen name that /proc lists now, and their descendants. Returns how many there are. `read` tells what a process
 * runs, or returns false.
 */
typedef bool process_reader(void *context, struct program *program, int32_t pid);
int process_follow_chosen(struct process *process, process_reader *read, void *context);

/* A process began to run a program (NULL: not known which); `comm` is its first thread's. Returns whether it became a member by its name. */
bool process_began(struct process *process, int32_t pid, const struct program *program, const char *comm);

/* A thread made another, whose tid a member may have had before. Returns whether that made the child a member, or ended its membership. */
bool process_fork(struct process *process, int32_t parent, int32_t child);

/* From now on only threads that were added are members. */
void process_select(struct process *process);

/* Adds or removes a thread; `tid` is from 1 to PROCESS_TIDS - 1. Once a thread was added, only added threads are members. */
void process_add(struct process *process, int32_t tid);
void process_remove(struct process *process, int32_t tid);

/* Returns a member that has not ended, `known` if that one has not; 0: there is none. Call it only if processes were chosen. */
int32_t process_left(const struct process *process, int32_t known);

void process_free(struct process *process);

static inline bool process_has(const struct process *process, int32_t tid)
{
	uint32_t bit = (uint32_t)tid % PROCESS_TIDS;

	return !process->members || process->members[bit / 64] >> (bit % 64) & 1;
}

#endif
