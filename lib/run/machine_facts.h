/*
 * machine_facts: writes facts and settings of a machine as records of each run. Facts are its hardware and kernel, the job's program and package, the
 * disk of the job's directory, and the route. They are features, because slow runs may share an outdated program or a slow link. Unknown facts are
 * left out.
 *
 *	machine = machine_facts_new(job, live, complain);
 *	machine_facts_write(machine, "k:b:1.0:7", stream, &times);	after each run
 *	machine_facts_free(machine);
 *
 * In a live stream, facts and settings may change. For the first run that ended after the last reading, a child process, which keeps the rights for
 * that, reads them again. A changed one counts only for runs that began after the reading that found the change.
 */
#ifndef RUN_MACHINE_FACTS_H
#define RUN_MACHINE_FACTS_H

#include <stdbool.h>

#include "run/run_build.h"

struct machine_facts;

/*
 * `live`: the facts are read again while runs come. `complain` gets a sentence about each file that cannot be read. NULL after fail(), such as if
 * libaugeas has no such lens.
 */
struct machine_facts *machine_facts_new(const struct job *job, bool live, void (*complain)(const char *text));
void machine_facts_free(struct machine_facts *machine); /* NULL: does nothing */

/* Writes the facts and settings of a run. Returns 0; -1 after fail(). */
int machine_facts_write(struct machine_facts *machine, const char *run, struct stream *stream, const struct run_times *times);

#endif
