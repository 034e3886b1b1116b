/*
 * stages: writes the threads of the collector's own pipe into the stream, so that readers can tell the pipe's work from that of others.
 *
 * The next stage are the processes whose standard input is the pipe that the collector writes to; others may follow these. The shell may
 * start them later than the collector, so stages_look() looks several times. Without privileges it does not find processes of other users.
 */
#ifndef SOURCE_STAGES_H
#define SOURCE_STAGES_H

#include "base/memory.h"
#include "stream/stream.h"

struct stages {
	ARRAY(int32_t) told;
	int looks;
	int64_t looked; /* time of the last look, by the caller's clock */
};

/* Writes a `stage` record for each of these threads or processes that has none yet; 0 stands for none. -1 after fail(). */
int stages_tell(struct stages *stages, struct stream *stream, const int32_t *tids, size_t count);

/* The same for the stages behind the output, if it is time for another look; `now` is in nanoseconds. */
int stages_look(struct stages *stages, struct stream *stream, int output, int64_t now);

void stages_free(struct stages *stages);

#endif
