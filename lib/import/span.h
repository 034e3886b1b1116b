/*
 * span: a part of a line. Used by the text formats of import.
 */
#ifndef IMPORT_SPAN_H
#define IMPORT_SPAN_H

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/number.h"

struct span {
	const char *at, *end;
};

static inline bool is_digit(char c)
{
	return isdigit((unsigned char)c);
}

static inline size_t span_length(struct span span)
{
	return (size_t)(span.end - span.at);
}

/* Without blanks at either end. */
static inline struct span trimmed(struct span span)
{
	while (span.at < span.end && (*span.at == ' ' || *span.at == '\t'))
		span.at++;
	while (span.end > span.at && (span.end[-1] == ' ' || span.end[-1] == '\t'))
		span.end--;
	return span;
}

static inline bool begins_with(struct span span, const char *text)
{
	size_t length = strlen(text);

	return span_length(span) >= length && memcmp(span.at, text, length) == 0;
}

/* The first place of the text in the span; NULL: none. */
static inline const char *find(struct span span, const char *text)
{
	return span.at < span.end ? memmem(span.at, span_length(span), text, strlen(text)) : NULL;
}

/* Reads a number that fills the span. */
static inline bool read_count(struct span span, uint64_t *value)
{
	return number_count(span.at, span_length(span), value) == 0;
}

#endif
