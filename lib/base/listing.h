/*
 * listing: the names that a table has: formats, methods, algorithms. So --help, messages and completion list
 * just what there is.
 */
#ifndef BASE_LISTING_H
#define BASE_LISTING_H

#include <stddef.h>

/* The name at an index of the table; NULL behind the last. */
typedef const char *listing_name(size_t index);

/* "a, b or c", where the last word is "or"; the first is marked where `marked`, such as "a (default)". The caller frees it. */
char *listing_words(listing_name *name, const char *last, const char *marked);

/* Fails with "there is no WHAT 'word'; there are a, b and c". Returns -1. */
int listing_refuse(const char *what, const char *word, listing_name *name);

#endif
