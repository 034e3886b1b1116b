/*
 * choice: which events of a trace are wanted: by name, and by the filters of charts, which the kernel that was traced did not have. Where
 * several ask for one event with different filters, it passes if it passes any of them, as with a live kernel.
 */
#ifndef IMPORT_CHOICE_H
#define IMPORT_CHOICE_H

#include "event/predicate.h"
#include "import/import.h"

struct choices;

/* What an event's name comes to. */
struct choice {
	bool wanted;
	struct predicate *predicate; /* of the wanted ones, those that pass; NULL: all */
};

/* The events must stay. NULL after fail(): a filter is wrong. */
struct choices *choices_new(const struct import_event *events, int count, struct events *names);
void choices_free(struct choices *choices);

/* What comes of an event that the trace has. Valid until choices_free(). */
const struct choice *choices_find(struct choices *choices, const char *system, const char *name);

/* Calls for each event some of which passed without their filter's answer, for the trace does not tell this field. */
void choices_each_unknown(const struct choices *choices,
			  void (*call)(void *context, const char *event, const char *field, uint64_t count), void *context);

/* Calls for each named event that the trace does not have, with what it has that is near, as near_text() tells it. */
void choices_each_missing(const struct choices *choices, void (*call)(void *context, const char *pattern, const char *near),
			  void *context);

#endif
