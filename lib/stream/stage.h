/*
 * stage: lowers the priority of a command in the pipe that records, so that the command does not cause the delays that it looks for. A command
 * that reads a saved stream, or a stream of another machine, keeps its priority: somebody waits for its answer.
 */
#ifndef STREAM_STAGE_H
#define STREAM_STAGE_H

#include "stream/stream.h"

/* Gives this process PRIORITY_LOW (base/priority.h) once the stream says that the process is a stage of the pipe that records the stream. */
void stage_lets_others_first(struct stream *stream);

#endif
