/* One kind of record as a table: RFC 4180, with a first line that names the columns. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/near.h"
#include "base/number.h"
#include "base/utf8.h"
#include "event/spell.h"
#include "export/columns.h"
#include "export/format.h"

struct csv {
	struct events *events;
	enum kind kind;
	ARRAY(char *) columns; /* but for `more`, which is the last; empty: the header is not written yet */
	size_t common;         /* of an event: how many come before its own */
	struct near near;      /* to the event that is wanted, of those that there are */
	bool known;	       /* it is one of them, though perhaps none came */
	struct line spelled, more;
	struct fields fields;
};

/* How much of it stands as it is: all but quotes, and bytes that are no part of UTF-8, as where the kernel cut a name. */
static size_t plain(const char *text, size_t length)
{
	size_t at = 0, character;
	uint32_t code;

	for (; at < length && text[at] != '"' && text[at]; at += character) {
		character = (unsigned char)text[at] < 0x80 ? 1 : utf8_decode(text + at, length - at, &code);
		if (character == 0)
			break;
	}
	return at;
}

/* By such characters a spreadsheet begins a formula; those of full width are = + - @ for East Asian ones. */
static bool begins_formula(const char *text, size_t length)
{
	static const char *const wide[] = {"\uff1d", "\uff0b", "\uff0d", "\uff20"};

	for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++)
		if (length >= strlen(wide[i]) && !memcmp(text, wide[i], strlen(wide[i])))
			return true;
	return length > 0 && memchr("=+-@\t\r\n", *text, 7);
}

static bool is_number(const char *text, size_t length)
{
	char copy[NUMBER_ROOM], *end;

	if (length >= sizeof(copy))
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	strtod(copy, &end);
	return end == copy + length && strspn(copy, "0123456789+-.eE") == length; /* not -inf */
}

/*
 * A spreadsheet would compute it, and names of threads are anybody's to choose. Numbers are harmless. Apostrophes in front are passed
 * over, so that one more can be taken off again whatever the text was.
 */
static bool is_formula(const char *text, size_t length)
{
	while (length > 0 && *text == '\'') {
		text++;
		length--;
	}
	return begins_formula(text, length) && !is_number(text, length);
}

/* What some spreadsheets take for the end of a cell, quoted or not, so that a formula may begin behind it. */
static bool separates(char c)
{
	return c == ';' || c == '\t' || c == '\r' || c == '\n';
}

static void write_plain(FILE *out, const char *text, size_t length)
{
	size_t at = plain(text, length), next;

	fwrite(text, 1, at, out);
	while (at < length) {
		if (text[at] == '"')
			fputs("\"\"", out);
		else
			fprintf(out, "\\x%02x", (unsigned char)text[at]);
		at++;
		next = at + plain(text + at, length - at);
		fwrite(text + at, 1, next - at, out);
		at = next;
	}
}

static void write_cell(FILE *out, const char *text, size_t length)
{
	bool quote = is_formula(text, length) || memchr(text, '"', length);
	size_t next;

	for (size_t i = 0; i < length && !quote; i++)
		quote = text[i] == ',' || separates(text[i]);
	fputs(quote ? "\"" : "", out);
	for (size_t at = 0; at < length; at = next) {
		for (next = at; next < length && !separates(text[next]); next++) {
		}
		fputs(is_formula(text + at, at == 0 ? length : next - at) ? "'" : "", out);
		next += next < length;
		write_plain(out, text + at, next - at);
	}
	fputs(quote ? "\"" : "", out);
}

static void write_field(FILE *out, const struct field *field)
{
	char *text;

	if (!field->escaped) {
		write_cell(out, field->value, field->value_length);
		return;
	}
	text = memory_new(field->value_length + 1, 1);
	write_cell(out, text, field_text(field, text, field->value_length + 1));
	free(text);
}

/* An event's own fields stand behind its name, for some are called cpu or comm too. */
static const struct field *begin_own(const struct csv *csv, const struct fields *fields)
{
	const struct field *name = csv->kind == KIND_EVENT ? fields_find(fields, "name") : NULL;

	return name ? name + 1 : fields->item + fields->count;
}

static const struct field *find(const struct field *from, const struct field *to, const char *key)
{
	size_t length = strlen(key);

	for (; from < to; from++)
		if (from->key_length == length && !memcmp(from->key, key, length))
			return from;
	return NULL;
}

/* Of one kind of event, all columns are known with the first. */
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
		write_cell(export->out, csv->columns.items[i], strlen(csv->columns.items[i]));
		fputc(',', export->out);
	}
	fputs("more\r\n", export->out);
}

/* What no column has, as it would stand in the stream. */
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
	write_cell(export->out, csv->more.length ? csv->more.text : "", csv->more.length);
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

/* There are events of this name, or may be. */
static void meet(struct export *export, const char *name)
{
	struct csv *csv = export->state;
	const char *colon = strchr(name, ':');

	if (csv->known)
		return;
	csv->known = !strcmp(name, export->options.event);
	if (colon)
		near_offer_as(&csv->near, colon + 1, name);
}

/* "sched", NUL, "name: sched_switch\nID: 316\n..."; what is not like that, events_new() has refused. */
static int format_seen(void *context, const struct record *record)
{
	const char *system = record->text, *text = system + strlen(system) + 1 + strlen("name: ");
	char *name = memory_format("%s:%.*s", system, (int)strcspn(text, "\n"), text);

	meet(context, name);
	free(name);
	return STREAM_DROP;
}

/* The event as fields; NULL after fail(), or with *skip where another event is wanted. */
static const struct fields *read_event(struct export *export, const struct record *record, bool *skip)
{
	struct csv *csv = export->state;
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
	if (event.fields)
		return event.fields;
	event_spell(&event, events_comm(csv->events, event.tid), &csv->spelled);
	if (fields_parse(&csv->fields, csv->spelled.text, csv->spelled.length) < 0) {
		stream_fail(export->stream, "%s", fail_text());
		return NULL;
	}
	return &csv->fields;
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

		csv->near = near_begin(colon ? colon + 1 : export->options.event);
		handlers->on[KIND_FORMAT] = format_seen;
	}
	return 0;
}

/* A table without rows is a table still. */
static int end(struct export *export)
{
	struct csv *csv = export->state;

	if (export->options.event && !csv->known)
		return fail("there is no event '%s' in the stream%s", export->options.event, near_text(&csv->near));
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
	line_free(&csv->spelled);
	line_free(&csv->more);
	free(csv);
}

const struct export_format export_csv = {.name = "csv", .begin = begin, .end = end, .free = free_state};
