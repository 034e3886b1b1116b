/* Reads a table of the user's own: comma-separated values (RFC 4180), with the names in the first line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "run/table.h"

enum { CELLS_MAX = 1 << 20 };

typedef ARRAY(char *) texts;

struct csv {
	const char *name;
	FILE *file;
	int line;	/* number of the line at which the record begins */
	int lines;	/* lines read so far */
	texts header;
	texts all;	/* row by row */
	size_t rows;
};

static void free_cells(texts *cells)
{
	for (size_t i = 0; i < cells->count; i++)
		free(cells->items[i]);
	ARRAY_FREE(cells);
}

static int get(struct csv *csv)
{
	int c = getc(csv->file);

	csv->lines += c == '\n';
	return c;
}

/* Tells whether the text is the byte order mark of UTF-8, which spreadsheets write first. */
static bool is_mark(const char *text, size_t length)
{
	return length == 3 && !memcmp(text, "\xef\xbb\xbf", 3);
}

static bool is_blank(int c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Reads a value, without the blanks around it. Returns the comma or newline that ends it; EOF at the end; -2 after fail(). */
static int read_cell(struct csv *csv, texts *to)
{
	ARRAY(char) text = {0};
	bool quoted = false, was_quoted = false;
	int c;

	for (c = get(csv); c != EOF && (quoted || (c != ',' && c != '\n')); c = get(csv)) {
		if (c == '"' && quoted) {
			c = get(csv);
			quoted = c == '"';
			if (!quoted) {
				ungetc(c, csv->file);
				csv->lines -= c == '\n';
				continue;
			}
		} else if (c == '"' && text.count == 0 && !was_quoted) {
			quoted = was_quoted = true;
			continue;
		} else if (!quoted && (text.count == 0 || was_quoted) && is_blank(c)) {
			continue;
		}
		if (c == '\0') {
			free(text.items);
			return fail("%s:%d: a NUL in a value", csv->name, csv->line) - 1;
		}
		*ARRAY_ADD(&text) = (char)c;
		if (csv->line == 1 && to->count == 0 && is_mark(text.items, text.count))
			text.count = 0;
	}
	if (quoted) {
		free(text.items);
		return fail("%s:%d: the quote is not closed", csv->name, csv->line) - 1;
	}
	while (!was_quoted && text.count && is_blank(text.items[text.count - 1]))
		text.count--;
	*ARRAY_ADD(to) = memory_text(text.items ? text.items : "", text.count);
	free(text.items);
	return c;
}

/* Appends the values of a record; skips empty lines. Returns 1; 0: the end; -1 after fail(). */
static int read_record(struct csv *csv, texts *to)
{
	size_t before = to->count;
	int c;

	do {
		csv->line = csv->lines + 1;
		while ((c = read_cell(csv, to)) == ',')
			if (to->count - before >= CELLS_MAX)
				return fail("%s:%d: more than %d columns", csv->name, csv->line, CELLS_MAX);
		if (c == -2)
			return -1;
		if (to->count - before == 1 && !*to->items[before])
			free(to->items[--to->count]);
	} while (to->count == before && c != EOF);
	return to->count > before;
}

static bool is_unknown(const char *text)
{
	return !*text || !strcmp(text, "?");
}

/* Reads a record as read_record() does, and tells a failure to read from the end. */
static int next_record(struct csv *csv, texts *to)
{
	int status = read_record(csv, to);

	return status >= 0 && ferror(csv->file) ? fail_errno("cannot read '%s'", csv->name) : status;
}

static int read_rows(struct csv *csv)
{
	int status = next_record(csv, &csv->header);

	if (status <= 0)
		return status < 0 ? -1 : fail("'%s' is empty", csv->name);
	for (size_t i = 0; i < csv->header.count; i++)
		for (size_t j = 0; j < i; j++)
			if (!strcmp(csv->header.items[i], csv->header.items[j]))
				return fail("%s:1: the column '%s' comes twice", csv->name, csv->header.items[i]);
	while ((status = next_record(csv, &csv->all)) > 0) {
		size_t count = csv->all.count - csv->rows * csv->header.count;

		if (count != csv->header.count)
			return fail("%s:%d: %zu values, but the first line names %zu columns", csv->name, csv->line, count, csv->header.count);
		for (size_t i = csv->all.count - count; i < csv->all.count; i++)
			if (run_table_is_odd(csv->all.items[i], strlen(csv->all.items[i])))
				return fail("%s:%d: '%s' is %s", csv->name, csv->line, csv->header.items[i % csv->header.count], csv->all.items[i]);
		csv->rows++;
	}
	return status;
}

/* The column's texts, NULL for unknown values. The caller frees them. */
static char **texts_of(const struct csv *csv, size_t column)
{
	char **column_texts = memory_new(csv->rows + 1, sizeof(*column_texts));

	for (size_t i = 0; i < csv->rows; i++) {
		const char *text = csv->all.items[i * csv->header.count + column];

		column_texts[i] = is_unknown(text) ? NULL : memory_text(text, strlen(text));
	}
	return column_texts;
}

/* Sets the classes, sorted by name. */
static int set_classes(struct table *table, const struct csv *csv, size_t column)
{
	struct feature classes = {0};

	for (size_t i = 0; i < csv->rows; i++)
		if (is_unknown(csv->all.items[i * csv->header.count + column]))
			return fail("%s: row %zu has no class", csv->name, i + 1);
	feature_set_words(&classes, texts_of(csv, column), csv->rows);
	table->class_of = classes.words;
	table->class_names = classes.values;
	table->classes = classes.values_count;
	table->class_counts = memory_new(table->classes + 1, sizeof(*table->class_counts));
	for (size_t i = 0; i < csv->rows; i++)
		table->class_counts[table->class_of[i]]++;
	if (table->classes < 2)
		return fail("'%s' has %s, so there is nothing to tell apart", csv->name,
			    table->classes ? "one class only" : "no rows");
	return 0;
}

static int make(struct table *table, const struct csv *csv, const char *class_column)
{
	size_t column = 0;

	while (column < csv->header.count && strcmp(csv->header.items[column], class_column))
		column++;
	if (column == csv->header.count)
		return fail("'%s' has no column '%s'", csv->name, class_column);
	table->rows = csv->rows;
	if (set_classes(table, csv, column) < 0)
		return -1;
	table->unit_of = memory_new(csv->rows + 1, sizeof(*table->unit_of));
	for (size_t i = 0; i < csv->rows; i++)
		table->unit_of[i] = table->units++;
	table->feature = memory_new(csv->header.count, sizeof(*table->feature));
	for (size_t i = 0; i < csv->header.count; i++)
		if (i != column) {
			struct feature *feature = &table->feature[table->features++];

			feature->name = memory_text(csv->header.items[i], strlen(csv->header.items[i]));
			feature->explains = NAN;
			feature_set(feature, texts_of(csv, i), csv->rows);
		}
	return 0;
}

struct table *table_of_csv(const char *file, const char *class_column)
{
	bool standard = !strcmp(file, "-");
	struct csv csv = {.name = standard ? "standard input" : file, .file = standard ? stdin : fopen(file, "re")};
	struct table *table;

	if (!csv.file) {
		fail_errno("cannot open '%s'", file);
		return NULL;
	}
	table = NEW(struct table);
	if (read_rows(&csv) < 0 || make(table, &csv, class_column) < 0) {
		table_free(table);
		table = NULL;
	}
	free_cells(&csv.header);
	free_cells(&csv.all);
	if (!standard)
		fclose(csv.file);
	return table;
}
