/*
 * format: the interface between an export and its formats. Private to lib/export. A format is a file of its name that defines a struct
 * export_format; the table in export.c lists it.
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
	bool terminal;	   /* out is one: texts are cleaned (base/clean.h) */
	const char *folder;
	void *state;	   /* the format's own */
	void *context;	   /* the context of the handlers: the struct export, unless a format sets another */
	bool closed;
	uint64_t left_out; /* events or records */
	const char *reason; /* why the first of them was left out */
	char *complaint;
};

struct export_format {
	const char *name;
	bool binary;
	/* Sets the state and the handlers, whose context is export->context. 0; -1 after fail(). */
	int (*begin)(struct export *export, struct handlers *handlers);
	int (*end)(struct export *export); /* the stream was read: writes what comes last; may be NULL. 0; -1 after fail() */
	void (*free)(struct export *export);
};

/* Flushes the output; `context` is the struct export. 0; -1 after fail(). */
int export_flush(void *context);

/* Call it after writing: 0; -1 after fail(): the output cannot be written. */
int export_written(struct export *export);

/* Reads the CPU and the number of events of a `lost` record; 0 for each that it lacks. -1 after fail(). */
int export_read_lost(struct export *export, const struct record *record, uint64_t *cpu, uint64_t *count);

/*
 * The fields of an event. An event that did not come as text is spelled first, with `comm` as its thread's name. Valid until the next call with
 * the same `room`, which is all zero at first; free `spelled` with line_free(). NULL after fail().
 */
struct export_event {
	struct line spelled;
	struct fields fields;
};
const struct fields *export_event_fields(struct export_event *room, const struct event *event, const char *comm);

/* The first of an event's own fields. They stand behind name=; their keys may be the same as those before it, such as cpu or comm. */
const struct field *export_own_fields(const struct fields *fields);

/* Counts something that the format cannot hold. `reason` must outlive the export. */
void export_leave_out(struct export *export, const char *reason);

#endif
