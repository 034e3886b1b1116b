#include "import/event_choice.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/memory.h"
#include "base/suggestions.h"

struct named_choice {
	struct event_choice choice;
	char *system, *name; /* name: "system:event" */
	bool seen;	     /* the trace has it */
	UT_hash_handle hh;
};

struct event_choices {
	const struct import_event *events;
	int count;
	struct events *names;
	struct named_choice *by_name;
};

static bool asks_for(const struct import_event *event, const char *system, const char *name)
{
	return fnmatch(event->pattern, strchr(event->pattern, ':') ? name : system, 0) == 0;
}

/* Joins the filters of all choices that ask for the event. NULL: all events of this name are wanted, or none is. */
static char *gather(const struct event_choices *choices, const char *system, const char *name, bool *wanted)
{
	char *filter = NULL;

	for (const struct import_event *event = choices->events; event < choices->events + choices->count; event++) {
		if (!asks_for(event, system, name))
			continue;
		if (*wanted)
			predicate_widen(&filter, event->filter);
		else if (event->filter)
			filter = memory_text(event->filter, strlen(event->filter));
		*wanted = true;
	}
	return filter;
}

/* NULL after fail(): a filter is wrong. */
static struct named_choice *make(struct event_choices *choices, const char *system, const char *name)
{
	struct named_choice *made = NEW(struct named_choice);
	char *filter = gather(choices, system, name, &made->choice.wanted);

	made->system = memory_text(system, strlen(system));
	made->name = memory_text(name, strlen(name));
	HASH_ADD_KEYPTR(hh, choices->by_name, made->name, strlen(made->name), made);
	if (filter)
		made->choice.predicate = predicate_new(choices->names, events_type(choices->names, name), filter);
	free(filter);
	return filter && !made->choice.predicate ? NULL : made;
}

static struct named_choice *find(struct event_choices *choices, const char *system, const char *name)
{
	struct named_choice *found;
	char full[256];

	snprintf(full, sizeof(full), "%s:%s", system, name);
	HASH_FIND_STR(choices->by_name, full, found);
	return found ? found : make(choices, system, full);
}

const struct event_choice *event_choices_find(struct event_choices *choices, const char *system, const char *name)
{
	struct named_choice *found = find(choices, system, name);

	if (!found)
		return NULL;
	found->seen = true;
	return &found->choice;
}

struct event_choices *event_choices_new(const struct import_event *events, int count, struct events *names)
{
	struct event_choices *choices = NEW(struct event_choices);
	char *system;

	*choices = (struct event_choices){.events = events, .count = count, .names = names};
	for (const struct import_event *event = events; event < events + count; event++) {
		const char *colon = event->filter ? strchr(event->pattern, ':') : NULL;
		const struct named_choice *choice;

		if (!colon)
			continue;
		system = memory_text(event->pattern, (size_t)(colon - event->pattern));
		choice = find(choices, system, colon + 1);
		free(system);
		if (choice)
			continue;
		event_choices_free(choices);
		return NULL;
	}
	return choices;
}

void event_choices_each_unknown(const struct event_choices *choices,
				void (*call)(void *context, const char *event, const char *field, uint64_t count), void *context)
{
	for (const struct named_choice *choice = choices->by_name; choice; choice = choice->hh.next) {
		const char *field;
		uint64_t count = choice->choice.predicate ? predicate_unknown(choice->choice.predicate, &field) : 0;

		if (count)
			call(context, choice->name, field, count);
	}
}

/* Tells whether the trace has the event; if not, offers similar names of the trace. */
static bool is_met(const struct event_choices *choices, const struct import_event *event, struct suggestions *suggestions)
{
	const char *colon;

	for (const struct named_choice *choice = choices->by_name; choice; choice = choice->hh.next) {
		if (!choice->seen)
			continue;
		if (asks_for(event, choice->system, choice->name))
			return true;
		if (suggestions->wanted == event->pattern)
			suggestions_offer(suggestions, choice->system);
		colon = strchr(choice->name, ':');
		if (colon) /* a long name may have been cut before its colon */
			suggestions_offer_as(suggestions, colon + 1, choice->name);
	}
	return false;
}

void event_choices_each_missing(const struct event_choices *choices, void (*call)(void *context, const char *pattern, const char *near),
				void *context)
{
	for (const struct import_event *event = choices->events; event < choices->events + choices->count; event++) {
		const char *colon = strchr(event->pattern, ':');
		struct suggestions suggestions = suggestions_begin(colon ? colon + 1 : event->pattern);

		if (event->named && !is_met(choices, event, &suggestions))
			call(context, event->pattern, suggestions_text(&suggestions));
	}
}

void event_choices_free(struct event_choices *choices)
{
	struct named_choice *choice, *next;

	if (!choices)
		return;
	HASH_ITER(hh, choices->by_name, choice, next) {
		HASH_DEL(choices->by_name, choice);
		predicate_free(choice->choice.predicate);
		free(choice->system);
		free(choice->name);
		free(choice);
	}
	free(choices);
}
