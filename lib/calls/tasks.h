/*
 * tasks: what programs' own tasks did, as `async` records tell, and the request activity graph of one. Private to lib/calls.
 *
 * A task of asyncio is created, runs in pieces, awaits others between them, and ends. Node's promises and callbacks are tasks, too. In Node,
 * the code after an `await` is a task of its own, created by the code before it; the last of these tasks ends the promise of the function. Such
 * tasks, from the one that ended a promise back to the first created since the promise was, are parts of the promise's task.
 *
 * A task that awaits a task waits for that one; one that awaits anything else waits for the task that ended it, or, where none did
 * (a timer, a connection), for nothing that is known: that is its own time.
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

/* Takes an `async` record. If there are too many of a window, the window goes on as if it began here. -1 after fail(): it is malformed. */
int tasks_take(struct tasks *tasks, const struct fields *fields);

/*
 * The graph of the task that this thread ran last until `to`, since `from`, or of one that began to await it meanwhile. NULL: none is known,
 * or the task existed for less than half of that time and so explains little.
 */
struct graph *tasks_graph(struct tasks *tasks, const struct events *events, int32_t tid, int64_t from, int64_t to);

#endif
