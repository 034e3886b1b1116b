#include "stream/line.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "stream/fields.h"

static void reserve(struct line *line, size_t more)
{
	if (line->length + more + 1 > line->room) {
		line->room = 2 * (line->length + more + 1);
		line->text = memory_grow(line->text, line->room, 1);
	}
}

void line_append(struct line *line, const char *raw, size_t length)
{
	reserve(line, length);
	memcpy(line->text + line->length, raw, length);
	line->length += length;
	line->text[line->length] = '\0';
}

static void append_char(struct line *line, char c)
{
	line_append(line, &c, 1);
}

void line_begin(struct line *line, const char *kind)
{
	line->length = 0;
	line_append(line, kind, strlen(kind));
}

/* Appends " key=", and makes room for this many bytes of a value. No NUL is behind it yet: a value follows. */
static void begin_field(struct line *line, const char *key, size_t room)
{
	size_t length = strlen(key);
	char *at;

	reserve(line, length + 2 + room);
	at = line->text + line->length;
	*at = ' ';
	memcpy(at + 1, key, length);
	at[1 + length] = '=';
	line->length += length + 2;
}

/* Which characters need no quotes. */
static const bool bare_characters[256] = {
	['!'] = true, ['#' ... '<'] = true, ['>' ... '['] = true, [']' ... '~'] = true,
};

/* The length of the character that begins here, 1 for ASCII; 0: invalid. */
static size_t character(const char *text, size_t length)
{
	uint32_t code;

	return (unsigned char)*text < 0x80 ? 1 : utf8_decode(text, length, &code);
}

static void append_quoted(struct line *line, const char *value, size_t length)
{
	static const char hex[] = "0123456789abcdef";
	size_t whole;

	append_char(line, '"');
	for (size_t i = 0; i < length; i += whole ? whole : 1) {
		unsigned char c = (unsigned char)value[i];

		whole = character(value + i, length - i);
		if (c == '"' || c == '\\')
			line_append(line, (char[]){'\\', (char)c}, 2);
		else if (c == '\n' || c == '\t')
			line_append(line, c == '\n' ? "\\n" : "\\t", 2);
		else if (c < ' ' || c == 0x7f || whole == 0)
			line_append(line, (char[]){'\\', 'x', hex[c >> 4], hex[c & 15]}, 4);
		else
			line_append(line, value + i, whole);
	}
	append_char(line, '"');
}

void line_bytes(struct line *line, const char *key, const char *value, size_t length)
{
	size_t bare = 0;

	begin_field(line, key, length);
	while (bare < length && bare_characters[(unsigned char)value[bare]])
		bare++;
	if (bare == length && length > 0)
		line_append(line, value, length);
	else
		append_quoted(line, value, length);
}

void line_text(struct line *line, const char *key, const char *value)
{
	line_bytes(line, key, value, strlen(value));
}

void line_integer(struct line *line, const char *key, int64_t value)
{
	begin_field(line, key, NUMBER_ROOM);
	line->length += number_spell_integer(line->text + line->length, value);
}

void line_unsigned(struct line *line, const char *key, uint64_t value)
{
	begin_field(line, key, NUMBER_ROOM);
	line->length += number_spell_unsigned(line->text + line->length, value);
}

void line_double(struct line *line, const char *key, double value)
{
	begin_field(line, key, NUMBER_ROOM);
	line->length += number_spell_double(line->text + line->length, value);
}

void line_time(struct line *line, const char *key, int64_t ns)
{
	begin_field(line, key, NUMBER_ROOM);
	line->length += number_spell_time(line->text + line->length, ns);
}

void line_copy(struct line *line, const struct fields *fields, const char *key, const char *value)
{
	line->length = 0;
	line_append(line, fields->kind, fields->kind_length);
	for (int i = 0; i < fields->count; i++) {
		char *name = memory_text(fields->item[i].key, fields->item[i].key_length), *old = fields_copy(fields, name);

		line_text(line, name, strcmp(name, key) != 0 ? old : value);
		free(old);
		free(name);
	}
	if (!fields_find(fields, key))
		line_text(line, key, value);
}

void line_free(struct line *line)
{
	free(line->text);
	*line = (struct line){0};
}
