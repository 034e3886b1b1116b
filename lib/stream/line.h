/*
 * line: writes one record as text, in logfmt: kind key=value key="quoted value". stream/fields.h reads it.
 *
 * A value of printable ASCII without space, '"', '=' and '\' is written bare. Any other is written in quotes, with the escapes
 * \" \\ \n \t, and \xHH for other control characters and bytes that are no UTF-8. A key is made of letters, digits, '_', '-'
 * and '.'. Keys keep their order. tailblame-stream(5) gives their meaning, which this codec does not know.
 */
#ifndef STREAM_LINE_H
#define STREAM_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fields;

/* A growing text. All zero is an empty line; line_free() ends it. line_begin() empties it and keeps its memory. */
struct line {
	char *text; /* NUL-terminated once something is in it */
	size_t length, room;
};

void line_begin(struct line *line, const char *kind);
void line_text(struct line *line, const char *key, const char *value);
void line_bytes(struct line *line, const char *key, const char *value, size_t length);
void line_integer(struct line *line, const char *key, int64_t value);
void line_unsigned(struct line *line, const char *key, uint64_t value);
void line_double(struct line *line, const char *key, double value);
void line_time(struct line *line, const char *key, int64_t ns); /* seconds, nine decimals; durations too */
void line_append(struct line *line, const char *raw, size_t length); /* without quoting: " key=value" */
void line_free(struct line *line);

/* Begins a copy of the record with this value of `key`, which is added if the record lacks it. */
void line_copy(struct line *line, const struct fields *fields, const char *key, const char *value);

#endif
