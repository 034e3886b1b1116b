/*
 * task_events: what tasks of programs do, as `async` records tell, as events in the order of time, for rules (wake/rule_events.h):
 *
 *	async:run	a turn of a task begins on the thread
 *	async:pause	and ends
 *	async:post	a task can run next: it was made, or what it awaited is over
 *
 * All have the field `turn`, the same for a turn and for what let it begin, and `name`, where the task's is known. Where several posts come before a turn,
 * the last counts.
 *
 * A record comes into the stream before the events of its time, because trace-collect waits for it, so it is kept until the first event behind it. Only a
 * turn that was told when it began (prompt=yes) can be placed among events, and so only such a turn is one.
 *
 *	tasks = task_events_new(events)
 *	task_events_take(tasks, fields)				each `async` record
 *	while (task_events_next(tasks, ts, &event)) ...		before each event: what comes before it. A post may come too late
 *	task_events_forget(tasks)				at the end of a trace
 *	task_events_free(tasks)
 */
#ifndef WAKE_TASK_EVENTS_H
#define WAKE_TASK_EVENTS_H

#include "event/event.h"
#include "stream/fields.h"

struct task_events;

struct task_events *task_events_new(struct events *events);
void task_events_free(struct task_events *tasks); /* NULL is allowed */
void task_events_forget(struct task_events *tasks);

/* -1 after fail(): it is malformed. */
int task_events_take(struct task_events *tasks, const struct fields *fields);

/* The next event until then, of no CPU that is known; false: there is none. It is valid until the next call. */
bool task_events_next(struct task_events *tasks, int64_t until, struct event *event);

/* The name of the event's task; NULL: it is none of these, or not known. */
const char *task_events_name(const struct event *event);

#endif
