/*
 * recorder_question: how a cchart-filter asks a recorder (source/recorder.h) for events that were left in the kernel.
 *
 * The stream's `recorder` record says where: `socket` is a name in the abstract namespace; `pipe` is the inode of the pipe that the stream
 * is written to, because only the reader of that pipe may call; `events` lists the events that may stay in the kernel. A reader that does
 * not call gets all events in the stream. After the call another `recorder` record says since when (`ts`) the stream lacks them. A last
 * one, with `until`, says that no events will come: it is time for the last questions. The end of the pipe cannot say that, because others
 * may hold the pipe open until the recorder ends.
 *
 * The answer to a question is a binary stream. It begins with a `recorder` record with `floor`: kept events at or before that time may have been
 * dropped (absent: none was). Then come `task`, `event` and `lost` records in the order of time, from `from` on and before `to`. It ends with
 * a `tick` with the time up to which all was sent, and the number of events kept so far. An event that was sent, and all before it, are not
 * sent again.
 */
#ifndef SOURCE_RECORDER_QUESTION_H
#define SOURCE_RECORDER_QUESTION_H

#include <stdint.h>

struct recorder_question {
	int64_t from, to; /* nanoseconds of the trace clock */
};

#endif
