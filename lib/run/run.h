/*
 * run: one run of the job's program while its events come, and its records when it is over.
 *
 * A run ends with the last event of its process' own threads. What children enter after an event of these is kept apart, and counts
 * only when another such event comes: a daemon left behind does not count.
 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "run/process_tree.h"
#include "stream/stream.h"

enum { RUN_NAME_ROOM = 256 };

struct run {
	struct run *next;
	struct run_process *process;
	int64_t begin, end;	    /* ns; of its first and last event */
	char program[RUN_NAME_ROOM];
	bool partial;		    /* it began before the data */
	bool seen;		    /* `begin` and `end` are set */
	bool closed;		    /* all its threads have ended */
	bool has_exit;
	uint8_t exit;
	uint8_t sent;		    /* of a light run: the last deadly signal that was sent to it; 0: none */
	uint32_t awaited;	    /* closed: calls of children that count and did not return yet */
	struct tally *sums;
	struct tally *later;	    /* of children, since `end` */
};

struct run *run_new(struct run_process *process, const char *program);
void run_free(struct process_tree *tree, struct run *run);

/* An event of a thread of its process. */
void run_event(struct run *run, int64_t ts);

/* Where a call counts that this process enters now; NULL: nowhere. */
struct tally *run_entry(struct run *run, const struct run_process *process);

/* Where the return of a call counts that was entered then; NULL: nowhere. */
struct tally *run_return(struct run *run, const struct run_process *process, int64_t entered);

/* Of all runs of a stream. */
struct run_labels {
	const char *node, *boot, *job; /* "": unknown */
	bool childless;		       /* calls of children are missing */
	bool light;		       /* all calls are */
};

/* The id of a run, or of what else a node sends, begins with the node's name, cut after RUN_ID_NODE bytes, and a colon. */
enum { RUN_ID_NODE = 200 };
bool run_id_is_of(const char *id, const char *node);

/* Writes `run` and `features`; `id` (RUN_ID_ROOM) is set to the run's. 0; -1 after fail(). */
enum { RUN_ID_ROOM = 320 };
int run_write(const struct run *run, const struct run_labels *labels, bool complete, const struct calls *calls, struct stream *stream, char *id);

#endif
