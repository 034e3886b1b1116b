/*
 * foreign: files of other kinds that people hand to a command by mistake.
 */
#ifndef STREAM_FOREIGN_H
#define STREAM_FOREIGN_H

#include <stddef.h>

/* What a file that begins with these bytes is and what to do with it; NULL: nothing that is known. */
const char *foreign_hint(const char *start, size_t length);

#endif
