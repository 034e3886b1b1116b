/*
 * task_events: turns `async` records, which say what tasks of programs do, into events in the order of time, for rules (wake/rule_events.h):
 *
 *	async:run	a turn of a task begins on the thread
 *	async:pause	the turn ends
 *	async:post	a task can run next: it was made, or what it awaited is over
 *
 * All have the field `turn`, which is the same for a turn and for the post that let it begin, and the field `name`, if the task's name is known.
 * If there are several posts before a turn, the last counts.
 *
 * A record comes into the stream before the events of its time, because trace-collect waits for it. So a record is kept until the first later
 * event. A turn can be placed among events only if its record was sent when the turn began (prompt=yes), so only such a turn becomes an event.
 *
 *	tasks = task_events_new(events)
 *	task_events_take(tasks, fields)				each `async` record
 *	while (task_events_next(tasks, ts, &event)) ...		before each event: takes the events until ts. A post may come too late
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

/* Takes an `async` record. -1 after fail(): the record is malformed. */
int task_events_take(struct task_events *tasks, const struct fields *fields);

/* Gives the next event up to `until`, whose CPU is not known; false: there is none. The event is valid until the next call. */
bool task_events_next(struct task_events *tasks, int64_t until, struct event *event);

/* The name of the event's task; NULL: the event is not one of these, or the name is not known. */
const char *task_events_name(const struct event *event);

#endif
