/*
 * argument_record: the arguments of a function's call. It writes the words of a probe, and turns the kernel's events into those of the stream.
 *
 * The kernel hands out text without a bound, and a zero for a number that it cannot read. For text two steps away that it cannot read, it hands
 * out what its buffer held before. So the probe asks for more than is wanted: with each number also for text at the same place, whose length
 * tells whether the place could be read; and behind text two steps away for text that is always there. The stream's event is made of that:
 * numbers, text of at most ARGUMENT_TEXT_MOST bytes, and a field EVENT_UNKNOWN with a bit for each field that could not be read; the lowest bit
 * is for the first field behind the common ones.
 *
 *	argument_record_new()
 *	argument_record_fetch()		before the probe is made
 *	argument_record_learn()		when its format is there
 *	argument_record_take()		for each event
 */
#ifndef SOURCE_ARGUMENT_RECORD_H
#define SOURCE_ARGUMENT_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "program/argument.h"

struct argument_record;
struct tep_event;

enum { ARGUMENT_RECORD_ROOM = 4096 };

/*
 * The arguments in the event of a call's end, which are those of its result, or in that of its begin, which are the others. NULL: there are
 * none. The caller frees it.
 */
struct argument_record *argument_record_new(const struct arguments *arguments, const struct argument_found *found, bool at_end);

/*
 * The same, but never NULL. Besides the common fields the stream's events have only the arguments and EVENT_UNKNOWN, so that events of the same
 * function are alike in different programs. An absent argument is always unknown.
 */
struct argument_record *argument_record_new_alike(const struct arguments *arguments, const struct argument_found *found, bool at_end);
void argument_record_free(struct argument_record *record); /* NULL: nothing */

/*
 * The words that define the probe. Of an event at a call's end, `end` says where the probe is: behind the return, at an instruction that returns,
 * or at a jump to another function, where there is no result. The caller frees them; NULL after fail().
 */
enum argument_end { ARGUMENT_END_BEHIND, ARGUMENT_END_RETURN, ARGUMENT_END_JUMP };
char *argument_record_fetch(const struct argument_record *record, enum argument_end end);

/* Learns from the kernel's format where the arguments lie, and replaces *format and *length by those of the stream's events. -1 after fail(). */
int argument_record_learn(struct argument_record *record, struct tep_event *event, char **format, int *length);

/*
 * Makes the stream's event from the kernel's. Returns its size, at most ARGUMENT_RECORD_ROOM; 0: the kernel's event is cut. Unless `trusted`,
 * arguments whose places were written down (program/members.h) are unknown.
 */
size_t argument_record_take(const struct argument_record *record, const char *payload, size_t size, bool trusted, char bytes[ARGUMENT_RECORD_ROOM]);

/*
 * The descriptor is the number with this label, if its place was written down. The first function tells whether the record has one; the second
 * reads it from the kernel's event; false: unknown.
 */
#define ARGUMENT_DESCRIPTOR "fd"
bool argument_record_has_descriptor(const struct argument_record *record);
bool argument_record_descriptor(const struct argument_record *record, const char *payload, size_t size, int64_t *fd);

/* Read argument number `which` from the kernel's event, as a number or a text. False: unknown. */
bool argument_record_number(const struct argument_record *record, int which, const char *payload, size_t size, uint64_t *number);
bool argument_record_text(const struct argument_record *record, int which, const char *payload, size_t size, char text[ARGUMENT_TEXT_MOST + 1]);

#endif
