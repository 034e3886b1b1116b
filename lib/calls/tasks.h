/*
 * tasks: what the tasks of programs did, as `async` records tell, and the request activity graph of a task. Private to lib/calls.
 *
 * A task of asyncio is created, runs in pieces, awaits other tasks between them, and ends. Node's promises and callbacks are tasks, too. In Node,
 * the code after an `await` is a separate task, created by the code before it; the last of these tasks ends the promise of the function. These
 * tasks are parts of the promise's task: from the one that ended the promise back to the first one created since the promise was created.
 *
 * A task that awaits a task waits for it. A task that awaits anything else waits for the task that ended it. If no task ended it (a timer, a
 * connection), the cause of the wait is unknown, and the time counts as the task's own.
 *
 *	tasks = tasks_new()
 *	tasks_take(tasks, ...)		each `async` record
 *	tasks_graph(tasks, events, tid, from, to)
 *	tasks_forget(tasks)		at the end of a window
 *	tasks_free(tasks)
 */
#ifndef CALLS_TASKS_H
#define CALLS_TASKS_H

#include "event/event.h"
#include "graph/graph.h"
#include "stream/fields.h"

struct tasks;

struct tasks *tasks_new(void);
void tasks_free(struct tasks *tasks);
void tasks_forget(struct tasks *tasks);

/* Takes an `async` record. 0; 1: the window has too many, and those so far are forgotten; -1 after fail(): it is malformed. */
int tasks_take(struct tasks *tasks, const struct fields *fields);

/*
 * The graph of the last task that this thread ran in [from, to], or of the outermost task that began to await it in that time. NULL: none is
 * known, or the task existed for less than half of that time and so explains little.
 */
struct graph *tasks_graph(struct tasks *tasks, const struct events *events, int32_t tid, int64_t from, int64_t to);

#endif
