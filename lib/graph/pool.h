/*
 * pool: threads of one process whose names differ only in their numbers, such as worker-1 and worker-2. What each of them did
 * alike ("worker-1: running", "worker-2: running") their pool did ("worker-*: running").
 *
 * Names of nodes say nothing of processes: that is for the caller to look at.
 */
#ifndef GRAPH_POOL_H
#define GRAPH_POOL_H

#include <stdbool.h>

/* The name with '*' for each number of its thread's name; NULL: no thread with a number in its name did that. The caller frees it. */
char *pool_family(const char *name);

/* What two names of one family have in common: numbers that are the same stay. The first may be such a result. The caller frees it. */
char *pool_join(const char *pool, const char *name);

/* Whether a name is this one, or of one of the threads for which the '*' in it stands. */
bool pool_has(const char *pool, const char *name);

#endif
