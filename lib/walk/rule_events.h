/*
 * rule_events: what the user knows (chart/semantics.h), as events come: boundaries of segments, edges by key, and for whom a segment is.
 *
 *	rules = rule_events_new(semantics, events, cutter)
 *	rule_events_begin(rules, whole)
 *	rule_events_take(rules, &event)				each event, behind the wake core
 *	rule_events_check(rules)				at the end of the stream
 *	rule_events_free(rules)
 */
#ifndef WALK_RULE_EVENTS_H
#define WALK_RULE_EVENTS_H

#include "chart/semantics.h"
#include "walk/cutter.h"

struct rule_events;

/* The semantics must outlive it. */
struct rule_events *rule_events_new(const struct semantics *semantics, struct events *events, struct cutter *cutter);
void rule_events_free(struct rule_events *rules);

void rule_events_begin(struct rule_events *rules, struct whole *whole); /* what keys stood for is forgotten */
int rule_events_take(struct rule_events *rules, const struct event *event); /* -1 after fail(): an event lacks the key of a rule */
int rule_events_check(const struct rule_events *rules); /* -1 after fail(): the stream has no event of a rule */

#endif
