/*
 * machine_facts: facts about a machine: its hardware, kernel, the job's program and package, the disk of the working directory, the route; and its
 * settings, as records of each run. They are features, too, because slow runs may share an outdated program or a slow link. Unknown facts are
 * left out.
 *
 *	machine = machine_facts_new(job, live, complain);
 *	machine_facts_write(machine, "k:b:1.0:7", stream, &times);	behind each run
 *	machine_facts_free(machine);
 *
 * While a stream goes on, they may change. A process that has kept the rights for that reads them again, at the first run that ended after the
 * last reading. A changed fact holds for runs that began behind that reading.
 */
#ifndef RUN_MACHINE_FACTS_H
#define RUN_MACHINE_FACTS_H

#include <stdbool.h>

#include "run/run_build.h"

struct machine_facts;

/* `live`: they are read again. Each complaint is a sentence about a file that cannot be read. NULL after fail(): libaugeas has no such lens. */
struct machine_facts *machine_facts_new(const struct job *job, bool live, void (*complain)(const char *text));
void machine_facts_free(struct machine_facts *machine); /* NULL: nothing */

/* Writes those of a run. 0; -1 after fail(). */
int machine_facts_write(struct machine_facts *machine, const char *run, struct stream *stream, const struct run_times *times);

#endif
