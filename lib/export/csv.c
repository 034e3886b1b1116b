/* Writes one kind of record as a table: RFC 4180, with a first line that names the columns. */
#include <stdlib.h>
#include <string.h>

#include "base/cell.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/suggestions.h"
#include "export/columns.h"
#include "export/format.h"

struct csv {
	struct events *events;
	enum kind kind;
	ARRAY(char *) columns; /* without the last one, `more`; empty: the header is not written yet */
	size_t common;         /* columns of all events, before those of the event's own fields */
	struct suggestions suggestions;      /* names in the stream that resemble the wanted event */
	bool known;	       /* the stream has the wanted event's name, though perhaps no such event */
	struct line more;
	struct export_event event;
};

static void write_field(FILE *out, const struct field *field)
{
	char *text;

	if (!field->escaped) {
		cell_write(out, field->value, field->value_length);
		return;
	}
	text = memory_new(field->value_length + 1, 1);
	cell_write(out, text, field_text(field, text, field->value_length + 1));
	free(text);
}

/* A record that is no event has no fields of its own. */
static const struct field *begin_own(const struct csv *csv, const struct fields *fields)
{
	return csv->kind == KIND_EVENT ? export_own_fields(fields) : fields->item + fields->count;
}

static const struct field *find(const struct field *from, const struct field *to, const char *key)
{
	size_t length = strlen(key);

	for (; from < to; from++)
		if (from->key_length == length && !memcmp(from->key, key, length))
			return from;
	return NULL;
}

/* Writes the header. If only one event is exported, the first one also gives the columns of its own fields. */
static void write_header(struct export *export, const struct fields *fields)
{
	struct csv *csv = export->state;

	for (const char *const *key = columns_of(csv->kind); *key; key++)
		*ARRAY_ADD(&csv->columns) = memory_text(*key, strlen(*key));
	csv->common = csv->columns.count;
	if (export->options.event && fields)
		for (const struct field *own = begin_own(csv, fields); own < fields->item + fields->count; own++)
			*ARRAY_ADD(&csv->columns) = memory_text(own->key, own->key_length);
	for (size_t i = 0; i < csv->columns.count; i++) {
		cell_write(export->out, csv->columns.items[i], strlen(csv->columns.items[i]));
		fputc(',', export->out);
	}
	fputs("more\r\n", export->out);
}

/* Writes the fields without a column, as they stand in the stream, and ends the row. */
static void write_more(struct export *export, const struct fields *fields, const bool *used)
{
	struct csv *csv = export->state;

	csv->more.length = 0;
	for (int i = 0; i < fields->count; i++) {
		const struct field *field = &fields->item[i];
		const char *end = field->value + field->value_length;
		bool quoted = field->value[-1] == '"';

		if (used[i])
			continue;
		if (csv->more.length > 0)
			line_append(&csv->more, " ", 1);
		line_append(&csv->more, field->key, (size_t)(end + quoted - field->key));
	}
	cell_write(export->out, csv->more.length ? csv->more.text : "", csv->more.length);
	fputs("\r\n", export->out);
}

static int write_row(struct export *export, const struct fields *fields)
{
	struct csv *csv = export->state;
	const struct field *end = fields->item + fields->count, *own = begin_own(csv, fields), *field;
	bool used[FIELDS_MAX] = {false};

	if (csv->columns.count == 0)
		write_header(export, fields);
	for (size_t i = 0; i < csv->columns.count; i++) {
		field = i < csv->common ? find(fields->item, own, csv->columns.items[i])
					: find(own, end, csv->columns.items[i]);
		if (field) {
			used[field - fields->item] = true;
			write_field(export->out, field);
		}
		fputc(',', export->out);
	}
	write_more(export, fields, used);
	return export_written(export);
}

/* Notes that the stream has events of this name, or may have. */
static void meet(struct export *export, const char *name)
{
	struct csv *csv = export->state;
	const char *colon = strchr(name, ':');

	if (csv->known)
		return;
	csv->known = !strcmp(name, export->options.event);
	if (colon)
		suggestions_offer_as(&csv->suggestions, colon + 1, name);
}

/* Reads "sched", NUL, "name: sched_switch\nID: 316\n...". The watch of events_new() has refused any other form. */
static int format_seen(void *context, const struct record *record)
{
	const char *system = record->text, *text = system + strlen(system) + 1 + strlen("name: ");
	char *name = memory_format("%s:%.*s", system, (int)strcspn(text, "\n"), text);

	meet(context, name);
	free(name);
	return STREAM_DROP;
}

/* The fields of an event. NULL after fail(); or, with *skip, if another event is wanted. */
static const struct fields *read_event(struct export *export, const struct record *record, bool *skip)
{
	struct csv *csv = export->state;
	const struct fields *fields;
	struct event event;

	*skip = false;
	if (events_read(csv->events, record, &event) < 0)
		return NULL;
	events_learn_names(csv->events, &event);
	if (export->options.event && event.fields)
		meet(export, event.type->name);
	*skip = export->options.event && strcmp(event.type->name, export->options.event);
	if (*skip)
		return NULL;
	fields = export_event_fields(&csv->event, &event, events_comm(csv->events, event.tid));
	if (!fields)
		stream_fail(export->stream, "%s", fail_text());
	return fields;
}

static int record_seen(void *context, const struct record *record)
{
	struct export *export = context;
	const struct fields *fields;
	bool skip = false;

	fields = record->kind == KIND_EVENT ? read_event(export, record, &skip) : stream_fields(export->stream, record);
	if (!fields)
		return skip ? STREAM_DROP : -1;
	return write_row(export, fields) < 0 ? -1 : STREAM_DROP;
}

static int begin(struct export *export, struct handlers *handlers)
{
	struct csv *csv = NEW(struct csv);

	csv->kind = kind_of(export->options.kind, strlen(export->options.kind));
	csv->events = events_new(export->stream);
	export->state = csv;
	handlers->on[csv->kind] = record_seen;
	if (export->options.event) {
		const char *colon = strchr(export->options.event, ':');

		csv->suggestions = suggestions_begin(colon ? colon + 1 : export->options.event);
		handlers->on[KIND_FORMAT] = format_seen;
	}
	return 0;
}

/* Without rows, writes the header alone: that is still a table. */
static int end(struct export *export)
{
	struct csv *csv = export->state;

	if (export->options.event && !csv->known)
		return fail("there is no event '%s' in the stream%s", export->options.event, suggestions_text(&csv->suggestions));
	if (csv->columns.count == 0)
		write_header(export, NULL);
	return 0;
}

static void free_state(struct export *export)
{
	struct csv *csv = export->state;

	events_free(csv->events);
	for (size_t i = 0; i < csv->columns.count; i++)
		free(csv->columns.items[i]);
	free(csv->columns.items);
	line_free(&csv->event.spelled);
	line_free(&csv->more);
	free(csv);
}

const struct export_format export_csv = {.name = "csv", .begin = begin, .end = end, .free = free_state};
