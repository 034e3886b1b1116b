#include "run/run_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/number.h"

/* Texts of cells, each kept once. */
struct texts {
	char *text;
	UT_hash_handle hh;
};

struct node_name {
	char *name;
	int index;
	UT_hash_handle hh;
};

struct run_table *run_table_new(void)
{
	return NEW(struct run_table);
}

static void free_columns(struct run_column **columns)
{
	struct run_column *column, *next;

	HASH_ITER(hh, *columns, column, next) {
		HASH_DEL(*columns, column);
		free(column->name);
		free(column->cells.items);
		free(column);
	}
}

static void free_rows(struct run_table *table)
{
	HASH_CLEAR(hh, table->by_id);
	for (size_t i = 0; i < table->rows.count; i++) {
		free(table->rows.items[i]->id);
		free(table->rows.items[i]->job);
		free(table->rows.items[i]->label);
		free(table->rows.items[i]);
	}
	free(table->rows.items);
}

void run_table_free(struct run_table *table)
{
	struct texts *text, *next_text;
	struct node_name *node, *next_node;

	free_columns(&table->columns);
	free_columns(&table->settings);
	free_rows(table);
	HASH_ITER(hh, table->texts, text, next_text) {
		HASH_DEL(table->texts, text);
		free(text->text);
		free(text);
	}
	HASH_ITER(hh, table->node_names, node, next_node) {
		HASH_DEL(table->node_names, node);
		free(node->name);
		free(node);
	}
	for (size_t i = 0; i < table->unread.count; i++)
		free(table->unread.items[i].file);
	for (size_t i = 0; i < table->only.count; i++)
		free(table->only.items[i]);
	free(table->unread.items);
	free(table->only.items);
	free(table->nodes.items);
	free(table);
}

void run_table_only(struct run_table *table, const char *name)
{
	*ARRAY_ADD(&table->only) = memory_text(name, strlen(name));
}

static int node_of(struct run_table *table, const struct fields *fields)
{
	char *name = fields_copy(fields, "node");
	struct node_name *node = NULL;

	if (!name)
		return RUN_UNKNOWN_NODE;
	HASH_FIND_STR(table->node_names, name, node);
	if (node) {
		free(name);
		return node->index;
	}
	node = NEW(struct node_name);
	node->name = name;
	node->index = (int)table->nodes.count;
	*ARRAY_ADD(&table->nodes) = name;
	HASH_ADD_KEYPTR(hh, table->node_names, node->name, strlen(node->name), node);
	return node->index;
}

static struct run_row *find_row(const struct run_table *table, const char *id, size_t length)
{
	struct run_row *row;

	HASH_FIND(hh, table->by_id, id, length, row);
	return row;
}

static int add_run(struct run_table *table, const struct fields *fields)
{
	char *id = fields_copy(fields, "id"), *job;
	struct run_row *row;
	uint64_t code = 0;
	int has_exit = fields_unsigned(fields, "exit", &code);

	if (!id)
		return fail("a run needs an id");
	if (find_row(table, id, strlen(id))) {
		fail("the run '%s' comes twice", id);
		free(id);
		return -1;
	}
	row = NEW(struct run_row);
	row->id = id;
	job = fields_copy(fields, "job");
	row->job = job ? job : memory_text("", 0);
	row->label = fields_copy(fields, "class");
	row->own_label = row->label;
	row->node = node_of(table, fields);
	row->elapsed = row->ts = NAN;
	row->exit = has_exit > 0 && code <= INT16_MAX ? (int)code : -1;
	row->partial = fields_is(fields, "partial", "yes");
	row->incomplete = fields_is(fields, "complete", "no");
	row->childless = fields_is(fields, "children", "no");
	row->light = fields_is(fields, "light", "yes");
	row->index = (uint32_t)table->rows.count;
	*ARRAY_ADD(&table->rows) = row;
	HASH_ADD_KEYPTR(hh, table->by_id, row->id, strlen(row->id), row);
	if (has_exit < 0 || fields_double(fields, "elapsed", &row->elapsed) < 0 || fields_double(fields, "ts", &row->ts) < 0)
		return -1;
	if (row->label && strcmp(row->label, "good") && strcmp(row->label, "bad") && strcmp(row->label, "between") && strcmp(row->label, "odd"))
		return fail("the class of a run is good, bad, between or odd, not '%s'", row->label);
	return 0;
}

/* The run that a record is about; remembers the last one. NULL after fail(). */
static struct run_row *row_of(struct run_table *table, const struct fields *fields)
{
	const struct field *field = fields_find(fields, "run");
	char *id;

	if (!field) {
		fail("run= is missing");
		return NULL;
	}
	if (table->last && !field->escaped && strlen(table->last->id) == field->value_length &&
	    !memcmp(table->last->id, field->value, field->value_length))
		return table->last;
	id = fields_copy(fields, "run");
	table->last = find_row(table, id, strlen(id));
	if (!table->last)
		fail("there is no run '%s' before this", id);
	free(id);
	return table->last;
}

static struct run_column *column_of(struct run_column **columns, const char *name, size_t length, bool config)
{
	struct run_column *column;

	HASH_FIND(hh, *columns, name, length, column);
	if (!column) {
		column = NEW(struct run_column);
		column->name = memory_text(name, length);
		column->config = config;
		HASH_ADD_KEYPTR(hh, *columns, column->name, length, column);
	}
	return column;
}

static const char *keep_text(struct run_table *table, char *text)
{
	struct texts *kept;

	HASH_FIND_STR(table->texts, text, kept);
	if (kept) {
		free(text);
		return kept->text;
	}
	kept = NEW(struct texts);
	kept->text = text;
	HASH_ADD_KEYPTR(hh, table->texts, kept->text, strlen(kept->text), kept);
	return kept->text;
}

bool run_table_is_zero(const char *name)
{
	static const char *const kinds[] = {"count.", "errors.", "time.", "next."};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strncmp(name, kinds[i], strlen(kinds[i])))
			return true;
	return false;
}

bool run_table_is_odd(const char *value, size_t length)
{
	static const char *const words[] = {"nan", "inf", "infinity"};
	size_t sign = length && strchr("+-", *value) ? 1 : 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (length - sign == strlen(words[i]) && !strncasecmp(value + sign, words[i], strlen(words[i])))
			return true;
	return false;
}

static int add_cell(struct run_table *table, struct run_column *column, uint32_t row, const struct field *field)
{
	struct run_cell cell = {.row = row, .number = NAN};
	char *text;

	if (column->cells.count && column->cells.items[column->cells.count - 1].row == row)
		return fail("'%s' comes twice for the run '%s'", column->name, table->rows.items[row]->id);
	if (number_double(field->value, field->value_length, &cell.number) < 0 || column->config || !strncmp(column->name, "fact.", 5)) {
		text = memory_new(field->value_length + 1, 1);
		field_text(field, text, field->value_length + 1);
		cell.text = keep_text(table, text);
	}
	*ARRAY_ADD(&column->cells) = cell;
	return 0;
}

static bool is_kept(const struct run_table *table, const struct field *field)
{
	for (size_t i = 0; i < table->only.count; i++)
		if (strlen(table->only.items[i]) == field->key_length && !memcmp(table->only.items[i], field->key, field->key_length))
			return true;
	return table->only.count == 0;
}

static int add_features(struct run_table *table, const struct fields *fields)
{
	const struct run_row *row = row_of(table, fields);

	if (!row)
		return -1;
	for (int i = 0; i < fields->count; i++) {
		const struct field *field = &fields->item[i];

		if (field->key_length == 3 && !memcmp(field->key, "run", 3))
			continue;
		if (run_table_is_odd(field->value, field->value_length))
			return fail("'%.*s' is %.*s for the run '%s'", (int)field->key_length, field->key, (int)field->value_length,
				    field->value, row->id);
		if (is_kept(table, field) &&
		    add_cell(table, column_of(&table->columns, field->key, field->key_length, false), row->index, field) < 0)
			return -1;
	}
	return 0;
}

static int add_config(struct run_table *table, const struct fields *fields)
{
	struct run_row *row = row_of(table, fields);
	char *name = fields_copy(fields, "name");
	const struct field *value = fields_find(fields, "value");
	int status = -1;

	if (row && !name)
		fail("name= is missing");
	if (row && name) {
		row->has_config = true;
		status = 0;
		if (value && !table->only.count)
			status = add_cell(table, column_of(&table->settings, name, strlen(name), true), row->index, value);
		else if (!value)
			*ARRAY_ADD(&table->unread) = (struct run_unread){row->index, memory_text(name, strlen(name))};
	}
	free(name);
	return status;
}

static int add_label(struct run_table *table, const struct fields *fields)
{
	struct run_row *row = row_of(table, fields);

	if (!row)
		return -1;
	if (row->own_label) /* it wins over `label` records */
		return 0;
	free(row->label);
	row->label = fields_copy(fields, "class");
	return row->label ? 0 : fail("class= is missing");
}

int run_table_add(struct run_table *table, const struct fields *fields, enum kind kind)
{
	switch (kind) {
	case KIND_RUN:
		return add_run(table, fields);
	case KIND_FEATURES:
		return add_features(table, fields);
	case KIND_CONFIG:
		return add_config(table, fields);
	case KIND_LABEL:
		return add_label(table, fields);
	case KIND_CLUSTER:
		table->grouped = true;
		table->few |= fields_is(fields, "sure", "few");
		return 0;
	default:
		return 0;
	}
}

int run_table_record(struct run_table *table, struct stream *stream, const struct record *record)
{
	const struct fields *fields;

	if (record->kind != KIND_RUN && record->kind != KIND_FEATURES && record->kind != KIND_CONFIG && record->kind != KIND_LABEL &&
	    record->kind != KIND_CLUSTER)
		return 0;
	fields = stream_fields(stream, record);
	if (!fields)
		return -1;
	return run_table_add(table, fields, record->kind) < 0 ? stream_fail(stream, "%s", fail_text()) : 0;
}

const struct run_column *run_table_feature(const struct run_table *table, const char *name)
{
	struct run_column *column;

	HASH_FIND_STR(table->columns, name, column);
	return column;
}

const struct run_column *run_table_setting(const struct run_table *table, const char *name)
{
	struct run_column *column;

	HASH_FIND_STR(table->settings, name, column);
	return column;
}
