/*
 * reading: a field of an event as a chart definition reads it, "FIELD" or "FIELD:READING". Each reading is one entry of
 * the table in reading.c:
 *
 *	dev:disk	the disk of a partition
 *	id:syscall	spelled as the name of a system call of the machine that the stream came from; "syscall_7" where that machine or
 *			the call is not known
 *	ret:error	1 if a system call that returns this has failed, else 0. Not failed has one that says "nothing yet" (EAGAIN,
 *			EINPROGRESS), as those do that do not wait, nor one that a signal interrupted (EINTR and the kernel's
 *			own restart codes)
 *
 * A reading is a number first, for keys and tables, and is spelled only when someone wants to see it.
 */
#ifndef CHART_READING_H
#define CHART_READING_H

#include "chart/sample.h"
#include "event/event.h"

enum { READING_ROOM = 128 }; /* longer spellings are cut */

struct reading {
	char name[48];		      /* the field's */
	char label[SAMPLE_NAME_ROOM]; /* its name in a signal */
	const struct event_field *field;
	const struct reading_kind *kind;
};

/* What spelling needs to know of the stream; `machine` is the `machine` key of the stream record, "" is this one. */
struct reading_world {
	const struct events *events;
	char machine[32];
};

/* Resolves the text of a definition. 0; -1 after fail(): an unknown reading. */
int reading_make(struct reading *reading, struct event_type *type, const char *text);

/* The value as a number; of a field that is text or an array, a hash of how it is spelled. */
int64_t reading_number(const struct reading *reading, const struct reading_world *world, const struct event *event);

/* The number that stands for a text. */
int64_t reading_hash(const char *text);

/* The value as people read it: "7:0", "futex", "18". Returns its length, cut at room - 1. */
size_t reading_spell(const struct reading *reading, const struct reading_world *world, const struct event *event,
		     char *text, size_t room);

/* The same from a number that reading_number() gave, and how that event spelled it; if that is SPELL_TEXT, the number does not tell. */
enum event_spelling reading_spelling(const struct reading *reading, const struct event *event);
size_t reading_spell_number(const struct reading *reading, const struct reading_world *world, enum event_spelling spelling,
			    int64_t number, char *text, size_t room);

#endif
