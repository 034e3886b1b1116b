/*
 * known: how events are printed by kernels and tools, as charts/formats/kernel.formats tells it.
 */
#ifndef IMPORT_KNOWN_H
#define IMPORT_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "stream/line.h"

struct known;

struct known *known_load(void); /* NULL after fail() */
void known_free(struct known *known);

/*
 * The system of an event: as given, or where that is NULL, as the list has it, preferring one whose layout the text has. "unknown"
 * where the list lacks the event.
 */
const char *known_system(struct known *known, const char *name, const char *text, size_t length);

/*
 * Appends the fields of an event's text. Returns how much of it was read, for a tool or a kernel may go on otherwise; 0: it has none of
 * the known layouts, and the line is as it was.
 */
size_t known_read(struct known *known, const char *system, const char *name, const char *text, size_t length, struct line *line);

/* Whether a layout of this very event is known, by no pattern. */
bool known_has_layout(struct known *known, const char *system, const char *name);

#endif
