/*
 * process_tree: threads, their processes, and which process made which, so that a call counts for the run that its thread belongs to.
 *
 * A parent is known by sched_process_fork, or by the result of clone or vfork, which may come after the child's end. So a process
 * without known parent keeps sums (tally.h) of its calls, which join those of a run when the parent becomes known. The last 4096 threads
 * that ended are kept (base/exited_tids.h).
 *
 * Used by run_build.c, which fills in the calls of threads, and by run.c and run_list.c.
 */
#ifndef RUN_PROCESS_TREE_H
#define RUN_PROCESS_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

#include "base/exited_tids.h"
#include "run/tally.h"

struct run;

struct run_process {
	int32_t tgid;
	struct run_process *parent;	/* NULL: unknown */
	struct run_process *before;	/* the same process before it executed the job's program; NULL: it did not execute it */
	struct run *run;	/* NULL: none is known */
	struct tally *sums;	/* its calls while it had no run */
	uint32_t live;		/* threads that have not ended */
	bool muted;		/* its run is over: its calls count for no run */
	bool exiting;		/* exit_group() was entered: the other threads end at their next event */
	bool asked;		/* its name was compared with that of the job's program */
	uint32_t refs;
	struct run_process *prev, *next; /* in the list of all */
	UT_hash_handle hh;
};

struct run_thread {
	int32_t tid;
	struct run_process *process;
	int64_t first;			/* time of its first event, ns */
	bool gone;			/* the thread ended */
	/* its calls */
	const struct call *open;	/* entered and not returned; NULL: none */
	const struct call *before;	/* the last call that was entered */
	int64_t entered, returned;	/* when `open` was entered; when `before` returned, if has_returned */
	bool has_returned;
	bool makes_thread;		/* `open` makes a thread of the same process */
	bool idle;			/* the thread is in no call, since `since` */
	int64_t since;
	UT_hash_handle hh;
};

struct process_tree {
	struct run_thread *threads;	  /* hash by tid */
	struct run_process *processes; /* hash by tgid: the newest process with each number */
	struct run_process *all;	  /* list of all processes with a reference */
	struct birth *births;	  /* hash by tid: the process whose thread or child the next thread with this number is */
	struct exited_tids exited;
};

void process_tree_free(struct process_tree *tree);

/* The live thread with this tid; makes one if there is none. `tgid` 0: unknown. */
struct run_thread *process_tree_thread(struct process_tree *tree, int32_t tid, int32_t tgid, int64_t ts);
struct run_thread *process_tree_find(const struct process_tree *tree, int32_t tid); /* finds an ended thread, too; NULL: none */

/* The next thread with this tid is new: a thread of `process` (is_thread), or of a child of it. */
void process_tree_born(struct process_tree *tree, int32_t tid, struct run_process *process, bool is_thread);

/* The thread executes the job's program: it gets a new process. A parent may still claim the former one. */
struct run_process *process_tree_renew(struct process_tree *tree, struct run_thread *thread);

/* The thread ended. */
void process_tree_end(struct process_tree *tree, struct run_thread *thread);

/*
 * Notes that the thread belongs to `parent` (is_thread), or that the thread's process is a child of it. Returns the process that joined, which
 * the caller releases with process_unref(). NULL: none joined, such as when the parent was known already.
 */
struct run_process *process_tree_adopt(struct process_tree *tree, struct run_thread *thread, struct run_process *parent, bool is_thread);

void process_ref(struct run_process *process);
void process_unref(struct process_tree *tree, struct run_process *process); /* NULL: does nothing */

#endif
