/*
 * event_choice: chooses events of a trace by name, and by the filters of charts, which the traced kernel did not apply. If one event has several
 * filters, it passes if it passes any of them, as with a live kernel.
 */
#ifndef IMPORT_EVENT_CHOICE_H
#define IMPORT_EVENT_CHOICE_H

#include "event/predicate.h"
#include "import/import.h"

struct event_choices;

/* The choice for one event type. */
struct event_choice {
	bool wanted;
	struct predicate *predicate; /* only events that pass it are wanted; NULL: all */
};

/* `events` must outlive the choices. NULL after fail(): a filter is wrong. */
struct event_choices *event_choices_new(const struct import_event *events, int count, struct events *names);
void event_choices_free(struct event_choices *choices);

/* The choice for an event of the trace. Valid until event_choices_free(). */
const struct event_choice *event_choices_find(struct event_choices *choices, const char *system, const char *name);

/* Calls for each event type with events that passed because the trace lacks a field of the filter. */
void event_choices_each_unknown(const struct event_choices *choices,
				void (*call)(void *context, const char *event, const char *field, uint64_t count), void *context);

/* Calls for each named event that the trace lacks, with suggestions_text() of similar names in the trace. */
void event_choices_each_missing(const struct event_choices *choices, void (*call)(void *context, const char *pattern, const char *near),
				void *context);

#endif
