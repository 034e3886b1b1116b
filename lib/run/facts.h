/*
 * facts: what a machine is: its hardware, kernel, the job's program and package, the disk of the working directory, the route.
 * They are features, too, for an outdated program or a slow link may be what slow runs share.
 */
#ifndef RUN_FACTS_H
#define RUN_FACTS_H

#include "run/job.h"
#include "stream/stream.h"

struct facts;

/* Reads those of this machine; asks dpkg or rpm for the package of the job's program. Unknown facts are left out. */
struct facts *facts_read(const struct job *job);
void facts_free(struct facts *facts);

/* Writes them as a `features` record of this run: 0; -1 after fail(). NULL has none. */
int facts_write(const struct facts *facts, const char *run, struct stream *stream);

#endif
