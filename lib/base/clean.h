/*
 * clean: makes text from outside fit for a terminal. A thread may have any name, and a terminal obeys escape sequences.
 */
#ifndef BASE_CLEAN_H
#define BASE_CLEAN_H

#include <stddef.h>

/*
 * A copy in valid UTF-8; the caller frees it. Invalid bytes, control characters (tabs and newlines, too), and characters that
 * turn the direction of writing become \xHH.
 */
char *clean_text(const char *text, size_t length);

#endif
