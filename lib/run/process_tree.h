/*
 * process_tree: threads, their processes, and which process made which: so that a call counts for the run that its thread belongs to.
 *
 * A parent is known by sched_process_fork, or by the result of clone or vfork, which may come after the child's end. So a process
 * without known parent keeps what it did until then: its sums (tally.h) join those of the run when the parent shows. Threads that
 * ended are kept for a while, the last 4096 of them (base/exited_tids.h).
 *
 * Used by run_build.c, which fills in the calls of threads, and by run.c.
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
	struct run_process *before;	/* the same process before it executed the job's program; NULL: it did not */
	struct run *run;	/* NULL: none that is known */
	struct tally *sums;	/* its calls while it had no run */
	uint32_t live;		/* threads that did not end */
	bool muted;		/* its run is over: its calls count for no run */
	bool exiting;		/* exit_group() was entered: the other threads end at their next event */
	bool asked;		/* whether its name is that of the job's program */
	uint32_t refs;
	struct run_process *prev, *next; /* in the list of all */
	UT_hash_handle hh;
};

struct run_thread {
	int32_t tid;
	struct run_process *process;
	int64_t first;			/* ns, of its first event */
	bool gone;			/* it ended */
	/* its calls */
	const struct call *open;	/* entered and not returned; NULL: none */
	const struct call *before;	/* the last that was entered */
	int64_t entered, returned;	/* of `open`; of `before` if it has_returned */
	bool has_returned;
	bool makes_thread;		/* `open` makes a thread of the same process */
	bool idle;			/* in no call, since `since` */
	int64_t since;
	UT_hash_handle hh;
};

struct process_tree {
	struct run_thread *threads;	  /* hash by tid */
	struct run_process *processes; /* hash by tgid: the newest of each number */
	struct run_process *all;	  /* list of those that somebody refers to */
	struct birth *births;	  /* hash by tid: whose thread or child the next thread of this number is */
	struct exited_tids exited;
};

void process_tree_free(struct process_tree *tree);

/* The thread of a number; made if there is none that lives. `tgid` 0: unknown. */
struct run_thread *process_tree_thread(struct process_tree *tree, int32_t tid, int32_t tgid, int64_t ts);
struct run_thread *process_tree_find(const struct process_tree *tree, int32_t tid); /* also one that ended; NULL: none */

/* The next thread of this number is new: a thread of `process`, or of a child of it. */
void process_tree_born(struct process_tree *tree, int32_t tid, struct run_process *process, bool is_thread);

/* The thread executes the job's program: it gets a new process. A parent may still claim the former one. */
struct run_process *process_tree_renew(struct process_tree *tree, struct run_thread *thread);

/* The thread ended. */
void process_tree_end(struct process_tree *tree, struct run_thread *thread);

/*
 * The thread's process is a child of `parent`, or the thread belongs to that. Returns the process that joined, which the caller lets go
 * with process_unref(); NULL: none did, because the thread's parent was known.
 */
struct run_process *process_tree_adopt(struct process_tree *tree, struct run_thread *thread, struct run_process *parent, bool is_thread);

void process_ref(struct run_process *process);
void process_unref(struct process_tree *tree, struct run_process *process); /* NULL is none */

#endif
