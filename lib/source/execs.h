/*
 * execs: the command lines with which processes began, by the kernel's word (exec_probe.h), also of processes that ended since. A program may
 * write over its command line; execs keeps the first one.
 *
 *	execs = execs_open()
 *	execs_take(execs)		now and then, before the ring is full
 *	execs_learn(execs, pid, ...)	of those that began before
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
 * The program and arguments that the process began at `ts` (CLOCK_MONOTONIC), give or take a millisecond; EXECS_LAST: that it began last, or its
 * parent did before the fork. False: not known. Sets program->group to its control group then, if *has_group; leaves the title alone.
 */
#define EXECS_LAST INT64_MAX
bool execs_find(struct execs *execs, int32_t pid, int64_t ts, struct program *program, bool *has_group);

/* The program of a process at this time. `own`: only if it is known to be a process; a thread else has the program of its parent. */
bool execs_find_then(struct execs *execs, int32_t pid, int64_t ts, bool own, struct program *program, bool *has_group);

/* Tells whether the process began a program after this time: what /proc says of it now is of that one, or of a later one. */
bool execs_follow(struct execs *execs, int32_t pid, int64_t ts);

/* A process made another at this time: that one runs the same until it begins another program. */
void execs_fork(struct execs *execs, int32_t parent, int32_t child, int64_t ts);

#endif
