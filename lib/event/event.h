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
 * Where a new stream begins (concatenation), formats and thread names are forgotten; handles stay valid.
 */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/stream.h"

struct events;

struct event_type {
	const char *name; /* "system:event" */
	int index;	  /* 0, 1, 2, ... in order of first mention: for tables of the caller's own */
	/* the rest is private */
	int id;
	struct event_field *fields;
	void *format; /* struct tep_event */
	struct events *owner;
};

/* A number in the text of a stream: 7, -7, 0x7, 0:7. The last is none, but text or an array. */
enum event_spelling { SPELL_UNSIGNED, SPELL_SIGNED, SPELL_ADDRESS, SPELL_DEVICE, SPELL_TEXT };

struct event_field {
	const char *name;
	/* private */
	struct event_field *next;
	struct event_type *type;
	uint16_t offset, size;
	bool resolved, is_signed, is_string, is_dynamic;
	enum event_spelling spelling;
	void *format; /* struct tep_format_field */
};

struct event {
	int64_t ts;   /* nanoseconds of the trace clock */
	uint32_t cpu;
	int32_t tid;  /* thread in whose context it happened; 0: idle */
	const struct event_type *type;
	const char *payload; /* raw; NULL for an event that is text */
	uint32_t size;
	bool swapped;
	const struct fields *fields; /* text; NULL for a raw event */
};

/* Attached to the stream until the stream is closed; free with events_free() after that. */
struct events *events_new(struct stream *stream);
void events_free(struct events *events);

/* Before any format came: keep how events are printed, for event/print.h. */
void events_printable(struct events *events);

struct event_type *events_type(struct events *events, const char *name);
struct event_field *event_type_field(struct event_type *type, const char *name);

/* Reads an event record. 0; -1 after fail(): no format came for it, its payload is too short, its text is malformed. */
int events_read(struct events *events, const struct record *record, struct event *event);

/* A number; 0 where the event lacks the field (event_has tells). A dev_t reads as the kernel's major << 20 | minor. */
int64_t event_number(const struct event *event, const struct event_field *field);
int64_t event_first(const struct event *event, const struct event_field *field); /* of an array of 64-bit numbers */
bool event_has(const struct event *event, const struct event_field *field);

/* A text, cut at room - 1, with NUL; returns its length. "" where the event lacks the field. */
size_t event_text(const struct event *event, const struct event_field *field, char *text, size_t room);

/* A field of any type as the text spelling has it: -18, text, 7:0, 0xffff888012345678, 0x1,0x2. "" where it is lacking. */
size_t event_spell_field(const struct event *event, const struct event_field *field, char *text, size_t room);

/* The same from a number, when the event is gone. The first sets what event_number() returns; SPELL_TEXT: that does not tell. */
enum event_spelling event_read_number(const struct event *event, const struct event_field *field, int64_t *number);
size_t event_spell_number(enum event_spelling spelling, int64_t number, char *text, size_t room);

/*
 * Names of threads. Learnt from `task` records, from text events' comm=, and from events_learn_names(), which a command
 * that sees every scheduler event calls for each of them. "?" for a thread never named; "swapper" for tid 0.
 */
const char *events_comm(const struct events *events, int32_t tid);
int32_t events_tgid(const struct events *events, int32_t tid); /* 0: unknown */
void events_learn_names(struct events *events, const struct event *event);
void events_keep_living(struct events *events); /* threads that ended are forgotten a while after; else never */
void events_each_thread(const struct events *events, void (*call)(void *context, int32_t tid, const char *comm), void *context);

/* Names of block devices from `device` records: "loop0"; "7:0" where none came. Scheduler "bfq" or "". dev: major << 20 | minor. */
const char *events_device_name(const struct events *events, uint64_t dev, char *text, size_t room);
const char *events_device_scheduler(const struct events *events, uint64_t dev);
uint64_t events_device_disk(const struct events *events, uint64_t dev); /* a partition's disk; else dev itself */

/* "7:0" and back; 7340032 and "7,0" are understood too. */
size_t device_spell(char *text, uint64_t dev);
int device_parse(const char *text, size_t length, uint64_t *dev);

#endif
