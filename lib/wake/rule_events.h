/*
 * rule_events: applies the rules of the user (chart/semantics.h) to events: a thread begins something else, an event causes a later one with the
 * same key, a thread works for a process. The builder of a graph decides what follows from that.
 *
 *	rules = rule_events_new(semantics, events, &doer)
 *	rule_events_take(rules, &event)			each event, after the wake core
 *	rule_events_forget(rules)			forgets causes: their places mean nothing any more
 *	rule_events_check(rules)			at the end of the stream
 *	rule_events_free(rules)
 */
#ifndef WAKE_RULE_EVENTS_H
#define WAKE_RULE_EVENTS_H

#include "chart/semantics.h"
#include "event/event.h"
#include "graph/graph.h"

struct rule_events;

/* What rules do at an event, in the thread to which it happens. Each function gets the context. */
struct rule_doer {
	void *context;
	bool tasks; /* events of tasks come, too; else rules with such events are skipped */
	void (*bounds)(void *context, const struct event *event); /* the thread begins something else */

	/* Sets *place: a number by which the caller finds again what the thread does at this time; false: that is not known. */
	bool (*place)(void *context, const struct event *event, uint32_t *place);

	/* Something else begins because of what happened at that place at the time `then`; `what` names it. */
	void (*arrives)(void *context, const struct event *event, uint32_t place, int64_t then, enum edge_kind kind, const char *what);

	void (*serves)(void *context, const struct event *event, int32_t process); /* something else begins, for this process */
};

/* The semantics, the events and the doer's context must outlive the result, which the caller frees. */
struct rule_events *rule_events_new(const struct semantics *semantics, struct events *events, const struct rule_doer *doer);
void rule_events_free(struct rule_events *rules); /* NULL is allowed */

void rule_events_forget(struct rule_events *rules);
bool rule_events_of_tasks(const struct rule_events *rules); /* a rule has events of tasks */
bool rule_events_watches(const struct rule_events *rules, const struct event_type *type); /* a rule has such an event */
int rule_events_take(struct rule_events *rules, const struct event *event); /* -1 after fail(): an event lacks the key of a rule */
int rule_events_check(const struct rule_events *rules); /* -1 after fail(): the stream has no event of a rule */

#endif
