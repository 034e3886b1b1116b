/*
 * spell: a kernel event as its text line: event ts= cpu= tid= comm= name= and its own fields in the kernel's order.
 */
#ifndef EVENT_SPELL_H
#define EVENT_SPELL_H

#include "event/event.h"

/* Begins the line and writes a raw event into it. */
void event_spell(const struct event *event, const char *comm, struct line *line);

#endif
