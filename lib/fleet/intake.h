/*
 * intake: puts the runs of streams into an outbox, each when all of it has come: at the next run, a tick, or the stream's end; and excerpts of
 * moments.
 */
#ifndef FLEET_INTAKE_H
#define FLEET_INTAKE_H

#include "fleet/outbox.h"

/*
 * Reads these files, or standard input. `most`: ends after this number of runs; 0: at the end. `added`, unless it is NULL, is called for each run that
 * is in the outbox, with the number of runs so far. The exit status; fail_text() is the message to print, or "".
 */
int intake_run(char *const *files, int count, struct outbox *outbox, uint64_t most, void (*added)(void *context, uint64_t runs), void *context);

/*
 * Reads a ranked stream from standard input, and puts excerpts of it (fleet/excerpt.h) into the outbox, a few hundred kilobytes each, which
 * are named after the machine, `name` and their number. The exit status, as above; 3 also where an excerpt was too large.
 */
int intake_moments(struct outbox *outbox, const char *node, const char *name);

#endif
