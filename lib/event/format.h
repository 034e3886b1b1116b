/*
 * format: the kernel's description of an event, as tracefs and streams have it, read by libtraceevent.
 *
 * A stream may be damaged, or made by somebody who means harm, and the library was written for text that a kernel made.
 * So it gets only what looks as if one had, and of that only the fields; how an event is printed only where that is asked for.
 */
#ifndef EVENT_FORMAT_H
#define EVENT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"

struct tep_handle;
struct tep_event;
struct tep_format_field;

/*
 * Reads the text of a format file, `whole` or without the print format; the event becomes the handle's. NULL after fail().
 * A print format that the library does not understand is no failure; see TEP_EVENT_FL_FAILED.
 */
struct tep_event *format_read(struct tep_handle *tep, const char *system, const char *text, size_t length, bool whole);

enum event_spelling format_spelling(const struct tep_format_field *field);

/* Whether so many bytes can be a number. */
bool format_is_number(size_t length);

/* Where the bytes of an event's field are in its payload; false: not within it. */
bool format_locate(const struct tep_format_field *field, const struct event *event, uint32_t *offset, uint32_t *length);

#endif
