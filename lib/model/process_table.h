/*
 * process_table: the process that a thread was of at a certain time, by `task` records, which may come before and after that time.
 *
 * The collector reads the program of a process from /proc some time after the event that a record is about. If another record says
 * that another program began in between, the first record is void. If the thread went by another name, its process is unknown. So an answer is
 * right, unless a record that would void it was lost or has not come yet.
 */
#ifndef MODEL_PROCESS_TABLE_H
#define MODEL_PROCESS_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/graph.h"
#include "stream/fields.h"

/* A process. All zero: not known. */
struct identity {
	int32_t pid;
	char *program, *cgroup; /* "" where not known; not of both */
	char *script;		/* the name of the file that an interpreter runs; "": none */
	char *title;		/* what the process called itself; "": nothing */
	bool mostly;		/* others did a part of what it did, too */
	size_t shared;		/* bytes of the group that are the parent, or the group, of all processes that are known */
};

struct process_table;

struct process_table *process_table_new(void);
void process_table_free(struct process_table *who);
void process_table_forget(struct process_table *who); /* another stream begins */

/* Takes a `task` record. -1 after fail(). */
int process_table_task(struct process_table *who, const struct fields *fields);

/*
 * The process of the thread at this time, if it went by this name, cleaned (display_clean), with the script or without. False: not known. The texts are the
 * table's, until its next record.
 */
bool process_table_find(const struct process_table *who, int32_t tid, int64_t at, const char *name, struct identity *identity);

/* The processes whose threads did a deed. */
struct doers {
	uint64_t processes;	  /* how many; 0: it is not known of all threads */
	struct identity identity; /* of the one that did it for most of the time, a copy; pid 0: none did, or it is not known */
};
struct doers process_table_of_nodes(const struct process_table *who, const struct graph *graph, const struct deed *deed);
struct doers process_table_for_nodes(const struct process_table *who, const struct graph *graph, const struct deed *deed); /* the same, for whom it was done */

struct identity identity_copy(const struct identity *identity);
void identity_free(struct identity *identity);

/*
 * Of a thread or pool of this name: "process 2220, python3 /srv/batch/rollup.py, of rollup.service", without a program that is the name;
 * "process 301, postgres: shop idle in transaction" where it has a title.
 */
char *identity_words(const struct identity *identity, const char *name);

/*
 * "python3 is process 2220, python3 /srv/batch/rollup.py, of rollup.service", or with the number of its thread "python3/2221 is of
 * process 2220, ...". NULL: name and number say it all. The caller frees it, and the words above.
 */
char *identity_sentence(const struct identity *identity, const char *name, int32_t tid);

#endif
