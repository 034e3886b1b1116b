/*
 * locks: the process that has the lock of a file, by /proc/locks, and the path of the file, when a thread tries in vain to get the lock.
 *
 * An event tells that the try failed, or that the thread has to wait, and the file's device and inode. The holder may have got the lock long before
 * the trace. So the kernel's list is read when the event is written, and the stream gets an event filelock:holder behind it, of the thread
 * that tried. Its fields are the process that has the lock (pid), the file and the range as in the kernel's event, the file's path, and how
 * long after the try the list was read (late).
 *
 *	locks_format(stream)	the event's format
 *	locks = locks_new(clock)
 *	locks_see(locks, ...)	each such event of the kernel
 *	locks_free(locks)
 */
#ifndef SOURCE_LOCKS_H
#define SOURCE_LOCKS_H

#include "source/clock.h"
#include "source/layout.h"
#include "source/ring.h"
#include "source/threads.h"
#include "stream/stream.h"

struct locks;

/* The clock must outlive the locks. */
struct locks *locks_new(const struct trace_clock *clock);
void locks_free(struct locks *locks); /* NULL is allowed */

/* A `format` record. -1 after fail(). */
int locks_format(struct stream *stream);

/*
 * The thread, of process `pid`, has slept since before ts in this call for `fd`. If it waits for the file's lock, writes who has the lock.
 * -1 after fail().
 */
int locks_within(struct stream *stream, struct threads *threads, int32_t tid, int32_t pid, long call, int32_t fd, int64_t ts);

/*
 * The ring stands at an event of a try, which is in the stream. Writes who has the lock, after that thread's name, if the try failed, and this file
 * was not looked up in the last tenth of a second; a long list is read more rarely (locks.c). -1 after fail().
 */
int locks_see(struct locks *locks, struct stream *stream, struct threads *threads, const struct layout *layout, const struct ring *ring, int32_t tid);

#endif
