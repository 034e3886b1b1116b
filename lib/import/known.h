/*
 * known: print formats of kernels and tools, from charts/formats/kernel.formats.
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
 * The system of an event: `system`; if that is NULL, the list's, preferring a system whose layout fits the text; "unknown" if the list
 * lacks the event.
 */
const char *known_system(struct known *known, const char *name, const char *text, size_t length);

/*
 * Appends the fields of an event's text. Returns the length read, because tools and kernels may append more; 0: no known layout fits,
 * and the line is unchanged.
 */
size_t known_read(struct known *known, const char *system, const char *name, const char *text, size_t length, struct line *line);

/* Tells whether a layout of this event itself is known, not only by a pattern. */
bool known_has_layout(struct known *known, const char *system, const char *name);

#endif
