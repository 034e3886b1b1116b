/*
 * within: the system calls in which the traced processes are since before the trace.
 *
 * The call of a process that hangs already began before the trace, so no event tells of it. /proc says what call each thread is in. If a
 * thread is in the same call when tracing is on, and did not run in between, the stream gets the event that the kernel would have written,
 * at the time when tracing began: the call has lasted since then, at least. A `traced` record with `within` names the thread.
 *
 *	within = within_look(process)	before tracing is on
 *	within_tell(within, ...)	when it is
 *	within_free(within)
 */
#ifndef SOURCE_WITHIN_H
#define SOURCE_WITHIN_H

#include <stdint.h>

#include "source/process.h"
#include "source/scribe.h"

struct within;

/* Looks at all members. Cannot fail: who may not be looked at, or runs, is left out. */
struct within *within_look(const struct process *process);

/* Writes `enter`, the event raw_syscalls:sys_enter, of each thread that was in its call from then on. -1 after fail(). */
int within_tell(const struct within *within, struct scribe *scribe, struct stream *stream, const struct wish *enter, int64_t ts);

void within_free(struct within *within); /* NULL is allowed */

#endif
