/*
 * format: the interface of an export's formats, and the inside of an export. Private to these. A format is one file of its name,
 * with one of these structs, which is in the table in export.c.
 */
#ifndef EXPORT_FORMAT_H
#define EXPORT_FORMAT_H

#include "event/event.h"
#include "export/export.h"
#include "stream/stream.h"

struct export {
	struct export_options options;
	const struct export_format *format;
	struct stream *stream;
	FILE *out;
	const char *folder;
	void *state;	   /* the format's own */
	void *context;	   /* of the handlers: the struct export, unless a format sets another */
	bool closed;
	uint64_t left_out; /* events or records */
	const char *reason; /* why the first was */
	char *complaint;
};

struct export_format {
	const char *name;
	bool binary;
	/* Sets the state and the handlers, whose context is export->context. 0; -1 after fail(). */
	int (*begin)(struct export *export, struct handlers *handlers);
	int (*end)(struct export *export); /* all is read: writes what comes last; may be NULL. 0; -1 after fail() */
	void (*free)(struct export *export);
};

/* Writes out what is printed so far; `context` is the struct export. 0; -1 after fail(). */
int export_flush(void *context);

/* After something was written: 0; -1 after fail() where it could not be. */
int export_written(struct export *export);

/* The CPU of a `lost` record, and the number of events; 0 where it does not say. -1 after fail(). */
int export_read_lost(struct export *export, const struct record *record, uint64_t *cpu, uint64_t *count);

/*
 * The fields of an event, which is spelled with this name of its thread unless it came as text. They are valid until the next call. NULL after
 * fail(). All zero at first; free `spelled` with line_free().
 */
struct export_event {
	struct line spelled;
	struct fields fields;
};
const struct fields *export_event_fields(struct export_event *room, const struct event *event, const char *comm);

/* The first of an event's own fields: they stand behind its name=, and may have the keys that stand before it, such as cpu or comm. */
const struct field *export_own_fields(const struct fields *fields);

/* Counts something that this format cannot hold; the reason must stay. */
void export_leave_out(struct export *export, const char *reason);

#endif
