/*
 * predicate: the kernel's event filters (Documentation/trace/events.rst), for events that were recorded without one:
 *
 *	predicate = predicate_new(events, type, "nr_sector > 0 && !(rwbs ~ \"*F*\")")
 *	predicate_passes(predicate, &event)	for each event of the type
 *	predicate_free(predicate)
 *
 * A predicate passes an event if the kernel's filter would have. libtraceevent's filters differ: they take all numbers as
 * unsigned, so that ret < 0 is never true; && binds no tighter than ||; text has no ~.
 *
 * A field that the recording lacks is unknown. If the result depends on an unknown field, the event passes and is counted.
 */
#ifndef EVENT_PREDICATE_H
#define EVENT_PREDICATE_H

#include "event/event.h"

struct predicate;

/* A filter for events of this type; `events` and `type` must outlive it. NULL after fail(), which says where the text is wrong. */
struct predicate *predicate_new(struct events *events, struct event_type *type, const char *text);
void predicate_free(struct predicate *predicate);

bool predicate_passes(struct predicate *predicate, const struct event *event);

/* Tells whether the filter asks for the name of the event's own thread; then call events_learn_names() before predicate_passes(). */
bool predicate_asks_name(const struct predicate *predicate);

/* The number of events that passed because a field was unknown; sets *field to the first such field. */
uint64_t predicate_unknown(const struct predicate *predicate, const char **field);

/* Widens *filter so that it passes all that either filter passes. A filter that is NULL passes all. The caller frees *filter. */
void predicate_widen(char **filter, const char *another);

#endif
