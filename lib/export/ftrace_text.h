/*
 * ftrace_text: a payload in the kernel's spelling where the stream has the event as text, without its print format.
 */
#ifndef EXPORT_FTRACE_TEXT_H
#define EXPORT_FTRACE_TEXT_H

#include "event/event.h"
#include "stream/fields.h"
#include "stream/line.h"

/*
 * What viewers trip over in a text, made harmless in place: control characters; brackets, which hold the CPU in a line
 * of ftrace, and parentheses, which hold a call's arguments; in a thread's name the '=' too, which would begin a field.
 */
void ftrace_clean(const char *field, char *text, size_t length);

/* The field that has a column of its own, and so no place in the payload. */
#define FTRACE_FLAGS "common_flags"
bool ftrace_is_flags(const struct field *field);

/*
 * Appends the payload of an event of these fields: as the kernel prints it where that is known, else key=value. The
 * fields are a whole event line; the event's own stand behind its name=. If not `exact`, without brackets and cleaned.
 */
void ftrace_spell(const struct fields *fields, const char *name, bool exact, struct line *line);

#endif
