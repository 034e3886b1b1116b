/*
 * execs: the command lines with which processes began, by the kernel's word (exec_probe.h), also of processes that ended since. A program may
 * write over its command line; execs keeps the first one.
 *
 *	execs = execs_open()
 *	execs_take(execs)		now and then, before the ring is full
 *	execs_learn(execs, pid, ...)	a process that began before
 *	execs_find(execs, pid, ...)
 *	execs_close(execs)
 *
 * The newest 16,384 processes are kept. Two threads may use it at a time; each function locks it.
 */
#ifndef SOURCE_EXECS_H
#define SOURCE_EXECS_H

#include <stdbool.h>
#include <stdint.h>

#include "source/program.h"

struct execs;

/* NULL after fail(): not permitted, or this kernel cannot. */
struct execs *execs_open(void);
void execs_close(struct execs *execs); /* NULL is allowed */

void execs_take(struct execs *execs);

/* Adds the program of an earlier process, read from /proc now; does nothing if the kernel has told a program. */
void execs_learn(struct execs *execs, int32_t pid, const struct program *program);

/*
 * Finds the program and arguments that the process began at `ts` (CLOCK_MONOTONIC), give or take a millisecond; EXECS_LAST: those that it began
 * last, or its parent before the fork. False: not known. If *has_group, program->group is its control group then; the title stays as it was.
 */
#define EXECS_LAST INT64_MAX
bool execs_find(struct execs *execs, int32_t pid, int64_t ts, struct program *program, bool *has_group);

/* Finds the program of a process at this time. `own`: only one that it began itself, because a thread, too, would have its maker's program. */
bool execs_find_then(struct execs *execs, int32_t pid, int64_t ts, bool own, struct program *program, bool *has_group);

/* Tells whether the process began a program after this time: what /proc says of it now is of that one, or of a later one. */
bool execs_follow(struct execs *execs, int32_t pid, int64_t ts);

/* The process `parent` made `child` at this time: the child runs the same program until it begins another. */
void execs_fork(struct execs *execs, int32_t parent, int32_t child, int64_t ts);

#endif
