/*
 * print_layout: reads the fields of an event back from its printed text, by inverting its print format.
 *
 * A layout is made from the event's print format, which libtraceevent parses. Each conversion of the format is one piece: the literal
 * text before it, and the meaning of its argument. A number that is a part of a field (REC->dev >> 20) is shifted back, and parts of
 * one field are joined. Names for numbers (__print_symbolic, __print_flags, c ? "yes" : "no") become numbers again. An argument that
 * cannot be inverted, such as a difference, is passed over.
 */
#ifndef IMPORT_PRINT_LAYOUT_H
#define IMPORT_PRINT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/line.h"

struct print_layout;

/* NULL: the print format cannot be inverted. `format` is the text after "print fmt:" in a format file. */
struct print_layout *print_layout_new(const char *format);
void print_layout_free(struct print_layout *layout);

/*
 * The part of a text that must fit the layout: all of it; up to a blank; or up to another name=value or the end, because kernels and
 * tools of other versions add, drop and rename fields.
 */
enum layout_fit { LAYOUT_WHOLE, LAYOUT_BEGIN, LAYOUT_PART, LAYOUT_FITS };

/* Appends the fields of a text to the line. Returns the length read; -1: the layout does not fit, and the line is unchanged. */
long print_layout_read(const struct print_layout *layout, enum layout_fit fit, const char *text, size_t length, struct line *line);

/*
 * The same without a layout: takes everything of the form name=value or name: value. `hexadecimal`: numbers without 0x are so, too.
 * Returns the number of fields found.
 */
int print_layout_guess(const char *text, size_t length, bool hexadecimal, struct line *line);

/* Appends a number in the text's spelling; a hexadecimal number without 0x gets one, so that it reads back as a number. */
void print_layout_number(struct line *line, const char *field, const char *text, size_t length, bool hexadecimal);

#endif
