#include "state/rows.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jansson.h>

#include "base/cell.h"
#include "base/clean.h"
#include "base/memory.h"
#include "base/number.h"

struct rows {
	FILE *out;
	enum rows_format format;
	int64_t wall;
	const struct rows_column *columns;
	size_t count, column;
	uint64_t row;
};

const char *rows_format_name(size_t index)
{
	static const char *const names[] = {[ROWS_TEXT] = "text", [ROWS_JSON] = "json", [ROWS_CSV] = "csv"};

	return index < ROWS_FORMATS ? names[index] : NULL;
}

struct rows *rows_new(FILE *out, enum rows_format format, int64_t wall)
{
	struct rows *rows = NEW(struct rows);

	rows->out = out;
	rows->format = format;
	rows->wall = wall;
	return rows;
}

/* The last cell of a row is not padded on its right. */
static int width_of(const struct rows *rows, size_t column)
{
	int width = rows->format == ROWS_TEXT ? rows->columns[column].width : 0;

	return width < 0 && column + 1 == rows->count ? 0 : width;
}

void rows_begin(struct rows *rows, const struct rows_column *columns, size_t count)
{
	rows->columns = columns;
	rows->count = count;
	if (rows->format == ROWS_JSON)
		fputc('[', rows->out);
	for (size_t i = 0; i < count && rows->format == ROWS_CSV; i++)
		fprintf(rows->out, "%s%s", columns[i].name, i + 1 < count ? "," : "\n");
	for (size_t i = 0; i < count && rows->format == ROWS_TEXT && columns->width; i++)
		fprintf(rows->out, "%*s%s", width_of(rows, i), columns[i].name, i + 1 < count ? "  " : "\n");
}

/* Writes the text before a cell. */
static void begin_cell(struct rows *rows)
{
	bool first = rows->column == 0;

	switch (rows->format) {
	case ROWS_JSON:
		fprintf(rows->out, first ? "%s\n{\"%s\":" : "%s\"%s\":", !first ? "," : rows->row ? "," : "", rows->columns[rows->column].name);
		break;
	case ROWS_CSV:
		fputs(first ? "" : ",", rows->out);
		break;
	default:
		fputs(first ? "" : "  ", rows->out);
	}
}

static void end_cell(struct rows *rows)
{
	if (++rows->column < rows->count)
		return;
	fputs(rows->format == ROWS_JSON ? "}" : "\n", rows->out);
	rows->column = 0;
	rows->row++;
}

static void put_text(const struct rows *rows, const char *text)
{
	int width = width_of(rows, rows->column);

	if (width)
		fprintf(rows->out, "%*s", width, text);
	else
		fputs(text, rows->out);
}

static void put_number(struct rows *rows, const char *text)
{
	begin_cell(rows);
	put_text(rows, text);
	end_cell(rows);
}

void rows_text(struct rows *rows, const char *text, size_t length)
{
	char *clean;

	begin_cell(rows);
	if (rows->format == ROWS_CSV) {
		cell_write(rows->out, text, length);
	} else {
		clean = clean_text(text, length);
		if (rows->format == ROWS_JSON) {
			json_t *string = json_string(clean);

			json_dumpf(string, rows->out, JSON_ENCODE_ANY);
			json_decref(string);
		} else {
			put_text(rows, clean);
		}
		free(clean);
	}
	end_cell(rows);
}

void rows_value(struct rows *rows, struct state_value value)
{
	char room[STATE_VALUE_ROOM];
	size_t length;
	const char *text = state_value_spell(value, room, &length);

	if (value.kind == STATE_TEXT)
		rows_text(rows, text, length);
	else
		put_number(rows, value.kind == STATE_NULL && rows->format == ROWS_JSON ? "null" : text);
}

void rows_count(struct rows *rows, uint64_t count)
{
	char text[NUMBER_ROOM];

	number_spell_unsigned(text, count);
	put_number(rows, text);
}

void rows_share(struct rows *rows, double share)
{
	char text[NUMBER_ROOM];

	if (rows->format == ROWS_TEXT)
		snprintf(text, sizeof(text), "%.1f %%", 100 * share);
	else
		number_spell_double(text, share);
	put_number(rows, text);
}

void rows_spell_clock(char text[NUMBER_ROOM], int64_t ns)
{
	time_t seconds = (time_t)(ns / NSEC_PER_SEC);
	int64_t rest = ns % NSEC_PER_SEC;
	struct tm day;

	if (rest < 0) {
		rest += NSEC_PER_SEC;
		seconds--;
	}
	localtime_r(&seconds, &day);
	snprintf(text, NUMBER_ROOM, "%02d:%02d:%02d.%09lld", day.tm_hour, day.tm_min, day.tm_sec, (long long)rest);
}

void rows_time(struct rows *rows, int64_t ts)
{
	char text[NUMBER_ROOM];
	int64_t wall;

	if (rows->format == ROWS_TEXT && rows->wall != INT64_MIN && !__builtin_add_overflow(rows->wall, ts, &wall))
		rows_spell_clock(text, wall);
	else
		number_spell_time(text, ts);
	put_number(rows, text);
}

void rows_duration(struct rows *rows, int64_t ns)
{
	char text[NUMBER_ROOM];

	if (rows->format == ROWS_TEXT)
		number_human_duration(text, ns);
	else
		number_spell_time(text, ns);
	put_number(rows, text);
}

void rows_end(struct rows *rows)
{
	if (rows->format == ROWS_JSON)
		fputs(rows->row ? "\n]\n" : "]\n", rows->out);
	free(rows);
}
