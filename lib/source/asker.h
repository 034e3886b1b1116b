/*
 * asker: asks the kernel what a process runs, without being held up by it.
 *
 * A process' command line lies in its own memory. A reader may have to wait while that memory is being changed, or for the disk if it was
 * swapped out: for the very trouble that is looked into, perhaps. So a thread of its own reads, and a caller
 * waits for it a tenth of a second at most; if that was too short, nobody asks again until it has come back and a second is
 * over. Several threads may ask.
 */
#ifndef SOURCE_ASKER_H
#define SOURCE_ASKER_H

#include <stdbool.h>
#include <stdint.h>

#include "source/clock.h"
#include "source/program.h"

struct asker;

/* The clock must stay. NULL after fail(). */
struct asker *asker_start(const struct trace_clock *clock);

/* What the process of this thread runs, and when that was read, by the trace clock. False: not known. */
bool asker_ask(struct asker *asker, struct program *program, int64_t *read, int32_t tid, int32_t pid);

/* Its thread does this, too, ten times a second, when nobody asks; it may wait for a process as the answers may. */
void asker_often(struct asker *asker, void (*chore)(void *context), void *context);

int32_t asker_tid(const struct asker *asker); /* of the thread that reads */
bool asker_end(struct asker *asker);	      /* NULL is allowed. False: its thread still waits, and ends with the process */

#endif
