/*
 * early_waits: for whom a thread has waited since before the trace: the process that has the lock of a file, or the one at the other end of the
 * socket or pipe from which the thread wants data. No event tells of either as long as that process hangs, too.
 *
 *	waits = early_waits_new(writer, stream, clock, locks)
 *	early_waits_tell(waits, tid, process, &call, ts)	each such thread
 *	early_waits_free(waits)
 *
 * The other end is known of pipes, of sockets of this machine (AF_UNIX) in our network namespace, and of TCP within one network namespace between
 * two ends with one address.
 */
#ifndef SOURCE_EARLY_WAITS_H
#define SOURCE_EARLY_WAITS_H

#include <stdbool.h>

#include "base/proc.h"
#include "source/clock.h"
#include "source/event_writer.h"
#include "stream/stream.h"

struct early_waits;

/* All must outlive the waits. `locks`: events of locks are wanted, so the stream has the format of filelock:holder. */
struct early_waits *early_waits_new(struct event_writer *writer, struct stream *stream, const struct trace_clock *clock, bool locks);
void early_waits_free(struct early_waits *waits); /* NULL is allowed */

/*
 * The thread of this process has slept in this call since before ts, when tracing began. Behind the event of the call, if the stream has one:
 * writes who has the lock as a filelock:holder event; and a `traced` record with `peer`, behind the name of that process at ts, if another process
 * alone has the other end open. The same of that process, if it has one thread, and so on. Nothing is told of other ends if a tenth of a second is too
 * short to look at the files of all processes, or if we may not look at those of one. -1 after fail().
 */
int early_waits_tell(struct early_waits *waits, int32_t tid, int32_t process, const struct proc_call *call, int64_t ts);

#endif
