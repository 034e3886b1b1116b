/*
 * who: which process a thread was of at a certain time, by `task` records, which may come before and after that time.
 *
 * What a process ran was read later than the event for which a record was written. Where a record says that another program
 * was begun in between, it is void; and of a thread that went by another name nothing is told. So what is told is right, unless
 * a record that would void it was lost, or has not come yet.
 */
#ifndef REPORT_WHO_H
#define REPORT_WHO_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/graph.h"
#include "stream/line.h"

/* A process. All zero: not known. */
struct identity {
	int32_t pid;
	char *program, *cgroup; /* "" where not known; not of both */
};

struct who;

struct who *who_new(void);
void who_free(struct who *who);
void who_forget(struct who *who); /* another stream begins */

/* Takes a `task` record. -1 after fail(). */
int who_task(struct who *who, const struct fields *fields);

/*
 * The process of the thread at this time, if it went by this name, cleaned (words_clean). False: not known. The texts are the
 * table's, until its next record.
 */
bool who_find(const struct who *who, int32_t tid, int64_t at, const char *name, struct identity *identity);

/* Of how many processes the threads are who did this deed, or that pool's; of one, *identity is a copy. 0: not known. */
uint64_t who_of_nodes(const struct who *who, const struct graph *graph, const struct deed *deed, struct identity *identity);

struct identity identity_copy(const struct identity *identity);
void identity_free(struct identity *identity);

/* "process 2220, python3 /srv/batch/rollup.py, of rollup.service"; the caller frees it. */
char *identity_words(const struct identity *identity);

#endif
