#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "stream/fields.h"
#include "stream/guess.h"

static const bool key_characters[256] = {
	['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true, ['_'] = true, ['-'] = true, ['.'] = true,
};

/* Characters that a value without quotes may have: all but blanks, quotes and control characters. */
static const bool value_characters[256] = {['!'] = true, ['#' ... '~'] = true, [0x80 ... 0xff] = true};

static bool is_key(char c)
{
	return key_characters[(unsigned char)c];
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Look at eight bytes at once: set the top bit of each byte that is `c`, or below `limit`; exact up to the first such byte only. */
#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))
#define BYTES_BELOW(word, limit) (((word)-EACH(limit)) & ~(word) & EACH(0x80))
#define BYTES_THAT_ARE(word, c) BYTES_BELOW((word) ^ EACH(c), 1)
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FIRST_BYTE(bits) (__builtin_ctzll(bits) / 8)
#else
#define FIRST_BYTE(bits) 0 /* go on byte by byte */
#endif

/* The next quote or backslash, or `end`. */
static inline const char *skip_quoted(const char *at, const char *end)
{
	for (; end - at >= 8; at += 8) {
		uint64_t word, bits;

		memcpy(&word, at, sizeof(word));
		bits = BYTES_THAT_ARE(word, '"') | BYTES_THAT_ARE(word, '\\');
		if (bits) {
			at += FIRST_BYTE(bits);
			break;
		}
	}
	while (at < end && *at != '"' && *at != '\\')
		at++;
	return at;
}

/* The next character that a value without quotes cannot have, or `end`. */
static inline const char *skip_bare(const char *at, const char *end)
{
	for (; end - at >= 8; at += 8) {
		uint64_t word, bits;

		memcpy(&word, at, sizeof(word));
		bits = BYTES_BELOW(word, '"' + 1) | BYTES_THAT_ARE(word, 0x7f);
		if (bits) {
			at += FIRST_BYTE(bits);
			break;
		}
	}
	while (at < end && value_characters[(unsigned char)*at])
		at++;
	return at;
}

/* Parses a quoted value; returns the place after the closing quote; NULL after fail(). */
static const char *parse_quoted(struct field *field, const char *at, const char *end, const char *line)
{
	const char *open = at++;

	field->value = at;
	while ((at = skip_quoted(at, end)) < end && *at == '\\') {
		field->escaped = true;
		at += 2;
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
	at = skip_bare(at, end);
	if (at < end && !is_blank(*at)) {
		fail("column %zu: a value with this character must be quoted", (size_t)(at - line) + 1);
		return NULL;
	}
	field->value_length = (uint32_t)(at - field->value);
	return at;
}

/* Parses the key at `at` and its '='; returns the place after '='; NULL after fail(). */
static const char *parse_key(struct field *field, const char *at, const char *end, const char *line)
{
	field->place = GUESS_NOWHERE;
	while (at < end && is_key(*at))
		at++;
	field->key_length = (uint32_t)(at - field->key);
	if (field->key_length == 0 || at == end || *at != '=') {
		fail("column %zu: this is not key=value", (size_t)(field->key - line) + 1);
		return NULL;
	}
	return at + 1;
}

/* Parses the key at `at` and its '=' if the key is number *next of the guess, or a later one. NULL: it is neither. */
static inline const char *guess_key(struct field *field, const struct guess *guess, int *next, const char *at, const char *end)
{
	char tail[GUESS_KEY] = {0};
	const char *key = at;

	if (end - at < GUESS_KEY)
		key = memcpy(tail, at, (size_t)(end - at));
	for (int i = *next; i < guess->count; i++) {
		if (guess_is_key(&guess->key[i], key)) {
			field->place = (uint8_t)i;
			field->key_length = guess->key[i].length;
			*next = i + 1;
			return at + field->key_length + 1;
		}
	}
	return NULL;
}

static const char *parse_value(struct field *field, const char *at, const char *end, const char *line)
{
	field->escaped = false;
	return at < end && *at == '"' ? parse_quoted(field, at, end, line) : parse_bare(field, at, end, line);
}

static const char *parse_kind(struct fields *fields, const char *line, const char *end)
{
	const char *at = line;

	while (at < end && is_blank(*at))
		at++;
	fields->kind = at;
	while (at < end && is_key(*at))
		at++;
	fields->kind_length = (size_t)(at - fields->kind);
	fields->count = 0;
	if (fields->kind_length > 0 && (at == end || is_blank(*at)))
		return at;
	fail("column %zu: a record begins with its kind, such as 'event' or 'sample'", (size_t)(at - line) + 1);
	return NULL;
}

/* Returns how many keys were not guessed; -1 after fail(). */
static inline int parse_fields(struct fields *fields, const struct guess *guess, const char *at, const char *end, const char *line)
{
	int next = 0, unguessed = 0;

	for (;;) {
		struct field *field = &fields->item[fields->count];
		const char *value;

		while (at < end && is_blank(*at))
			at++;
		if (at == end)
			return unguessed;
		if (fields->count == FIELDS_MAX)
			return fail("column %zu: more than %d fields", (size_t)(at - line) + 1, FIELDS_MAX);
		field->key = at;
		value = guess ? guess_key(field, guess, &next, at, end) : NULL;
		if (!value) {
			unguessed++;
			value = parse_key(field, at, end, line);
		}
		at = value ? parse_value(field, value, end, line) : NULL;
		if (!at)
			return -1;
		fields->count++;
	}
}

/* Where a kind's records differ from each other, learning each time would cost more than it saves. */
enum { MISSES_TO_LEARN = 4 };

static struct guessed_key key_of(const struct field *field)
{
	struct guessed_key key = {0};
	unsigned char text[GUESS_KEY] = {0}, mask[GUESS_KEY] = {0};

	if (field->key_length >= GUESS_KEY)
		return key;
	memcpy(text, field->key, field->key_length);
	text[field->key_length] = '=';
	memset(mask, 0xff, field->key_length + 1);
	memcpy(key.word, text, sizeof(text));
	memcpy(key.mask, mask, sizeof(mask));
	key.length = field->key_length;
	return key;
}

/* Learns this record's keys: at the first miss, then at every MISSES_TO_LEARN-th. */
static void guess_learn(struct guess *guess, const struct fields *fields)
{
	static uint32_t numbers;

	if (guess->number && ++guess->misses % MISSES_TO_LEARN != 0)
		return;
	guess->number = ++numbers ? numbers : ++numbers;
	guess->count = fields->count < GUESS_MAX ? fields->count : GUESS_MAX;
	for (int i = 0; i < guess->count; i++)
		guess->key[i] = key_of(&fields->item[i]);
}

int fields_parse_next(struct fields *fields, struct guess *guesses, const char *line, size_t length)
{
	const char *end = line + length, *at;
	struct guess *guess = NULL;
	int unguessed;

	if (length > 0 && end[-1] == '\r')
		return fail("column %zu: the line ends with a carriage return, as on Windows; take these out with tr -d '\\r'", length);
	at = parse_kind(fields, line, end);
	if (!at)
		return -1;
	if (guesses)
		guess = &guesses[((unsigned char)*fields->kind + fields->kind_length) % GUESSES];
	fields->guess = guess ? guess->number : 0;
	unguessed = parse_fields(fields, guess, at, end, line);
	if (unguessed > 0 && guess)
		guess_learn(guess, fields);
	return unguessed < 0 ? -1 : 0;
}

int fields_parse(struct fields *fields, const char *line, size_t length)
{
	return fields_parse_next(fields, NULL, line, length);
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

	if (!field->escaped && field->value_length < room) {
		memcpy(text, at, field->value_length);
		text[field->value_length] = '\0';
		return field->value_length;
	}
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

bool field_is(const struct field *field, const char *text)
{
	return field && field->value_length == strlen(text) && !memcmp(field->value, text, field->value_length);
}

bool fields_is(const struct fields *fields, const char *key, const char *text)
{
	return field_is(fields_find(fields, key), text);
}

/* Reads a number by `read`, which is one of number_*(). */
#define FIELD_NUMBER(field, read)                                                    \
	do {                                                                         \
		if (!(field))                                                        \
			return 0;                                                    \
		if (read((field)->value, (field)->value_length, value) < 0)          \
			return fail_prefix("%.*s", (int)(field)->key_length, (field)->key); \
		return 1;                                                            \
	} while (0)

int field_integer(const struct field *field, int64_t *value)
{
	FIELD_NUMBER(field, number_integer);
}

int field_time(const struct field *field, int64_t *value)
{
	FIELD_NUMBER(field, number_time);
}

int fields_integer(const struct fields *fields, const char *key, int64_t *value)
{
	return field_integer(fields_find(fields, key), value);
}

int fields_unsigned(const struct fields *fields, const char *key, uint64_t *value)
{
	const struct field *field = fields_find(fields, key);

	FIELD_NUMBER(field, number_count);
}

int fields_double(const struct fields *fields, const char *key, double *value)
{
	const struct field *field = fields_find(fields, key);

	FIELD_NUMBER(field, number_double);
}

int fields_time(const struct fields *fields, const char *key, int64_t *value)
{
	return field_time(fields_find(fields, key), value);
}
