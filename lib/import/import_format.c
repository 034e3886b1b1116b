#include "import/import_format.h"

#include <stdarg.h>
#include <stdio.h>

void import_say(struct import *import, bool missing, const char *format, ...)
{
	char *note = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&note, format, args) < 0)
		note = NULL;
	va_end(args);
	if (note)
		*ARRAY_ADD(&import->notes) = note;
	if (missing)
		stream_mark_incomplete(import->stream);
}

const struct event_choice *import_choose(struct import *import, const char *system, const char *name)
{
	static const struct event_choice all = {.wanted = true};

	return import->choices ? event_choices_find(import->choices, system, name) : &all;
}

int import_passes(const struct import *import, const struct event_choice *choice, const struct record *record)
{
	struct event event;

	if (!choice->predicate)
		return 1;
	if (events_read(import->options->names, record, &event) < 0)
		return -1;
	return predicate_passes(choice->predicate, &event);
}

struct stream *import_stream(const struct import *import)
{
	return import->stream;
}

const struct import_options *import_options(const struct import *import)
{
	return import->options;
}

void **import_state(struct import *import, void (*free_state)(void *))
{
	import->free_state = free_state;
	return &import->state;
}

int import_begin(struct import *import, bool swapped)
{
	return stream_next(import->stream, swapped);
}
