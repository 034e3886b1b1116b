#include <ctype.h>
#include <string.h>

#include "base/number.h"
#include "event/event.h"
#include "event/format.h"

static uint64_t load(const char *at, unsigned size, bool swapped)
{
	uint64_t wide;
	uint32_t half;
	uint16_t quarter;

	switch (size) {
	case 8:
		memcpy(&wide, at, 8);
		return swapped ? __builtin_bswap64(wide) : wide;
	case 4:
		memcpy(&half, at, 4);
		return swapped ? __builtin_bswap32(half) : half;
	case 2:
		memcpy(&quarter, at, 2);
		return swapped ? __builtin_bswap16(quarter) : quarter;
	case 1:
		return (uint8_t)*at;
	default:
		return 0;
	}
}

static int64_t load_signed(const char *at, unsigned size, bool swapped)
{
	uint64_t value = load(at, size, swapped);
	unsigned unused = 64 - 8 * size;

	return size && size < 8 ? (int64_t)(value << unused) >> unused : (int64_t)value;
}

/* A text event's own fields follow name=: some are called comm, cpu or name, too. */
static const struct field *own_field(const struct event *event, const char *key)
{
	size_t length = strlen(key);

	for (const struct field *field = event->own; field < event->fields->item + event->fields->count; field++)
		if (field->key_length == length && *field->key == *key && !memcmp(field->key, key, length))
			return field;
	return NULL;
}

static enum event_spelling read_written(const struct event *event, const struct event_field *field, int64_t *number)
{
	const struct field *own = own_field(event, field->name);
	uint64_t dev = 0;

	*number = own || strcmp(field->name, "common_pid") ? 0 : event->tid;
	if (!own)
		return SPELL_SIGNED;
	if (own->value_length == 0 || (!isdigit((unsigned char)*own->value) && *own->value != '-'))
		return SPELL_TEXT; /* no number, and no device: most texts */
	if (number_integer(own->value, own->value_length, number) == 0)
		return *own->value == '-' ? SPELL_SIGNED : memchr(own->value, 'x', own->value_length) ? SPELL_ADDRESS : SPELL_UNSIGNED;
	if (device_parse(own->value, own->value_length, &dev) < 0)
		return SPELL_TEXT;
	*number = (int64_t)dev;
	return SPELL_DEVICE;
}

static bool fits(const struct event *event, const struct event_field *field)
{
	return field->resolved && (uint32_t)field->offset + field->size <= event->size;
}

static bool is_marked(const struct event *event, const struct event_field *field)
{
	if (!field->resolved || field->unknown_at + sizeof(uint64_t) > event->size)
		return false;
	return load(event->payload + field->unknown_at, sizeof(uint64_t), event->swapped) >> field->unknown_bit & 1;
}

/* Tells whether a "?" of a text event means unknown. Only events of functions have such fields; elsewhere "?" may be the value itself. */
static bool is_question(const struct event *event, const struct field *own)
{
	static const char functions[] = "func:", points[] = "point:";

	return own && own->value_length == 1 && *own->value == '?' &&
	       (!strncmp(event->type->name, functions, strlen(functions)) || !strncmp(event->type->name, points, strlen(points)));
}

bool event_is_unknown(const struct event *event, const struct event_field *field)
{
	if (event->payload)
		return field->unknown_at && is_marked(event, field);
	return is_question(event, own_field(event, field->name));
}

bool event_has(const struct event *event, const struct event_field *field)
{
	const struct field *own;

	if (event->payload)
		return fits(event, field) && !(field->unknown_at && is_marked(event, field));
	own = own_field(event, field->name);
	return own && !is_question(event, own);
}

int64_t event_number(const struct event *event, const struct event_field *field)
{
	int64_t value;

	if (!event->payload) {
		read_written(event, field, &value);
		return value;
	}
	if (!event_has(event, field))
		return 0;
	return field->is_signed ? load_signed(event->payload + field->offset, field->size, event->swapped)
				: (int64_t)load(event->payload + field->offset, field->size, event->swapped);
}

enum event_spelling event_read_number(const struct event *event, const struct event_field *field, int64_t *number)
{
	if (!event->payload)
		return read_written(event, field, number);
	*number = event_number(event, field);
	return fits(event, field) ? field->spelling : SPELL_SIGNED;
}

/* An element of a text such as "0x3,0x10,0x0"; 0 if there are fewer. */
static int64_t written_element(const struct field *own, unsigned index)
{
	const char *at = own->value, *end = at + own->value_length;
	int64_t value = 0;

	for (; index > 0 && at; index--)
		at = (at = memchr(at, ',', (size_t)(end - at))) ? at + 1 : NULL;
	if (at) {
		const char *comma = memchr(at, ',', (size_t)(end - at));

		number_integer(at, (size_t)((comma ? comma : end) - at), &value);
	}
	return value;
}

int64_t event_element(const struct event *event, const struct event_field *field, unsigned index)
{
	if (!event->payload) {
		const struct field *own = own_field(event, field->name);

		return own ? written_element(own, index) : 0;
	}
	if (!fits(event, field) || field->size < (index + 1) * sizeof(uint64_t))
		return 0;
	return (int64_t)load(event->payload + field->offset + index * sizeof(uint64_t), sizeof(uint64_t), event->swapped);
}

static size_t copy_text(char *text, size_t room, const char *from, size_t length)
{
	if (room == 0)
		return 0;
	if (length > room - 1)
		length = room - 1;
	memcpy(text, from, length);
	text[length] = '\0';
	return length;
}

size_t event_text(const struct event *event, const struct event_field *field, char *text, size_t room)
{
	const struct field *own;
	uint32_t offset, bytes;
	size_t length;

	if (event->payload) {
		if (event_is_unknown(event, field))
			return copy_text(text, room, "?", 1);
		if (!fits(event, field) || !format_locate(field->format, event, &offset, &bytes))
			return copy_text(text, room, "", 0);
		return copy_text(text, room, event->payload + offset, strnlen(event->payload + offset, bytes));
	}
	own = own_field(event, field->name);
	if (!own)
		return copy_text(text, room, "", 0);
	length = field_text(own, text, room);
	return length < room ? length : room - 1;
}

/* Texts are hashed by FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ */
bool event_value(const struct event *event, const struct event_field *field, uint64_t *value)
{
	enum { ROOM = 512 };
	char text[ROOM];
	int64_t number;

	if (!event_has(event, field))
		return false;
	if (event_read_number(event, field, &number) != SPELL_TEXT) {
		*value = (uint64_t)number;
		return true;
	}
	event_text(event, field, text, sizeof(text));
	*value = UINT64_C(14695981039346656037);
	for (const unsigned char *at = (const unsigned char *)text; *at; at++)
		*value = (*value ^ *at) * UINT64_C(1099511628211);
	return true;
}
