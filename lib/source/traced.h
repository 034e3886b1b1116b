/*
 * traced: the `traced` records of a stream (tailblame-stream(5)), which name the threads whose latencies are to be measured.
 */
#ifndef SOURCE_TRACED_H
#define SOURCE_TRACED_H

#include "source/process.h"
#include "stream/stream.h"

/* Writes the present members; nothing if all threads are members. -1 after fail(). */
int traced_write_all(const struct process *process, struct stream *stream);

/* Writes that this thread has become a member, or has ceased to be one. -1 after fail(). */
int traced_write(const struct process *process, struct stream *stream, int32_t tid);

/* Writes that this thread was in its call before the trace began, at `ts`; see source/follow.h. -1 after fail(). */
int traced_write_within(struct stream *stream, int32_t tid, int64_t ts);

/* Writes which process is that of the user's command. -1 after fail(). */
int traced_write_command(struct stream *stream, int32_t pid);

/* Reads such a record into the members. -1 after fail(): it is malformed. */
int traced_read(struct process *process, const struct fields *fields);

#endif
