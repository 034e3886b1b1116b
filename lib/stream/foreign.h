/*
 * foreign: recognises files of other programs that people give to a command by mistake.
 */
#ifndef STREAM_FOREIGN_H
#define STREAM_FOREIGN_H

#include <stddef.h>

/* Names the kind of a file that begins with these bytes, and the command that reads it; NULL: unknown. */
const char *foreign_hint(const char *start, size_t length);

#endif
