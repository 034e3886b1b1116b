/*
 * text_span: a part of a line. Used by the text formats of import.
 */
#ifndef IMPORT_TEXT_SPAN_H
#define IMPORT_TEXT_SPAN_H

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/number.h"

struct text_span {
	const char *at, *end;
};

static inline bool is_digit(char c)
{
	return isdigit((unsigned char)c);
}

static inline size_t text_span_length(struct text_span span)
{
	return (size_t)(span.end - span.at);
}

/* The span without blanks at either end. */
static inline struct text_span trimmed(struct text_span span)
{
	while (span.at < span.end && (*span.at == ' ' || *span.at == '\t'))
		span.at++;
	while (span.end > span.at && (span.end[-1] == ' ' || span.end[-1] == '\t'))
		span.end--;
	return span;
}

static inline bool begins_with(struct text_span span, const char *text)
{
	size_t length = strlen(text);

	return text_span_length(span) >= length && memcmp(span.at, text, length) == 0;
}

/* The first place of the text in the span; NULL: none. */
static inline const char *find(struct text_span span, const char *text)
{
	return span.at < span.end ? memmem(span.at, text_span_length(span), text, strlen(text)) : NULL;
}

/* Reads a number that fills the span. */
static inline bool read_count(struct text_span span, uint64_t *value)
{
	return number_count(span.at, text_span_length(span), value) == 0;
}

#endif
