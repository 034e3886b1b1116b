/*
 * question: how a cchart-filter asks a recorder (source/recorder.h) for events that were left in the kernel.
 *
 * The stream's `recorder` record says where: `socket`, a name in the abstract namespace; `pipe`, the inode of the pipe
 * that the stream was written to, for only who reads that very pipe may call; `events`, which ones may stay in the kernel.
 * Whoever does not call gets all events in the stream. Behind the call another `recorder` record says since when, `ts`, the
 * stream lacks them. A last one, with `until`, says that no events will come: it is time for the last questions. The end of
 * the pipe would not do, for others may hold it open until the recorder ends.
 *
 * Then each question gets a binary stream as its answer: a `recorder` record with `floor`, the newest time before
 * or at which such an event may have been dropped (absent: none); then `task`, `event` and `lost` records in the order of
 * time, from `from` on and before `to`; then a `tick` with the time before which there is nothing more to tell, and how many events were kept so far. What was told
 * once, or lies before it, is not told again.
 */
#ifndef SOURCE_QUESTION_H
#define SOURCE_QUESTION_H

#include <stdint.h>

struct recorder_question {
	int64_t from, to; /* nanoseconds of the trace clock */
};

#endif
