/*
 * asker: reads the program of a process from /proc without being held up.
 *
 * The command line of a process lies in its own memory. A reader waits while that memory is being changed, or for the disk if it was
 * swapped out: perhaps for the very trouble that is looked into. So a separate thread reads, and a caller waits at most a tenth of a second
 * for it. If that was too short, calls return at once until the thread is back and a second is over. Several threads may ask.
 */
#ifndef SOURCE_ASKER_H
#define SOURCE_ASKER_H

#include <stdbool.h>
#include <stdint.h>

#include "source/clock.h"
#include "source/program.h"

struct asker;

/* The clock must outlive the asker. NULL after fail(). */
struct asker *asker_start(const struct trace_clock *clock);

/* The program of the process of this thread, and the time when it was read, by the trace clock. False: not known. */
bool asker_ask(struct asker *asker, struct program *program, int64_t *read, int32_t tid, int32_t pid);

/* The thread does this chore, too, ten times a second, when nobody asks. The chore may wait for a process. */
void asker_often(struct asker *asker, void (*chore)(void *context), void *context);

int32_t asker_tid(const struct asker *asker); /* of its thread */
bool asker_end(struct asker *asker);	      /* NULL is allowed. False: its thread still waits; it ends with our process */

#endif
