/*
 * listing: the names in a table of formats, methods or algorithms, so that --help, messages and completion list exactly those.
 */
#ifndef BASE_LISTING_H
#define BASE_LISTING_H

#include <stddef.h>

/* The name at an index of the table; NULL after the last. */
typedef const char *listing_name(size_t index);

/* "a, b or c", with "or" as `last`; `marked`, such as " (default)" or "", follows the first name. The caller frees it. */
char *listing_words(listing_name *name, const char *last, const char *marked);

/* The index of a word in the table. -1 after fail(): "there is no WHAT 'word'; there are a, b and c". */
int listing_find(const char *what, const char *word, listing_name *name);

#endif
