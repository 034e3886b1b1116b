/*
 * fields: reads one record's text: a line cut into its fields, which point into it; the line must outlive them. stream/line.h says
 * how a line is written.
 */
#ifndef STREAM_FIELDS_H
#define STREAM_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FIELDS_MAX = 256 };

struct field {
	const char *key;
	const char *value; /* with its escapes, without its quotes */
	uint32_t key_length, value_length;
	bool escaped;  /* holds a backslash: read it with field_text() */
	uint8_t place; /* the key's index in the guess; GUESS_NOWHERE: the key was not guessed */
};

struct fields {
	const char *kind;
	size_t kind_length;
	int count;
	uint32_t guess; /* number of the guess that each field's `place` is an index of; 0: none */
	struct field item[FIELDS_MAX];
};

struct guess;

/* Cuts a line (without newline). -1 after fail(), which names the column. */
int fields_parse(struct fields *fields, const char *line, size_t length);

/* The same, faster for kinds that come again and again: `guesses` is an array of GUESSES, all zero at first (stream/guess.h). */
enum { GUESSES = 8 };
int fields_parse_next(struct fields *fields, struct guess *guesses, const char *line, size_t length);

/* The field with this key, the first if there are several; NULL: none. */
const struct field *fields_find(const struct fields *fields, const char *key);

/*
 * Values by key. Each returns 1; 0 if the key is missing (*value stays as it was); -1 after fail() if the value is malformed.
 */
int fields_integer(const struct fields *fields, const char *key, int64_t *value);
int fields_unsigned(const struct fields *fields, const char *key, uint64_t *value);
int fields_double(const struct fields *fields, const char *key, double *value);
int fields_time(const struct fields *fields, const char *key, int64_t *ns);

/* The same of a field; NULL: missing. */
int field_integer(const struct field *field, int64_t *value);
int field_time(const struct field *field, int64_t *ns);
bool field_is(const struct field *field, const char *text);

/* Copies the value without escapes and with NUL into `text`, cut at room - 1; returns 1, or 0 if the key is missing. */
int fields_text(const struct fields *fields, const char *key, char *text, size_t room);

/* The same into memory that the caller frees; NULL if the key is missing. */
char *fields_copy(const struct fields *fields, const char *key);

/* Tells whether the key is there and its value equals this text. */
bool fields_is(const struct fields *fields, const char *key, const char *text);

/* One field's text without escapes, cut at room - 1; returns the length before the cut. */
size_t field_text(const struct field *field, char *text, size_t room);

#endif
