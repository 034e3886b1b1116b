#include "event/spell.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <traceevent/event-parse.h>

static void spell_text(const struct tep_format_field *format, const char *bytes, size_t length,
		       struct line *line)
{
	line_bytes(line, format->name, bytes, strnlen(bytes, length));
}

static bool is_number(size_t length)
{
	return length == 1 || length == 2 || length == 4 || length == 8;
}

/* An array of numbers, or the bytes of what is none: 0x1,0x2,0x3. */
static void spell_array(const struct tep_format_field *format, const char *bytes, size_t length,
			struct line *line)
{
	struct tep_handle *tep = format->event->tep;
	unsigned element = is_number(format->elementsize) ? format->elementsize : 1;

	line_bytes(line, format->name, "", 0);
	line->length -= 2; /* take the quotes of "" back */
	for (size_t at = 0; at + element <= length; at += element) {
		char text[24];
		int width = snprintf(text, sizeof(text), "%s0x%llx", at ? "," : "", tep_read_number(tep, bytes + at, (int)element));

		line_append(line, text, (size_t)width);
	}
	line_append(line, "", 0);
}

static void spell_number(const struct tep_format_field *format, const char *bytes, size_t length,
			 struct line *line)
{
	uint64_t value = tep_read_number(format->event->tep, bytes, (int)length);
	char text[48];

	if (!strcmp(format->type, "dev_t")) {
		device_spell(text, value);
		line_text(line, format->name, text);
	} else if (format->flags & TEP_FIELD_IS_POINTER) {
		snprintf(text, sizeof(text), "0x%" PRIx64, value);
		line_text(line, format->name, text);
	} else if (format->flags & TEP_FIELD_IS_SIGNED) {
		unsigned unused = 64 - 8 * (unsigned)length;

		line_integer(line, format->name, (int64_t)(value << unused) >> unused);
	} else {
		line_unsigned(line, format->name, value);
	}
}

static void spell_field(const struct event *event, const struct tep_format_field *format, struct line *line)
{
	uint32_t offset = (uint32_t)format->offset;
	size_t length = (size_t)format->size;

	if (offset + length > event->size)
		return;
	if (format->flags & TEP_FIELD_IS_DYNAMIC) {
		uint32_t word = (uint32_t)tep_read_number(format->event->tep, event->payload + offset, 4);

		offset = word & 0xffff;
		length = word >> 16;
		if (format->flags & TEP_FIELD_IS_RELATIVE)
			offset += (uint32_t)(format->offset + format->size);
		if (offset + length > event->size)
			return;
	}
	if (format->flags & TEP_FIELD_IS_STRING)
		spell_text(format, event->payload + offset, length, line);
	else if (format->flags & TEP_FIELD_IS_ARRAY || !is_number(length))
		spell_array(format, event->payload + offset, length, line);
	else
		spell_number(format, event->payload + offset, length, line);
}

void event_spell(const struct event *event, const char *comm, struct line *line)
{
	const struct tep_event *format = event->type->format;

	line_begin(line, "event");
	line_time(line, "ts", event->ts);
	line_unsigned(line, "cpu", event->cpu);
	line_integer(line, "tid", event->tid);
	line_text(line, "comm", comm);
	line_text(line, "name", event->type->name);
	for (const struct tep_format_field *field = format->format.fields; field; field = field->next)
		spell_field(event, field, line);
}
