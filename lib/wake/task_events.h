/*
 * task_events: turns `async` records, which tell what tasks of programs do, into events in the order of time, for rules (wake/rule_events.h):
 *
 *	async:run	a turn of a task begins on the thread
 *	async:pause	and ends
 *	async:post	a task can run next: it was made, or what it awaited is over
 *
 * All have the field `turn`, which is the same for a turn and for the post that let it begin, and `name`, if that of the task is known. Of
 * several posts before a turn the last counts.
 *
 * A record comes into the stream before the events of its time, because trace-collect waits for it, so it is kept until the first event behind it.
 * Only a turn whose record was sent when it began (prompt=yes) can be placed among events, so only such a turn becomes one.
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
