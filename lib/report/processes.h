/*
 * processes: sentences about the processes behind the names of a story: those of the chain, of the first lines of blame, and of the slow thread.
 * "postgres/310 is postgres: shop idle in transaction, of db.service". There is no sentence about a process that is not known, or whose name
 * says it all.
 */
#ifndef REPORT_PROCESSES_H
#define REPORT_PROCESSES_H

#include "base/memory.h"
#include "model/story.h"

struct processes {
	ARRAY(char *) sentences; /* one for each process, in the order of the chain, then of blame */
};

/* Makes the sentences, with those of the first `culprits` lines of blame. */
void processes_find(struct processes *processes, const struct story *story, size_t culprits);
void processes_free(struct processes *processes);

#endif
