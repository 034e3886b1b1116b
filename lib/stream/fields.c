#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "stream/fields.h"

static const bool key_characters[256] = {
	['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true, ['_'] = true, ['-'] = true, ['.'] = true,
};

/* Those that a value without quotes may have: all but blanks, quotes and control characters. */
static const bool value_characters[256] = {['!'] = true, ['#' ... '~'] = true, [0x80 ... 0xff] = true};

static bool is_key(char c)
{
	return key_characters[(unsigned char)c];
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Parses a quoted value; returns the place after the closing quote; NULL after fail(). */
static const char *parse_quoted(struct field *field, const char *at, const char *end, const char *line)
{
	const char *open = at++;

	field->value = at;
	while (at < end && *at != '"') {
		if (*at == '\\') {
			field->escaped = true;
			at++;
		}
		at++;
	}
	if (at >= end) {
		fail("column %zu: the quote is not closed", (size_t)(open - line) + 1);
		return NULL;
	}
	field->value_length = (uint32_t)(at - field->value);
	if (at + 1 < end && !is_blank(at[1])) {
		fail("column %zu: a closing quote must be followed by a space", (size_t)(at - line) + 2);
		return NULL;
	}
	return at + 1;
}

static const char *parse_bare(struct field *field, const char *at, const char *end, const char *line)
{
	field->value = at;
	while (at < end && value_characters[(unsigned char)*at])
		at++;
	if (at < end && !is_blank(*at)) {
		fail("column %zu: a value with this character must be quoted", (size_t)(at - line) + 1);
		return NULL;
	}
	field->value_length = (uint32_t)(at - field->value);
	return at;
}

static const char *parse_field(struct field *field, const char *at, const char *end, const char *line)
{
	field->key = at;
	field->escaped = false;
	while (at < end && is_key(*at))
		at++;
	field->key_length = (uint32_t)(at - field->key);
	if (field->key_length == 0 || at == end || *at != '=') {
		fail("column %zu: this is not key=value", (size_t)(field->key - line) + 1);
		return NULL;
	}
	at++;
	return at < end && *at == '"' ? parse_quoted(field, at, end, line) : parse_bare(field, at, end, line);
}

int fields_parse(struct fields *fields, const char *line, size_t length)
{
	const char *at = line, *end = line + length;

	if (length > 0 && end[-1] == '\r')
		return fail("column %zu: the line ends with a carriage return, as on Windows; take these out with tr -d '\\r'", length);
	while (at < end && is_blank(*at))
		at++;
	fields->kind = at;
	while (at < end && is_key(*at))
		at++;
	fields->kind_length = (size_t)(at - fields->kind);
	fields->count = 0;
	if (fields->kind_length == 0 || (at < end && !is_blank(*at)))
		return fail("column %zu: a record begins with its kind, such as 'event' or 'sample'", (size_t)(at - line) + 1);
	for (;;) {
		while (at < end && is_blank(*at))
			at++;
		if (at == end)
			return 0;
		if (fields->count == FIELDS_MAX)
			return fail("column %zu: more than %d fields", (size_t)(at - line) + 1, FIELDS_MAX);
		at = parse_field(&fields->item[fields->count], at, end, line);
		if (!at)
			return -1;
		fields->count++;
	}
}

const struct field *fields_find(const struct fields *fields, const char *key)
{
	size_t length = strlen(key);

	for (int i = 0; i < fields->count; i++)
		if (fields->item[i].key_length == length && *fields->item[i].key == *key && !memcmp(fields->item[i].key, key, length))
			return &fields->item[i];
	return NULL;
}

static int hex_value(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decodes the escape at `at`, after the backslash; an unknown one stands for its character. Returns the place after it. */
static const char *unescape(const char *at, const char *end, char *c)
{
	if (*at == 'x' && end - at >= 3 && hex_value(at[1]) >= 0 && hex_value(at[2]) >= 0) {
		*c = (char)(hex_value(at[1]) << 4 | hex_value(at[2]));
		return at + 3;
	}
	*c = *at == 'n' ? '\n' : *at == 't' ? '\t' : *at;
	return at + 1;
}

size_t field_text(const struct field *field, char *text, size_t room)
{
	const char *at = field->value, *end = at + field->value_length;
	size_t length = 0;

	while (at < end) {
		char c = *at++;

		if (c == '\\' && field->escaped && at < end)
			at = unescape(at, end, &c);
		if (length + 1 < room)
			text[length] = c;
		length++;
	}
	if (room)
		text[length < room ? length : room - 1] = '\0';
	return length;
}

int fields_text(const struct fields *fields, const char *key, char *text, size_t room)
{
	const struct field *field = fields_find(fields, key);

	if (field)
		field_text(field, text, room);
	return field != NULL;
}

char *fields_copy(const struct fields *fields, const char *key)
{
	const struct field *field = fields_find(fields, key);
	char *text;

	if (!field)
		return NULL;
	text = memory_new(field->value_length + 1, 1);
	field_text(field, text, field->value_length + 1);
	return text;
}

bool fields_is(const struct fields *fields, const char *key, const char *text)
{
	const struct field *field = fields_find(fields, key);

	return field && field->value_length == strlen(text) && !memcmp(field->value, text, field->value_length);
}

/* One number by key; `read` is one of number_*(). */
#define FIELD_NUMBER(read)                                                           \
	do {                                                                         \
		const struct field *field = fields_find(fields, key);                \
		if (!field)                                                          \
			return 0;                                                    \
		return read(field->value, field->value_length, value) < 0 ? fail_prefix("%s", key) : 1; \
	} while (0)

int fields_integer(const struct fields *fields, const char *key, int64_t *value)
{
	FIELD_NUMBER(number_integer);
}

int fields_unsigned(const struct fields *fields, const char *key, uint64_t *value)
{
	FIELD_NUMBER(number_count);
}

int fields_double(const struct fields *fields, const char *key, double *value)
{
	FIELD_NUMBER(number_double);
}

int fields_time(const struct fields *fields, const char *key, int64_t *value)
{
	FIELD_NUMBER(number_time);
}
