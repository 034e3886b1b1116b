/*
 * processes: the processes behind the names of a story: those of the chain, of the first lines of blame, and of the thread that was slow.
 * "postgres/310 is postgres: shop idle in transaction, of db.service". A process that is not known has no sentence, nor has one whose name
 * says it all.
 */
#ifndef REPORT_PROCESSES_H
#define REPORT_PROCESSES_H

#include "base/memory.h"
#include "model/story.h"

struct processes {
	ARRAY(char *) sentences; /* a process each, in the order of the chain, then of blame */
};

/* Of the first `culprits` lines of blame. */
void processes_find(struct processes *processes, const struct story *story, size_t culprits);
void processes_free(struct processes *processes);

#endif
