/*
 * known: what is known of this machine, its facts and settings, as records of each run.
 *
 *	known = known_new(job, live, complain);
 *	known_write(known, "k:b:1.0:7", stream, &times);	behind each run
 *	known_free(known);
 *
 * While a stream goes on, they may change: then a process reads them again, which has kept the rights for that, for the first run that
 * ended after the last reading. What is otherwise than before is known of runs that began behind that reading.
 */
#ifndef RUN_KNOWN_H
#define RUN_KNOWN_H

#include <stdbool.h>

#include "run/run_build.h"

struct known;

/* `live`: they are read again. Each complaint is a sentence about a file that cannot be read. NULL after fail(): libaugeas has no such lens. */
struct known *known_new(const struct job *job, bool live, void (*complain)(const char *text));
void known_free(struct known *known); /* NULL: nothing */

/* Writes those of a run. 0; -1 after fail(). */
int known_write(struct known *known, const char *run, struct stream *stream, const struct run_times *times);

#endif
