/*
 * stages: the pipe that a collector stands in, written into the stream, so that readers do not take the pipe's own work for somebody
 * else's.
 *
 * The next stage are the processes whose standard input is the pipe that the collector writes to; behind these there may be others. The
 * shell may start them later than the collector, so they are looked for several times. Without privileges, processes of other users cannot
 * be looked at, and are not found.
 */
#ifndef SOURCE_STAGES_H
#define SOURCE_STAGES_H

#include "base/memory.h"
#include "stream/stream.h"

struct stages {
	ARRAY(int32_t) told;
	int looks;
	int64_t looked; /* when, by the caller's clock */
};

/* Writes a `stage` record of each thread or process (0: none) that none was written of yet. -1 after fail(). */
int stages_tell(struct stages *stages, struct stream *stream, const int32_t *tids, size_t count);

/* The same of those behind the output, if it is time for another look: `now` in nanoseconds. */
int stages_look(struct stages *stages, struct stream *stream, int output, int64_t now);

void stages_free(struct stages *stages);

#endif
