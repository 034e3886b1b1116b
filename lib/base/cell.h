/*
 * cell: cells of a table in RFC 4180, which a spreadsheet may open.
 */
#ifndef BASE_CELL_H
#define BASE_CELL_H

#include <stddef.h>
#include <stdio.h>

/*
 * Writes a cell, in quotes if needed. Text that a spreadsheet would take for a formula gets an apostrophe in front. Bytes that are no
 * part of UTF-8, and control characters, which a terminal may obey, are spelled \xhh; tabs and the ends of lines stay. The caller writes the
 * comma after the cell.
 */
void cell_write(FILE *out, const char *text, size_t length);

#endif
