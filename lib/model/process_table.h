/*
 * process_table: finds the process to which a thread belonged at a certain time, from `task` records, which may come before and after that time.
 *
 * The collector reads the program of a process from /proc some time after the event that a record is about. If another record says
 * that another program began in between, the first record is void. If the thread had another name, its process is unknown. So an answer is
 * right, unless a record that would void it was lost or has not come yet.
 */
#ifndef MODEL_PROCESS_TABLE_H
#define MODEL_PROCESS_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/graph.h"
#include "stream/fields.h"

/* A process. All zero: unknown. */
struct identity {
	int32_t pid;
	char *program, *cgroup; /* "": unknown; at most one of the two is */
	char *script;		/* the name of the file that an interpreter runs; "": none */
	char *title;		/* the title that the process gave itself; "": none */
	bool mostly;		/* other processes did a part of the deed, too */
	size_t shared;		/* bytes of the cgroup's path that it shares with the groups of all known processes */
};

struct process_table;

struct process_table *process_table_new(void);
void process_table_free(struct process_table *who);
void process_table_forget(struct process_table *who); /* empties the table for another stream */

/* Takes a `task` record. Returns 0; -1 after fail(). */
int process_table_task(struct process_table *who, const struct fields *fields);

/*
 * Finds the process of the thread at this time, if the thread had this name (cleaned by display_clean(), with or without its script). False: unknown.
 * The texts belong to the table, and are valid until its next record.
 */
bool process_table_find(const struct process_table *who, int32_t tid, int64_t at, const char *name, struct identity *identity);

/* Processes that did a deed, or for which it was done. */
struct doers {
	uint64_t processes;	  /* number of processes; 0: not known for all threads */
	struct identity identity; /* a copy of the process that did it for most of the time; pid 0: none did, or it is unknown */
};

/* The processes whose threads did the deed, and those for whose threads it was done. The caller frees the identity. */
struct doers process_table_of_nodes(const struct process_table *who, const struct graph *graph, const struct deed *deed);
struct doers process_table_for_nodes(const struct process_table *who, const struct graph *graph, const struct deed *deed);

struct identity identity_copy(const struct identity *identity);
void identity_free(struct identity *identity);

/*
 * The process of a thread or pool with this name, in words: "process 2220, python3 /srv/batch/rollup.py, of rollup.service", without the program if
 * that is the name; "process 301, postgres: shop idle in transaction" if it has a title. The caller frees it.
 */
char *identity_words(const struct identity *identity, const char *name);

/*
 * "python3 is process 2220, python3 /srv/batch/rollup.py, of rollup.service"; with the number of a thread, `tid` not 0, "python3/2221 is of
 * process 2220, ...". NULL: name and number say it all. The caller frees it.
 */
char *identity_sentence(const struct identity *identity, const char *name, int32_t tid);

#endif
