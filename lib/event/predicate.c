#include "event/predicate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "event/format.h"
#include "event/predicate_terms.h"

struct predicate {
	struct events *events;
	struct predicate_terms terms;
	const struct event *event; /* the one that is judged */
	const char *lacking; /* the latest field that was unknown */
	const char *first;   /* the value of `lacking` when an event first passed because of it */
	uint64_t unknown;
};

struct predicate *predicate_new(struct events *events, struct event_type *type, const char *text)
{
	struct predicate *predicate = NEW(struct predicate);

	predicate->events = events;
	if (predicate_terms_read(&predicate->terms, type, text) == 0)
		return predicate;
	predicate_free(predicate);
	return NULL;
}

void predicate_free(struct predicate *predicate)
{
	if (!predicate)
		return;
	predicate_terms_free(&predicate->terms);
	free(predicate);
}

bool predicate_asks_name(const struct predicate *predicate)
{
	for (size_t i = 0; i < predicate->terms.fields.count; i++)
		if (predicate->terms.fields.items[i].common == COMMON_NAME)
			return true;
	return false;
}

/* Text omits the field's type: only a decimal number too large for a signed one shows that it is unsigned. */
static void read_written(const char *text, size_t length, struct value *value)
{
	bool is_hexadecimal = length > 1 && text[1] == 'x';
	int64_t number;
	uint64_t dev;

	if (number_integer(text, length, &number) == 0)
		*value = (struct value){.kind = VALUE_INTEGER, .bits = (uint64_t)number, .size = sizeof(number),
					.is_signed = number >= 0 || is_hexadecimal || *text == '-', .may_be_unsigned = true};
	else if (device_parse(text, length, &dev) == 0)
		*value = (struct value){.kind = VALUE_INTEGER, .bits = dev, .size = sizeof(dev)};
}

static void read_packed(const struct event *event, const struct event_field *field, struct value *value)
{
	if (!field->is_string && !field->is_dynamic && format_is_number(field->size))
		*value = (struct value){.kind = VALUE_INTEGER, .bits = (uint64_t)event_number(event, field), .size = field->size,
					.is_signed = field->is_signed};
}

/* Leaves *value unknown if the recording lacks the number. */
static void number_of(const struct event *event, const struct predicate_field *asked, struct value *value)
{
	char text[64];
	size_t length;

	if (event_has(event, asked->field) && event->payload) {
		read_packed(event, asked->field, value);
	} else if (event_has(event, asked->field)) {
		length = event_text(event, asked->field, text, sizeof(text));
		read_written(text, length, value);
	} else if (asked->common == COMMON_CPU || asked->common == COMMON_TID) {
		*value = (struct value){.kind = VALUE_INTEGER, .bits = asked->common == COMMON_CPU ? event->cpu : (uint64_t)event->tid,
					.size = sizeof(int32_t), .is_signed = true};
	}
}

/* NULL: the recording lacks it. */
static const char *text_of(const struct predicate *predicate, const struct predicate_field *asked, char room[VALUE_ROOM])
{
	const struct event *event = predicate->event;
	bool is_own = event_has(event, asked->field);
	const char *comm;

	if (is_own && event->payload && !asked->field->is_string)
		return NULL;
	if (is_own) {
		event_text(event, asked->field, room, VALUE_ROOM);
		return room;
	}
	if (asked->common != COMMON_NAME)
		return NULL;
	if (event->tid == 0) {
		snprintf(room, VALUE_ROOM, "swapper/%u", event->cpu);
		return room;
	}
	comm = events_comm(predicate->events, event->tid);
	return strcmp(comm, "?") ? comm : NULL;
}

static void value_of(void *context, int named, char room[VALUE_ROOM], struct value *value)
{
	struct predicate *predicate = context;
	const struct predicate_field *asked = &predicate->terms.fields.items[named];

	if (asked->as == PREDICATE_NUMBER) {
		number_of(predicate->event, asked, value);
	} else if (asked->as == PREDICATE_TEXT) {
		value->text = text_of(predicate, asked, room);
		value->kind = value->text ? VALUE_TEXT : VALUE_UNKNOWN;
	}
	if (value->kind == VALUE_UNKNOWN)
		predicate->lacking = asked->field->name;
}

bool predicate_passes(struct predicate *predicate, const struct event *event)
{
	enum truth truth;

	predicate->event = event;
	truth = condition_truth(predicate->terms.condition, value_of, predicate);
	if (truth == TRUTH_UNKNOWN && predicate->unknown++ == 0)
		predicate->first = predicate->lacking;
	return truth != TRUTH_NO;
}

uint64_t predicate_unknown(const struct predicate *predicate, const char **field)
{
	*field = predicate->first;
	return predicate->unknown;
}
