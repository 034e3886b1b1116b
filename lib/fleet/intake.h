/*
 * intake: puts runs and excerpts of moments into an outbox. A run is put when all of it has come: at the next run, a tick, or the stream's end.
 */
#ifndef FLEET_INTAKE_H
#define FLEET_INTAKE_H

#include "fleet/outbox.h"

/*
 * Reads runs from these files, or standard input. `most`: ends after this number of runs; 0: at the end. `added` (NULL: none) is called after
 * each run that was put, with the number of runs so far. Returns the exit status; fail_text() is the message to print, or "".
 */
int intake_run(char *const *files, int count, struct outbox *outbox, uint64_t most, void (*added)(void *context, uint64_t runs), void *context);

/*
 * Reads a ranked stream from standard input, and puts excerpts of it (fleet/excerpt.h) into the outbox, a few hundred kilobytes each. Their ids are
 * made of the machine, `name` and their number. Returns the exit status, as above; 3 also if an excerpt was too large.
 */
int intake_moments(struct outbox *outbox, const char *node, const char *name);

#endif
