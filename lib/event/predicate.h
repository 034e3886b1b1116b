/*
 * predicate: a filter of events in the words of the kernel's documentation of event tracing, for events that were recorded without it:
 *
 *	predicate = predicate_new(events, type, "nr_sector > 0 && !(rwbs ~ \"*F*\")")
 *	predicate_passes(predicate, &event)	for each event of the type
 *	predicate_free(predicate)
 *
 * What passes is what the kernel would have let through. libtraceevent's filters are others: to them all numbers are unsigned, so that
 * ret < 0 is never true, && binds no tighter than ||, and text has no ~.
 *
 * What a recording does not tell, such as a field that its text lacks, is unknown; an event that passes or not by
 * what is unknown passes, and is counted.
 */
#ifndef EVENT_PREDICATE_H
#define EVENT_PREDICATE_H

#include "event/event.h"

struct predicate;

/* For events of this type; both must stay. NULL after fail(), with the place where the text is wrong. */
struct predicate *predicate_new(struct events *events, struct event_type *type, const char *text);
void predicate_free(struct predicate *predicate);

bool predicate_passes(struct predicate *predicate, const struct event *event);

/* Whether it asks for the name of the thread that the event happened in, which so must be known beforehand. */
bool predicate_asks_name(const struct predicate *predicate);

/* How many events passed by what is unknown, and the first field that was. */
uint64_t predicate_unknown(const struct predicate *predicate, const char **field);

/* Widens the text of a filter, which the caller frees, to what passes that or another one. NULL: all passes. */
void predicate_widen(char **filter, const char *another);

#endif
