/*
 * event: kernel events and their fields, whether they came as the kernel's raw payload or as text.
 *
 * A command asks once for the types and fields that it wants, before or after their format arrives, and keeps the
 * handles; offsets are resolved when the format arrives, never per event.
 *
 *	struct events *events = events_new(stream);		watches formats and tasks, spells events for text output
 *	struct event_type *type = events_type(events, "sched:sched_switch");
 *	struct event_field *next = event_type_field(type, "next_pid");
 *	...
 *	struct event event;
 *	if (events_read(events, record, &event) < 0) return -1;
 *	if (event.type == type) tid = event_number(&event, next);
 *
 * A new stream (concatenation) forgets formats and thread names; handles stay valid.
 *
 * event/thread_names.h and event/device.h say what streams tell about threads and block devices.
 */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/device.h"
#include "event/thread_names.h"
#include "stream/stream.h"

struct events;

struct event_type {
	const char *name; /* "system:event" */
	int index;	  /* 0, 1, 2, ... in order of first mention: for tables of the caller's own */
	/* the rest is private */
	struct event_field *fields;
	void *format; /* struct tep_event */
	struct types *types;
};

/* The spelling of a number in the text of a stream: 7, -7, 0x7, 0:7. SPELL_TEXT: the field is text or an array. */
enum event_spelling { SPELL_UNSIGNED, SPELL_SIGNED, SPELL_ADDRESS, SPELL_DEVICE, SPELL_TEXT };

struct event_field {
	const char *name;
	/* private */
	struct event_field *next;
	struct event_type *type;
	uint16_t offset, size;
	uint16_t unknown_at; /* offset of the field EVENT_UNKNOWN; 0: the event has none */
	uint8_t unknown_bit;
	bool resolved, is_signed, is_string, is_dynamic;
	enum event_spelling spelling;
	void *format; /* struct tep_format_field */
};

struct event {
	int64_t ts;   /* nanoseconds of the trace clock */
	uint32_t cpu;
	int32_t tid;  /* the thread that ran on the CPU; 0: idle */
	const struct event_type *type;
	const char *payload; /* raw; NULL for an event that is text */
	uint32_t size;
	bool swapped;
	const struct fields *fields; /* text; NULL for a raw event */
	const struct field *own;     /* text: the first of the event's own fields, which follow name= */
};

/* Attaches to the stream. Close the stream first, then call events_free(). */
struct events *events_new(struct stream *stream);
void events_free(struct events *events);

/* Keeps print formats, too, which export/ftrace.c needs. Call it before the first format arrives. */
void events_printable(struct events *events);

struct event_type *events_type(struct events *events, const char *name);
struct event_field *event_type_field(struct event_type *type, const char *name);

/* Reads an event record. 0; -1 after fail(): its format is missing, its payload is too short, or its text is malformed. */
int events_read(struct events *events, const struct record *record, struct event *event);

/* A number; 0 if the event lacks the field (see event_has()). A dev_t reads as the kernel's major << 20 | minor. */
int64_t event_number(const struct event *event, const struct event_field *field);
int64_t event_element(const struct event *event, const struct event_field *field, unsigned index); /* of an array of 64-bit numbers; 0: none */
bool event_has(const struct event *event, const struct event_field *field);

/*
 * Tells whether the field is an argument of a function whose memory could not be read. event_has() is false for such a field, and its text is
 * "?". The last field of a raw event, EVENT_UNKNOWN, has a bit for each field after the common ones, from the lowest bit on.
 */
#define EVENT_UNKNOWN "__unknown"
bool event_is_unknown(const struct event *event, const struct event_field *field);

/* Sets *value to a number that is the same for equal values; for a text, a hash. False: the event lacks the field, or it is unknown. */
bool event_value(const struct event *event, const struct event_field *field, uint64_t *value);

/* A text, cut at room - 1, with NUL; returns its length. "" if the event lacks the field. */
size_t event_text(const struct event *event, const struct event_field *field, char *text, size_t room);

/*
 * Spells a field of any type as text streams do: -18, text, 7:0, 0xffff888012345678, 0x1,0x2; but the address of a function as the
 * function's name, if the stream has it. "" if the event lacks the field.
 */
size_t event_spell_field(const struct event *event, const struct event_field *field, char *text, size_t room);

/*
 * The same in two steps, for callers that keep the number and not the event. The first sets *number to event_number()
 * and returns its spelling; SPELL_TEXT: a number cannot stand for this field.
 */
enum event_spelling event_read_number(const struct event *event, const struct event_field *field, int64_t *number);
size_t event_spell_number(enum event_spelling spelling, int64_t number, char *text, size_t room);

#endif
