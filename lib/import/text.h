/*
 * text: writes the events of a text trace into a stream. Used by the text formats of import.
 *
 * A format splits its lines into thread, CPU, time, name and payload; this module does the rest for all formats.
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
	bool cpu_unknown; /* cpu is 0; a note says that it is unknown */
	int32_t tid, tgid; /* tgid 0: unknown */
	const char *comm;  /* not ended by NUL */
	size_t comm_length; /* 0: unknown */
	int flags;	   /* common_flags, or TEXT_FLAGS_UNKNOWN */
	bool flags_bare;   /* the text has only dots: no flag is set, or the tool that wrote it knows no flags */
	char system[TEXT_NAME]; /* "": unknown */
	char name[TEXT_NAME];
	const char *buffer; /* the name of the event's ring buffer, not ended by NUL */
	size_t buffer_length; /* 0: the only buffer, or the main one */
	const char *payload;
	size_t length;
	bool hexadecimal; /* numbers in the payload are hexadecimal, even without 0x */
	const char *field; /* the payload is this field; NULL: the payload is the event's own text */
	const struct line *own; /* fields in text form, in place of a payload; NULL: there is a payload */
	uint64_t period;  /* of a sample; 0: the event is no sample */
};

struct text;

/* A format's function for a line, which ends in NUL. 0; -1 after fail(): reading ends. */
typedef int text_take(struct text *text, void *context, const char *line, size_t length, uint64_t number);

/*
 * Reads the input into a stream, line by line, until it ends or the reader of the output is gone; then calls end(), unless it is NULL,
 * and notes the lines not understood. 0; -1 after fail().
 */
int text_read(struct import *import, struct import_input *input, text_take *take,
	      int (*end)(struct text *text, void *context), void *context);

/* Writes the event of the line with this number. -1 after fail(). */
int text_event(struct text *text, const struct text_event *event, uint64_t number);

/*
 * Reads a comment such as "# tailblame: device dev=8:0 name=sda", by which trace-export keeps a record that ftrace text cannot hold.
 * Writes such a record of a block device or a chart into the stream. 0; -1 after fail().
 */
int text_comment(struct text *text, const char *line, size_t length, uint64_t number);

/* Writes another record, for example of a thread or a device, at this place of the stream. -1 after fail(). */
int text_record(struct text *text, const struct line *record);

/* The system of a kernel event of this name; "unknown" if the list of formats lacks the event. */
const char *text_system(struct text *text, const char *name);

/* Notes that `count` events of this event's CPU and buffer were lost before the next one there. */
void text_lost(struct text *text, const struct text_event *event, uint64_t count);

/* Counts lines not understood, by kind, and keeps the number of the first; `missing`: they may have been events. */
void text_trouble(struct text *text, const char *kind, bool missing, uint64_t number, uint64_t count);

/* Reads "12.345678", or nine decimals, as nanoseconds; `end` must follow. Returns the length; 0: the text is no time. */
size_t text_time(const char *at, size_t length, char end, int64_t *ns);

/* The number of lines for which is() is true; the last line may be cut. */
size_t text_count_lines(const char *bytes, size_t length, bool (*is)(const char *line, size_t length));

#endif
