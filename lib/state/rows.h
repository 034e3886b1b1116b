/*
 * rows: writes a table as text, JSON (an array with an object a row), or comma-separated values.
 *
 *	rows = rows_new(stdout, ROWS_JSON, wall)
 *	rows_begin(rows, columns, count)
 *	rows_text(rows, text, length)			or rows_value() ...: one cell a call, in order
 *	rows_end(rows)
 */
#ifndef STATE_ROWS_H
#define STATE_ROWS_H

#include <stdio.h>

#include "base/number.h"
#include "state/value.h"

enum rows_format { ROWS_TEXT, ROWS_JSON, ROWS_CSV, ROWS_FORMATS };
const char *rows_format_name(size_t index); /* NULL after the last */

struct rows;

/*
 * `wall` is the wall-clock time of trace time 0, ns since 1970: text then shows times of the day. INT64_MIN: text shows times of the trace clock,
 * as JSON and CSV always do. The stream stays the caller's.
 */
struct rows *rows_new(FILE *out, enum rows_format format, int64_t wall);

/* The width applies to text only; a negative one aligns to the left. If that of the first column is not 0, a line of names comes first. */
struct rows_column {
	const char *name;
	int width;
};

/* The columns must outlive the rows. */
void rows_begin(struct rows *rows, const struct rows_column *columns, size_t count);

/* The cells of a row, in order. */
void rows_text(struct rows *rows, const char *text, size_t length);
void rows_value(struct rows *rows, struct state_value value);
void rows_count(struct rows *rows, uint64_t count);
void rows_share(struct rows *rows, double share);
void rows_time(struct rows *rows, int64_t ts);
void rows_duration(struct rows *rows, int64_t ns);

/* Ends the table and frees `rows`. */
void rows_end(struct rows *rows);

/* Spells a time since 1970 as 15:43:07.200000000, in this machine's time zone. */
void rows_spell_clock(char text[NUMBER_ROOM], int64_t ns);

#endif
