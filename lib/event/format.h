/*
 * format: the kernel's description of an event, as tracefs and streams have it, read by libtraceevent.
 *
 * The library was written for text from a kernel; a stream may be damaged or hostile. So format_read() checks that each line
 * looks like a kernel's, and passes only the fields to the library; on request also the print format, if the library can read it.
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
 * Reads the text of a format file; `whole`: with its print format. The handle owns the event. NULL after fail().
 * An unreadable print format is no failure; see TEP_EVENT_FL_FAILED.
 */
struct tep_event *format_read(struct tep_handle *tep, const char *system, const char *text, size_t length, bool whole);

enum event_spelling format_spelling(const struct tep_format_field *field);

/* Tells whether a number can have this many bytes. */
bool format_is_number(size_t length);

/* Sets the offset and length of a field's bytes in the event's payload; false: they reach beyond it. */
bool format_locate(const struct tep_format_field *field, const struct event *event, uint32_t *offset, uint32_t *length);

/*
 * Tells whether the library can print this event by its print format: the library divides by a zero in the payload, follows any index and any count
 * there to whatever is behind the payload, and makes a text of any width. Payloads are as hostile as formats.
 */
bool format_prints(const struct event *event);

/* Tells whether the library can print by this format of trace_printk(). */
bool format_is_printk(const char *text);

#endif
