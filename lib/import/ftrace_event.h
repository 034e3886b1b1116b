/*
 * ftrace_event: reads the part after the time in a line of ftrace text: "EVENT: PAYLOAD", and the kernel's other spellings.
 */
#ifndef IMPORT_FTRACE_EVENT_H
#define IMPORT_FTRACE_EVENT_H

#include "import/span.h"
#include "import/text.h"

/* Sets the event's system, name and payload (valid until the next call). false: it is no event. */
bool ftrace_event_take(struct span rest, struct text_event *event);

#endif
