/*
 * run_list: the runs of one stream, those that go on and those that are over, and whose processes belong to which.
 *
 * A process that made no call of a known parent may turn out to be a child: then what it did joins its parent's run, and a run that was
 * taken for one begun before the data comes to nothing.
 *
 *	run_list_clear(&list);				before the first stream, and behind each
 *	run = run_list_begin(&list, process, "wget", false);
 *	run_list_end_thread(&list, thread);		the last one of its process ends the run
 *	while ((run = run_list_take(&list, before))) ...
 */
#ifndef RUN_RUN_LIST_H
#define RUN_RUN_LIST_H

#include "run/run.h"

struct run_list {
	struct process_tree tree;
	struct run *runs, **last;      /* in the order of their beginnings */
	struct run *over, **over_last; /* to be written, in the order of their ends */
	bool forks;		       /* sched_process_fork tells parents */
};

void run_list_clear(struct run_list *list);

struct run *run_list_begin(struct run_list *list, struct run_process *process, const char *program, bool partial);

/* The run is over, and nothing more is to be counted. */
void run_list_finish(struct run_list *list, struct run *run);

/* The thread ended; with the last of its process, the run is over, but for calls of children that were entered before and return yet. */
void run_list_end_thread(struct run_list *list, struct run_thread *thread);
void run_list_call_over(struct run_list *list, const struct run_thread *thread); /* one of these calls returned, or never will */

/* Undoes a run of the time before its process executed the job's program: a parent may claim that time. */
void run_list_unmake(struct run_list *list, struct run *run);

/* The thread is one of `parent`, or of a child of it. */
void run_list_adopt(struct run_list *list, struct run_thread *thread, struct run_process *parent, bool is_thread);

/* The first run that was over before this time, which the caller frees (run_free()); NULL: there is none. */
struct run *run_list_take(struct run_list *list, int64_t before);

/* When the first of all these runs began; `now` if none did before. */
int64_t run_list_begun(const struct run_list *list, int64_t now);

#endif
