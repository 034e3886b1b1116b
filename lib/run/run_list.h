/*
 * run_list: the runs of one stream, those that go on and those that are over, and the processes that belong to them.
 *
 * A process without known parent may turn out to be a child: then its calls join its parent's run. If the process had been taken for a run
 * that began before the data, that run is dissolved.
 *
 *	run_list_clear(&list);				before the first stream, and after each
 *	run = run_list_begin(&list, process, "wget", false);
 *	run_list_end_thread(&list, thread);		the last one of its process ends the run
 *	while ((run = run_list_take(&list, before))) ...
 */
#ifndef RUN_RUN_LIST_H
#define RUN_RUN_LIST_H

#include "run/run.h"

struct run_list {
	struct process_tree tree;
	struct run *runs, **last;      /* that go on, in the order in which they began */
	struct run *over, **over_last; /* that are over and to be written, in the order in which they ended */
	bool forks;		       /* the stream has sched_process_fork, which tells parents */
};

void run_list_clear(struct run_list *list);

struct run *run_list_begin(struct run_list *list, struct run_process *process, const char *program, bool partial);

/* The run is over: no more calls count. Frees a run without any event. */
void run_list_finish(struct run_list *list, struct run *run);

/* The thread ended. With the last thread of its process, the run ends, but first awaits the returns of calls that children entered before. */
void run_list_end_thread(struct run_list *list, struct run_thread *thread);
void run_list_call_over(struct run_list *list, const struct run_thread *thread); /* the thread's open call returned, or never will */

/* Undoes a run, made for the time before its process executed the job's program. A parent may claim the calls of that time. */
void run_list_unmake(struct run_list *list, struct run *run);

/* The thread belongs to `parent` (is_thread), or to a child of it. */
void run_list_adopt(struct run_list *list, struct run_thread *thread, struct run_process *parent, bool is_thread);

/* Takes the first run that is over off the list, if it ended before this time. The caller frees it (run_free()). NULL: there is none. */
struct run *run_list_take(struct run_list *list, int64_t before);

/* The time at which the earliest of all these runs began; `now` if none began before. */
int64_t run_list_begun(const struct run_list *list, int64_t now);

#endif
