/*
 * facts: what a machine is: its hardware, kernel, the job's program and package, the disk of the working directory, the route.
 * They are features, too, for an outdated program or a slow link may be what slow runs share.
 */
#ifndef RUN_FACTS_H
#define RUN_FACTS_H

#include "run/job.h"
#include "stream/line.h"

struct facts;

/*
 * Reads those of this machine; asks dpkg or rpm for the package of the job's program, if it is another one than `before` (NULL: nothing) was read.
 * Unknown facts are left out.
 */
struct facts *facts_read(const struct job *job, const struct facts *before);
void facts_free(struct facts *facts); /* NULL: nothing */

/* Appends them as a `features` record has them. */
void facts_spell(const struct facts *facts, struct line *line);

#endif
