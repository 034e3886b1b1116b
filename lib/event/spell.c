#include "event/spell.h"

#include <stdbool.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "base/number.h"
#include "event/format.h"
#include "event/types.h"

/* Bytes of an array spelled at a time: a multiple of every number size. */
enum { PIECE = 64, PIECE_ROOM = PIECE * sizeof("0xff,") };

static bool is_array(const struct tep_format_field *format, size_t length)
{
	return format->flags & TEP_FIELD_IS_ARRAY || !format_is_number(length);
}

static size_t spell_number(enum event_spelling spelling, int64_t value, char *text)
{
	switch (spelling) {
	case SPELL_DEVICE:
		return device_spell(text, (uint64_t)value);
	case SPELL_ADDRESS:
		return number_spell_hex(text, (uint64_t)value);
	case SPELL_SIGNED:
		return number_spell_integer(text, value);
	default:
		return number_spell_unsigned(text, (uint64_t)value);
	}
}

static size_t spell_bytes(const struct tep_format_field *format, const char *bytes, size_t length, char *text)
{
	uint64_t value = tep_read_number(format->event->tep, bytes, (int)length);
	unsigned unused = format->flags & TEP_FIELD_IS_SIGNED ? 64 - 8 * (unsigned)length : 0;

	return spell_number(format_spelling(format), (int64_t)(value << unused) >> unused, text);
}

/* Appends to a text of `used` bytes, cut at room - 1; returns the new length. */
static size_t append(char *text, size_t room, size_t used, const char *more, size_t length)
{
	if (length > room - 1 - used)
		length = room - 1 - used;
	memcpy(text + used, more, length);
	text[used + length] = '\0';
	return used + length;
}

/* The size of an array's numbers; 1 (bytes) if the field is no array, or its length is no multiple of their size. */
static unsigned element_of(const struct tep_format_field *format, size_t length)
{
	return format_is_number(format->elementsize) && length % format->elementsize == 0 ? format->elementsize : 1;
}

/* Spells an array as 0x1,0x2,0x3, cut at room - 1; returns the length. */
static size_t spell_array(struct tep_handle *tep, const char *bytes, size_t length, unsigned element, char *text, size_t room)
{
	size_t used = append(text, room, 0, "", 0);

	for (size_t at = 0; at < length && used < room - 1; at += element) {
		char number[NUMBER_ROOM];
		size_t width = number_spell_hex(number, tep_read_number(tep, bytes + at, (int)element));

		used = append(text, room, used, ",", at > 0);
		used = append(text, room, used, number, width);
	}
	return used;
}

static void add_array(const struct tep_format_field *format, const char *bytes, size_t length, struct line *line)
{
	unsigned element = element_of(format, length);
	char text[PIECE_ROOM];

	for (size_t at = 0; at == 0 || at < length; at += PIECE) {
		size_t piece = length - at < PIECE ? length - at : PIECE;
		size_t width = spell_array(format->event->tep, bytes + at, piece, element, text, sizeof(text));

		if (at == 0) {
			line_bytes(line, format->name, text, width);
		} else {
			line_append(line, ",", 1);
			line_append(line, text, width);
		}
	}
}

static void add_field(const struct event *event, const struct tep_format_field *format, struct line *line)
{
	uint32_t offset, length;
	char number[NUMBER_ROOM];
	const char *bytes;

	if (!format_locate(format, event, &offset, &length))
		return;
	bytes = event->payload + offset;
	if (format->flags & TEP_FIELD_IS_STRING)
		line_bytes(line, format->name, bytes, strnlen(bytes, length));
	else if (is_array(format, length))
		add_array(format, bytes, length, line);
	else
		line_bytes(line, format->name, number, spell_bytes(format, bytes, length, number));
}

/* Returns the bits of the fields that are not known; 0: all are known. *last: the last field, if it holds these bits and so is not spelled. */
static uint64_t unknown_fields(const struct event *event, const struct tep_format_field **last)
{
	const struct tep_event *format = event->type->format;
	uint32_t offset, length;

	for (*last = format->format.fields; *last && (*last)->next; *last = (*last)->next)
		;
	if (*last && strcmp((*last)->name, EVENT_UNKNOWN) == 0 && format_locate(*last, event, &offset, &length) && length == sizeof(uint64_t))
		return tep_read_number(format->tep, event->payload + offset, sizeof(uint64_t));
	*last = NULL;
	return 0;
}

void event_spell(const struct event *event, const char *comm, struct line *line)
{
	const struct tep_event *format = event->type->format;
	const struct tep_format_field *last;
	uint64_t unknown = unknown_fields(event, &last);

	line_begin(line, "event");
	line_time(line, "ts", event->ts);
	line_unsigned(line, "cpu", event->cpu);
	line_integer(line, "tid", event->tid);
	line_text(line, "comm", comm);
	line_text(line, "name", event->type->name);
	for (const struct tep_format_field *field = format->format.fields; field && field != last; field = field->next, unknown >>= 1)
		if (unknown & 1)
			line_text(line, field->name, "?");
		else
			add_field(event, field, line);
}

size_t event_spell_field(const struct event *event, const struct event_field *field, char *text, size_t room)
{
	const struct tep_format_field *format = field->format;
	char number[NUMBER_ROOM];
	uint32_t offset, length;
	size_t used;

	if (!event->payload || field->is_string || event_is_unknown(event, field) || !event_has(event, field) || !format_locate(format, event, &offset, &length))
		return event_text(event, field, text, room);
	if (format_is_number(length) && (used = types_spell_symbol(field->type->types, (uint64_t)event_number(event, field), text, room)))
		return used;
	if (is_array(format, length))
		return spell_array(format->event->tep, event->payload + offset, length, element_of(format, length), text, room);
	return append(text, room, 0, number, spell_bytes(format, event->payload + offset, length, number));
}

size_t event_spell_number(enum event_spelling spelling, int64_t number, char *text, size_t room)
{
	char spelled[NUMBER_ROOM];
	size_t length = spell_number(spelling, number, spelled);

	return append(text, room, 0, spelled, length);
}
