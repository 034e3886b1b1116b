/*
 * program_reader: reads the program of a process from /proc without being held up.
 *
 * The command line of a process lies in its own memory. A reader waits while that memory is being changed, or for the disk if it was
 * swapped out: perhaps for the very trouble that is looked into. So a separate thread reads, and a caller waits at most a tenth of a second
 * for it. If that was too short, calls return at once until the thread is back and a second is over. Several threads may ask.
 */
#ifndef SOURCE_PROGRAM_READER_H
#define SOURCE_PROGRAM_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "source/clock.h"
#include "source/program.h"

struct program_reader;

/* The clock must outlive the program_reader. NULL after fail(). */
struct program_reader *program_reader_start(const struct trace_clock *clock);

/* Reads the program of the process of this thread; *read is the time of reading, by the trace clock. False: not known. */
bool program_reader_read(struct program_reader *reader, struct program *program, int64_t *read, int32_t tid, int32_t pid);

/* From now on the reader's thread also does this chore, ten times a second, when nobody asks. The chore may wait for a process. */
void program_reader_often(struct program_reader *reader, void (*chore)(void *context), void *context);

int32_t program_reader_tid(const struct program_reader *reader); /* of its thread */
bool program_reader_end(struct program_reader *reader);	      /* NULL is allowed. False: its thread still waits; it ends with our process */

#endif
