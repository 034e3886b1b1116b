/*
 * traced: the `traced` records of a stream (tailblame-stream(5)), which tell whose latencies are to be measured.
 */
#ifndef SOURCE_TRACED_H
#define SOURCE_TRACED_H

#include "source/process.h"
#include "stream/stream.h"

/* Writes who is a member now. Nothing where everybody is. -1 after fail(). */
int traced_write_all(const struct process *process, struct stream *stream);

/* Writes that this thread has become a member, or is one no more. -1 after fail(). */
int traced_write(const struct process *process, struct stream *stream, int32_t tid);

/* Writes that this thread was in its call before the trace began, at `ts`; see within.h. -1 after fail(). */
int traced_write_within(struct stream *stream, int32_t tid, int64_t ts);

/* Takes in what such a record tells. -1 after fail(): it is malformed. */
int traced_read(struct process *process, const struct fields *fields);

#endif
