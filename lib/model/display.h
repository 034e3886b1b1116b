/*
 * display: text from outside, made safe to print and cut to the columns of a terminal.
 *
 * A thread may have any name, and a terminal obeys escape sequences. Every text that the model holds has been through display_clean():
 * it is valid UTF-8 without control characters. The caller frees every text that is returned.
 */
#ifndef MODEL_DISPLAY_H
#define MODEL_DISPLAY_H

#include <stddef.h>
#include <stdio.h>

#include "stream/fields.h"

/*
 * Return valid UTF-8: invalid bytes, control characters, and characters that change the direction of writing become \xHH. display_cleaned()
 * also frees the raw text. display_field() cleans the value of a record's key; "" if the record lacks it.
 */
char *display_clean(const char *text);
char *display_cleaned(char *raw);
char *display_field(const struct fields *fields, const char *key);

/* The number of columns of a terminal that the text takes: a character takes one, two, or none. */
size_t display_columns(const char *text);

/* Cuts the text to at most this number of columns, with "..." in the middle, because either end may tell a name from others. */
char *display_shorten(const char *text, size_t columns);

/* The same, but cuts between words, with " ... ", if there are words, so that names stay whole. */
char *display_abridge(const char *text, size_t columns);

/* Prints the lead and the text in lines of at most `width` columns, broken at spaces and indented by the width of the lead. */
void display_wrap(FILE *out, size_t width, const char *lead, const char *text);

#endif
