#include "fleet/parcel.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/clean.h"
#include "base/fail.h"
#include "base/memory.h"
#include "fleet/excerpt.h"
#include "fleet/subject.h"
#include "run/run_table.h"
#include "stream/fields.h"
#include "stream/record.h"

enum { LEVEL = 9, TEXT_SHOWN = 300 };

int parcel_pack(const char *text, size_t length, char **bytes, size_t *size)
{
	size_t room = ZSTD_compressBound(length);

	if (length > PARCEL_TEXT_MOST)
		return fail("a run, or moments, have more than %d bytes", PARCEL_TEXT_MOST);
	*bytes = memory_new(room, 1);
	*size = ZSTD_compress(*bytes, room, text, length, LEVEL);
	if (!ZSTD_isError(*size) && *size <= PARCEL_MOST)
		return 0;
	free(*bytes);
	*bytes = NULL;
	return fail("a run, or moments, have more than %d bytes, compressed", PARCEL_MOST);
}

/* Decompresses one frame, which must tell its size. The caller frees the text. NULL after fail(). */
static char *unpack(const char *bytes, size_t size, size_t *length)
{
	unsigned long long told = size <= PARCEL_MOST ? ZSTD_getFrameContentSize(bytes, size) : ZSTD_CONTENTSIZE_ERROR;
	char *text;

	if (told == ZSTD_CONTENTSIZE_ERROR || told == ZSTD_CONTENTSIZE_UNKNOWN || told > PARCEL_TEXT_MOST) {
		fail("it is not compressed by zstd, or too large");
		return NULL;
	}
	text = memory_new((size_t)told + 1, 1);
	*length = ZSTD_decompress(text, (size_t)told, bytes, size);
	if (!ZSTD_isError(*length) && *length == told)
		return text;
	free(text);
	fail("it is damaged");
	return NULL;
}

static char *copy_or_empty(const struct fields *fields, const char *key)
{
	char *text = fields_copy(fields, key);

	return text ? text : memory_text("", 0);
}

/* Takes the id, job and node of the parcel from its first record. */
static int take_names(struct parcel *parcel, const struct fields *fields)
{
	if (parcel->id)
		return fail("it has more than one run");
	parcel->id = copy_or_empty(fields, "id");
	parcel->job = copy_or_empty(fields, "job");
	parcel->node = copy_or_empty(fields, "node");
	return *parcel->id ? 0 : fail("a run without id");
}

static int take_told(struct parcel *parcel, const struct fields *fields)
{
	char *text;

	if (take_names(parcel, fields) < 0)
		return -1;
	text = copy_or_empty(fields, "text");
	parcel->told = clean_text(text, strnlen(text, TEXT_SHOWN));
	free(text);
	return 0;
}

/* 1: the record is kept; 0: it is dropped; -1 after fail(). Adds the number of its features and settings to *values. */
static int take(struct parcel *parcel, struct run_table *table, const struct fields *fields, int *values)
{
	enum kind kind = kind_of(fields->kind, fields->kind_length);

	switch (kind) {
	case KIND_STREAM:
	case KIND_END:
	case KIND_TICK:
		return 0;
	case KIND_RUN:
		return take_names(parcel, fields) < 0 || run_table_add(table, fields, kind) < 0 ? -1 : 1;
	case KIND_FEATURES:
	case KIND_CONFIG:
		*values += kind == KIND_CONFIG ? 1 : fields->count - 1; /* all fields but run=ID */
		if (*values > PARCEL_VALUES_MOST)
			return fail("it has more than %d features and settings", PARCEL_VALUES_MOST);
		return run_table_add(table, fields, kind) < 0 ? -1 : 1;
	default:
		if (fields->kind_length == strlen(FLEET_TOLD) && !memcmp(fields->kind, FLEET_TOLD, fields->kind_length))
			return take_told(parcel, fields) < 0 ? -1 : 1;
		return fail("it has a record that is of no run");
	}
}

/* Checks each line, and removes those that are dropped. */
static int read_lines(struct parcel *parcel, struct run_table *table)
{
	char *from = parcel->text, *to = parcel->text, *end = parcel->text + parcel->length;
	struct fields fields;
	int values = 0;

	while (from < end) {
		char *newline = memchr(from, '\n', (size_t)(end - from));
		size_t length = newline ? (size_t)(newline - from) : 0;
		int kept;

		if (!newline || length > RECORD_LINE_MAX)
			return fail("a line has no end");
		if (fields_parse(&fields, from, length) < 0 || (kept = take(parcel, table, &fields, &values)) < 0)
			return -1;
		if (kept) {
			memmove(to, from, length + 1);
			to += length + 1;
		}
		from = newline + 1;
	}
	*to = '\0';
	parcel->length = (size_t)(to - parcel->text);
	return parcel->id ? 0 : fail("there is no run in it");
}

/* --- moments ------------------------------------------------------------------------------------------------------------- */

/* Notes the ids of the excerpt and the machine, and the start of the first moment. */
static int note_moments(struct parcel *parcel, enum kind kind, const struct fields *fields, int64_t *wall)
{
	int64_t ts = INT64_MAX;
	uint64_t version = 0;

	if (kind == KIND_STREAM && parcel->id)
		return fail("it has more than one stream");
	if (kind == KIND_STREAM) {
		parcel->id = copy_or_empty(fields, "moments");
		parcel->node = copy_or_empty(fields, "host");
		parcel->job = memory_text("", 0);
		if (fields_unsigned(fields, "version", &version) < 0 || version != STREAM_VERSION)
			return fail("its version is not known");
		fields_time(fields, "wall", wall);
		return *parcel->id && *parcel->node ? 0 : fail("moments without id or machine");
	}
	if (kind == KIND_SIGNAL && fields_time(fields, "start", &ts) == 0)
		fields_time(fields, "ts", &ts);
	if (kind == KIND_GRAPH)
		fields_time(fields, "from", &ts);
	if (ts != INT64_MAX && *wall != INT64_MIN && (parcel->from == INT64_MIN || ts < parcel->from - *wall))
		if (__builtin_add_overflow(ts, *wall, &parcel->from))
			return fail("a time is out of range");
	return 0;
}

/* Takes one line of an excerpt. Returns 0; 1: it was the end record; -1 after fail(). */
static int take_excerpt(struct parcel *parcel, const char *text, size_t length, struct line *all, int64_t *wall)
{
	struct line line = {0};
	struct fields fields;
	int status = fields_parse(&fields, text, length);
	enum kind kind = status < 0 ? KIND_OTHER : kind_of(fields.kind, fields.kind_length);

	if (status == 0 && (kind == KIND_STREAM) != (all->length == 0))
		status = fail("it does not begin with one stream record");
	if (status == 0)
		status = excerpt_record(&fields, &line);
	if (status == 0)
		status = fail("it has a record that is of no moment");
	if (status > 0)
		status = note_moments(parcel, kind, &fields, wall);
	if (status == 0) {
		line_append(&line, "\n", 1);
		line_append(all, line.text, line.length);
	}
	line_free(&line);
	return status == 0 ? kind == KIND_END : status;
}

static int read_excerpt(struct parcel *parcel)
{
	const char *at = parcel->text, *end = parcel->text + parcel->length;
	struct line all = {0};
	int64_t wall = INT64_MIN;
	int status = 0;

	parcel->moments = true;
	parcel->from = INT64_MIN;
	while (at < end && status == 0) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		if (!newline || newline - at > RECORD_LINE_MAX)
			status = fail("a line has no end");
		else
			status = take_excerpt(parcel, at, (size_t)(newline - at), &all, &wall);
		at = newline ? newline + 1 : end;
	}
	free(parcel->text);
	parcel->text = all.text;
	parcel->length = all.length;
	if (status == 0 || (status > 0 && at < end))
		return fail("it does not end with one end record");
	return status > 0 ? 0 : -1;
}

static bool is_excerpt(const struct parcel *parcel)
{
	size_t length = strcspn(parcel->text, "\n");
	struct fields fields;

	return !strncmp(parcel->text, "stream ", strlen("stream ")) && length <= RECORD_LINE_MAX &&
	       fields_parse(&fields, parcel->text, length) == 0 && fields_find(&fields, "moments");
}

int parcel_open(struct parcel *parcel, const char *bytes, size_t size)
{
	struct run_table *table = run_table_new();
	int status;

	*parcel = (struct parcel){0};
	parcel->text = unpack(bytes, size, &parcel->length);
	status = !parcel->text ? -1 : is_excerpt(parcel) ? read_excerpt(parcel) : read_lines(parcel, table);
	run_table_free(table);
	if (status < 0)
		parcel_free(parcel);
	return status;
}

void parcel_free(struct parcel *parcel)
{
	free(parcel->text);
	free(parcel->id);
	free(parcel->job);
	free(parcel->node);
	free(parcel->told);
	*parcel = (struct parcel){0};
}

char *parcel_subject(const struct parcel *parcel, const char *sender)
{
	const char *what = parcel->told ? FLEET_TOLD : strcmp(parcel->node, sender) ? FLEET_LOG : FLEET_RUN;

	return parcel->moments ? subject_of_moments(sender) : subject_make(what, parcel->job, sender);
}
