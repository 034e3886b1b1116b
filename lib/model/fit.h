/*
 * fit: text from outside made fit to print, and text made to fit into columns.
 *
 * A thread may have any name, and a terminal obeys escape sequences. Every text that the model holds has been through fit_clean():
 * it is valid UTF-8 without control characters. The caller frees every text that is returned.
 */
#ifndef MODEL_FIT_H
#define MODEL_FIT_H

#include <stddef.h>
#include <stdio.h>

#include "stream/fields.h"

/*
 * Valid UTF-8: invalid bytes, control characters, and characters that turn the direction of writing become \xHH. fit_cleaned() frees
 * the raw text. fit_field() takes the value of a record's key, "" where the record lacks it.
 */
char *fit_clean(const char *text);
char *fit_cleaned(char *raw);
char *fit_field(const struct fields *fields, const char *key);

/* How many columns of a terminal the text takes: a character takes one, two, or none. */
size_t fit_columns(const char *text);

/* At most this many columns, by "..." in the middle: both ends of a name tell it from others. */
char *fit_shorten(const char *text, size_t columns);

/* The same with whole words on both sides of " ... ", where there are words: no name is cut that matters. */
char *fit_abridge(const char *text, size_t columns);

/* Prints the lead and the text, broken at spaces; further lines are indented by the width of the lead. */
void fit_wrap(FILE *out, size_t width, const char *lead, const char *text);

#endif
