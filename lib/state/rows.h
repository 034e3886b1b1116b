/*
 * rows: writes a table as text, JSON (an array with an object a row), or comma-separated values.
 *
 *	rows = rows_new(stdout, ROWS_JSON)
 *	rows_begin(rows, columns, count)
 *	rows_text(rows, text, length)			or another: a cell each, in order
 *	rows_end(rows)
 */
#ifndef STATE_ROWS_H
#define STATE_ROWS_H

#include <stdio.h>

#include "base/number.h"
#include "state/value.h"

enum rows_format { ROWS_TEXT, ROWS_JSON, ROWS_CSV, ROWS_FORMATS };
const char *rows_format_name(size_t index); /* NULL behind the last */

struct rows;

/*
 * `wall`: the wall-clock time of the trace clock's zero, ns since 1970, where text tells times of the day; INT64_MIN: times of the trace clock. JSON
 * and CSV always have these.
 */
struct rows *rows_new(FILE *out, enum rows_format format, int64_t wall);

/* Widths are those of text: negative ones align to the left, and where the first is not 0, the names stand above. */
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

/* Ends and frees. */
void rows_end(struct rows *rows);

/* Of a time since 1970: 15:43:07.200000000, of this machine's time zone. */
void rows_spell_clock(char text[NUMBER_ROOM], int64_t ns);

#endif
