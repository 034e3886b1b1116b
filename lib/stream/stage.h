/*
 * stage: a command that stands in the pipe that records lets others go first, so that it does not cause what it looks for. One that reads a saved
 * stream, or a stream of another machine, has no reason to: somebody waits for its answer.
 */
#ifndef STREAM_STAGE_H
#define STREAM_STAGE_H

#include "stream/stream.h"

/* From when the stream says that this process is a stage of the pipe that records it, the process has PRIORITY_LOW (base/priority.h). */
void stage_lets_others_first(struct stream *stream);

#endif
