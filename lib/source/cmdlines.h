/*
 * cmdlines: names of threads that ran lately and are no more, as the kernel's tracing remembers them.
 */
#ifndef SOURCE_CMDLINES_H
#define SOURCE_CMDLINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A copy of the kernel's list. All zero is an empty one. */
struct cmdlines {
	char *text;
	bool final; /* of a recording: there is no more to learn from this machine's tracing */
	int64_t next; /* when it may be read again, by CLOCK_MONOTONIC */
};

/* The thread's name. The list is long, so it is read at most ten times a second. false: unknown. */
bool cmdlines_find(struct cmdlines *cmdlines, int32_t tid, char *comm, size_t room);
void cmdlines_free(struct cmdlines *cmdlines);

#endif
