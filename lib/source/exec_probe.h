/*
 * exec_probe: the command line of each program that begins. A BPF program copies it at sched_process_exec, so that it is known
 * even if the program ends before anybody can read /proc. It costs 1.4 us for each program that begins (640 of them, by the kernel's own
 * count), and nothing else.
 * Trace events cannot do it: none has the command line, and at the entry of execve() its pages may not be in memory.
 */
#ifndef SOURCE_EXEC_PROBE_H
#define SOURCE_EXEC_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct exec_probe;

struct exec_seen {
	int64_t ts; /* CLOCK_MONOTONIC */
	int32_t pid;
	uint64_t group;	    /* the control group of the second version's tree: the inode of its directory */
	const char *comm;   /* the name that the kernel gives it; valid during the call, as the line is */
	const char *line;   /* words that end with NUL; valid during the call */
	size_t length;
	bool whole; /* it was not cut */
};

/* NULL after fail(): not permitted, or not possible with this kernel. */
struct exec_probe *exec_probe_open(void);
void exec_probe_close(struct exec_probe *probe); /* NULL is allowed */

/* Calls `sink` for each program that began since the last call, nearly in the order of time. */
typedef void exec_sink(void *context, const struct exec_seen *seen);
void exec_probe_take(struct exec_probe *probe, exec_sink *sink, void *context);

#endif
