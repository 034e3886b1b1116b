/*
 * known: what is known of this machine, its facts and settings, as records of each run.
 *
 *	known = known_new(job, live, complain);
 *	known_write(known, "k:b:1.0:7", stream, end, now);	behind each run
 *	known_free(known);
 *
 * While a stream goes on, they may change: then a process reads them again, which has kept the rights for that, for the first run that
 * ended after the last reading. What this reading has otherwise than the one before is unknown for the runs in between.
 */
#ifndef RUN_KNOWN_H
#define RUN_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "run/job.h"
#include "stream/stream.h"

struct known;

/* `live`: they are read again. Each complaint is a sentence about a file that cannot be read. NULL after fail(): libaugeas has no such lens. */
struct known *known_new(const struct job *job, bool live, void (*complain)(const char *text));
void known_free(struct known *known); /* NULL: nothing */

/* Writes those of a run that ended at `end`, now: times of the stream. 0; -1 after fail(). */
int known_write(struct known *known, const char *run, struct stream *stream, int64_t end, int64_t now);

#endif
