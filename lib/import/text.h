/*
 * text: events of a trace that is text, on their way into a stream. Used by the formats of import that are text.
 *
 * A format takes its lines apart as far as thread, CPU, time, name and payload; what these are in a stream is the same for all.
 */
#ifndef IMPORT_TEXT_H
#define IMPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "import/import_format.h"

enum { TEXT_NAME = 128, TEXT_FLAGS_UNKNOWN = -1 };

struct text_event {
	int64_t ts;
	uint32_t cpu;
	bool cpu_unknown; /* and 0 is taken for it, which is told */
	int32_t tid, tgid; /* tgid 0: unknown */
	const char *comm;  /* not ended by NUL */
	size_t comm_length; /* 0: unknown */
	int flags;	   /* common_flags, or TEXT_FLAGS_UNKNOWN */
	char system[TEXT_NAME]; /* "": unknown */
	char name[TEXT_NAME];
	const char *buffer; /* the name of the ring buffer that it was in, not ended by NUL */
	size_t buffer_length; /* 0: it was in the only one, or the main one */
	const char *payload;
	size_t length;
	bool hexadecimal; /* numbers in the payload are, even without 0x */
	const char *field; /* the payload is this field; NULL: it is the event's own text */
	uint64_t period;  /* of a sample; 0: it is none */
};

struct text;

/* What a format does with a line, which has a NUL behind it. 0; -1 after fail(), and no further one is read. */
typedef int text_take(struct text *text, void *context, const char *line, size_t length, uint64_t number);

/*
 * Reads the input into a stream, line by line, until it ends or nobody reads the output any more; then calls end(), unless
 * that is NULL, and says what was not understood. 0; -1 after fail().
 */
int text_read(struct import *import, struct import_input *input, text_take *take,
	      void (*end)(struct text *text, void *context), void *context);

/* Writes the event of the line with this number. -1 after fail(). */
int text_event(struct text *text, const struct text_event *event, uint64_t number);

/*
 * A record that a tailblame stream had and ftrace text has no words for, exported as a comment, "# tailblame: device dev=8:0
 * name=sda": passed on if it is of a block device or a chart. -1 after fail().
 */
int text_comment(struct text *text, const char *line, size_t length, uint64_t number);

/* So many events of the same CPU and buffer as this one were lost before their next one. */
void text_lost(struct text *text, const struct text_event *event, uint64_t count);

/* Counts lines that are not understood, from the one with this number on, by kind; `missing`: there might have been events. */
void text_trouble(struct text *text, const char *kind, bool missing, uint64_t number, uint64_t count);

/* "12.345678" or with nine decimals as nanoseconds; behind it must stand `end`. Returns the length; 0: it is no time. */
size_t text_time(const char *at, size_t length, char end, int64_t *ns);

/* How many of these lines are what `is` looks for; the last may be cut. */
size_t text_count_lines(const char *bytes, size_t length, bool (*is)(const char *line, size_t length));

#endif
