/*
 * early_state: what a process does when tracing begins. Events tell only what changes, so of a process that hangs they never tell. The keys takes,
 * stopped and call of a `traced` record do (tailblame-stream(5)).
 */
#ifndef SOURCE_EARLY_STATE_H
#define SOURCE_EARLY_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/proc.h"
#include "stream/line.h"

struct early_state {
	struct proc_stat stat;
	bool asleep;	       /* its first thread sleeps in a call: */
	struct proc_call call;
};

/* False: the process is gone. */
bool early_state_look(struct early_state *state, int32_t pid);

bool early_state_alone(const struct early_state *state); /* it has one thread */
bool early_state_stopped(const struct early_state *state); /* by a signal, or a tracer */

/* Adds the keys to a record. */
void early_state_tell(const struct early_state *state, struct line *line);

#endif
