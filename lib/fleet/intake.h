/*
 * intake: puts the runs of streams into an outbox, each when all of it has come: at the next run, a tick, or the stream's end.
 */
#ifndef FLEET_INTAKE_H
#define FLEET_INTAKE_H

#include "fleet/outbox.h"

/*
 * Reads these files, or standard input. `most`: ends after so many runs; 0: at the end. `added`, unless it is NULL, is called for each run that
 * is in the outbox, with how many there were. The exit status; fail_text() is the message to print, or "".
 */
int intake_run(char *const *files, int count, struct outbox *outbox, uint64_t most, void (*added)(void *context, uint64_t runs), void *context);

#endif
