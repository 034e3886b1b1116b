/*
 * run: collects one run of the job's program while its events come, and writes its records when it is over.
 *
 * A run ends with the last event of its own process's threads. Calls that children enter after such an event are kept apart, and count
 * only when another event of its own process comes: a daemon that the run leaves behind does not count.
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
	int64_t begin, end;	    /* times of its first and last event, ns */
	char program[RUN_NAME_ROOM];
	bool partial;		    /* it began before the data */
	bool seen;		    /* `begin` and `end` are set */
	bool closed;		    /* all its threads have ended */
	bool has_exit;
	uint8_t exit;
	uint8_t sent;		    /* light runs: the last deadly signal that was sent to it; 0: none */
	uint32_t awaited;	    /* once closed: open calls of children that count when they return */
	struct tally *sums;
	struct tally *later;	    /* calls of children since `end` */
};

struct run *run_new(struct run_process *process, const char *program);
void run_free(struct process_tree *tree, struct run *run);

/* Notes an event of a thread of the run's own process: moves `end`, and counts the calls in `later`. */
void run_event(struct run *run, int64_t ts);

/* The tally for a call that this process enters now; NULL: the call counts nowhere. */
struct tally *run_entry(struct run *run, const struct run_process *process);

/* The tally for the return of a call that was entered at this time; NULL: the return counts nowhere. */
struct tally *run_return(struct run *run, const struct run_process *process, int64_t entered);

/* Labels that all runs of a stream share. */
struct run_labels {
	const char *node, *boot, *job; /* "": unknown */
	bool childless;		       /* calls of children are missing */
	bool light;		       /* all calls are missing */
};

/* An id that a node sends, of a run or otherwise, begins with the node's name, cut after RUN_ID_NODE bytes, and a colon. */
enum { RUN_ID_NODE = 200 };
bool run_id_is_of(const char *id, const char *node);

/* Writes the `run` and `features` records; sets `id` (RUN_ID_ROOM bytes) to the run's id. Returns 0; -1 after fail(). */
enum { RUN_ID_ROOM = 320 };
int run_write(const struct run *run, const struct run_labels *labels, bool complete, const struct calls *calls, struct stream *stream, char *id);

#endif
