/*
 * chart_field: a field of an event as a chart definition uses it, "FIELD" or "FIELD:FORM". The forms are a table in chart_field.c:
 *
 *	dev:disk	the disk of a partition
 *	id:syscall	spelled as the name of a system call of the stream's machine; "syscall_7" if the machine or the call is unknown
 *	prev_state:runnable	1 if a thread that leaves its CPU in this state still wants to run
 *	rwbs:flush	1 if a block request flushes a cache
 *	rwbs:waited	1 if somebody may wait for a block request: a read, or a write to be done at once; 0 for others and a discard
 *	rwbs:discard	1 if a block request is a discard
 *	ret:error	1 if a system call that returns this has failed, else 0. "Nothing yet" (EAGAIN, EINPROGRESS) and an
 *			interruption by a signal (EINTR, the kernel's own restart codes) are no failures.
 *
 *	pid:command	1 if it is the process of the user's command
 *
 * A field is read as a number, for keys and tables. It is spelled only for people.
 */
#ifndef CHART_CHART_FIELD_H
#define CHART_CHART_FIELD_H

#include "chart/sample.h"
#include "event/event.h"

enum { FIELD_ROOM = 128, SHOWN_ROOM = 1024 }; /* longer spellings are cut; SHOWN_ROOM: of `show` fields */

struct chart_field {
	char name[64]; /* as long as an argument's (program/argument.h) */
	char label[SAMPLE_NAME_ROOM]; /* its name in a signal */
	const struct event_field *raw;
	const struct field_form *form;
};

/* The facts about the stream that spelling needs; `machine` is the `machine` key of the stream record, "" if that has none. */
struct field_world {
	const struct events *events;
	char machine[32];
	int64_t command; /* process of the user's command; 0: there is none */
};

/* Resolves "FIELD" or "FIELD:FORM". 0; -1 after fail(): an unknown form. */
int chart_field_make(struct chart_field *field, struct event_type *type, const char *text);

/* The value as a number; of a text or an array, a hash of its spelling. */
int64_t chart_field_number(const struct chart_field *field, const struct field_world *world, const struct event *event);

/* The number that stands for a text. */
int64_t chart_field_hash(const char *text);

/* Spells the value: "7:0", "futex", "18". Returns the length, cut at room - 1. */
size_t chart_field_spell(const struct chart_field *field, const struct field_world *world, const struct event *event,
			 char *text, size_t room);

/* Spells a number from chart_field_number() as its event spelled it; SPELL_TEXT: a number cannot stand for this field. */
enum event_spelling chart_field_spelling(const struct chart_field *field, const struct event *event);
size_t chart_field_spell_number(const struct chart_field *field, const struct field_world *world, enum event_spelling spelling,
				int64_t number, char *text, size_t room);

#endif
