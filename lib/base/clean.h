/*
 * clean: text from outside made fit for a terminal. A thread may call itself anything, and a terminal obeys what stands
 * in its output.
 */
#ifndef BASE_CLEAN_H
#define BASE_CLEAN_H

#include <stddef.h>

/*
 * A copy, which the caller frees, that is valid UTF-8: what is not, control characters, and those that turn the
 * direction of writing become \xHH. Tabs and newlines are control characters, too.
 */
char *clean_text(const char *text, size_t length);

#endif
