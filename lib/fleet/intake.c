#include "fleet/intake.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "fleet/excerpt.h"
#include "run/run.h"
#include "stream/stream.h"

enum {
	EXCERPT_ENOUGH = 256 << 10, /* bytes; with more, the next moment goes into another excerpt */
	EXCERPT_MOST = 2 << 20,	    /* bytes; an excerpt with more is left out: compressed, it might exceed a message */
};

struct intake {
	struct outbox *outbox;
	uint64_t most, runs;
	void (*added)(void *context, uint64_t runs);
	void *context;
	struct line text; /* records of the run so far */
	bool enough;
};

/* Puts the run, which is complete, into the outbox. */
static int finish(struct intake *intake)
{
	if (intake->text.length == 0)
		return 0;
	if (outbox_add(intake->outbox, intake->text.text, intake->text.length) < 0)
		return -1;
	intake->text.length = 0;
	intake->runs++;
	if (intake->added)
		intake->added(intake->context, intake->runs);
	if (intake->runs != intake->most)
		return 0;
	intake->enough = true;
	return fail("%s", "");
}

static int record_seen(void *context, const struct record *record)
{
	struct intake *intake = context;
	bool is_of_run = record->kind == KIND_FEATURES || record->kind == KIND_CONFIG;

	if (!is_of_run && finish(intake) < 0)
		return -1;
	if (record->kind == KIND_RUN || (is_of_run && intake->text.length)) {
		line_append(&intake->text, record->text, record->length);
		line_append(&intake->text, "\n", 1);
	}
	return STREAM_DROP;
}

static int stream_over(void *context)
{
	return finish(context);
}

int intake_run(char *const *files, int count, struct outbox *outbox, uint64_t most, void (*added)(void *context, uint64_t runs), void *context)
{
	struct intake intake = {.outbox = outbox, .most = most, .added = added, .context = context};
	struct handlers handlers = {.finish = stream_over};
	struct stream *stream = stream_open(files, count);
	int status;

	if (!stream)
		return 1;
	for (enum kind kind = KIND_RUN; kind <= KIND_CONFIG; kind++)
		handlers.on[kind] = record_seen;
	handlers.on[KIND_TICK] = record_seen;
	status = stream_finish(stream, &handlers, &intake);
	line_free(&intake.text);
	return intake.enough ? 0 : status;
}

/* --- moments ------------------------------------------------------------------------------------------------------------- */

struct excerpts {
	struct outbox *outbox;
	struct stream *stream;
	const char *node, *name;
	unsigned number;
	struct line head;    /* the `stream` record without the id */
	struct line devices; /* `device` records of the current stream */
	struct line text;    /* records of the excerpt so far */
	struct line line;
	uint64_t lost;	/* lost events that earlier excerpts told */
	bool missing;	/* an excerpt was too large */
};

static void append_line(struct line *text, const struct line *line)
{
	line_append(text, line->text, line->length);
	line_append(text, "\n", 1);
}

/* Puts an excerpt into the outbox. The last excerpt also tells whether something is missing. */
static int put(struct excerpts *excerpts, bool last)
{
	struct stream *stream = excerpts->stream;
	uint64_t lost = stream_lost(stream) - excerpts->lost;
	struct line all = {0}, line = {0};
	char *id;
	int status;

	if (excerpts->text.length == 0 && !(last && (lost || excerpts->missing)))
		return 0;
	id = memory_format("%.*s:%s:%u", RUN_ID_NODE, excerpts->node, excerpts->name, ++excerpts->number);
	line_append(&all, excerpts->head.text, excerpts->head.length);
	line_text(&all, "moments", id);
	line_append(&all, "\n", 1);
	line_append(&all, excerpts->devices.text ? excerpts->devices.text : "", excerpts->devices.length);
	line_append(&all, excerpts->text.text ? excerpts->text.text : "", excerpts->text.length);
	line_begin(&line, "end");
	line_unsigned(&line, "lost", lost);
	if (last && stream_was_cut(stream))
		line_text(&line, "cut", "yes");
	if (last && (excerpts->missing || stream_incomplete(stream)))
		line_text(&line, "gaps", "yes");
	append_line(&all, &line);
	status = outbox_add(excerpts->outbox, all.text, all.length);
	excerpts->lost += lost;
	excerpts->text.length = 0;
	line_free(&line);
	line_free(&all);
	free(id);
	return status;
}

/* Leaves out moments that are too large to send, and notes that something is missing. */
static int put_or_miss(struct excerpts *excerpts, bool last)
{
	if (excerpts->text.length <= EXCERPT_MOST)
		return put(excerpts, last);
	excerpts->missing = true;
	excerpts->text.length = 0;
	return put(excerpts, last);
}

/* Begins a stream. The excerpt's host is the name under which the machine sends. */
static int begin_stream(struct excerpts *excerpts, const struct fields *fields)
{
	char *keys[] = {"clock", "wall", "boot"};

	line_begin(&excerpts->head, "stream");
	line_unsigned(&excerpts->head, "version", STREAM_VERSION);
	line_text(&excerpts->head, "host", excerpts->node);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		char *value = fields_copy(fields, keys[i]);

		if (value)
			line_text(&excerpts->head, keys[i], value);
		free(value);
	}
	excerpts->devices.length = 0;
	return STREAM_DROP;
}

static int moment_record(void *context, const struct record *record)
{
	struct excerpts *excerpts = context;
	const struct fields *fields = stream_fields(excerpts->stream, record);
	int status;

	if (!fields)
		return -1;
	if (record->kind == KIND_STREAM)
		return begin_stream(excerpts, fields);
	status = excerpt_record(fields, &excerpts->line);
	if (status > 0)
		append_line(record->kind == KIND_DEVICE ? &excerpts->devices : &excerpts->text, &excerpts->line);
	if (status >= 0 && record->kind == KIND_WINDOW && excerpts->text.length > EXCERPT_ENOUGH)
		status = put_or_miss(excerpts, false);
	return status < 0 ? stream_fail(excerpts->stream, "%s", fail_text()) : STREAM_DROP;
}

static int drop(void *context, const struct record *record)
{
	(void)context;
	(void)record;
	return STREAM_DROP;
}

static int moments_over(void *context)
{
	return put_or_miss(context, true);
}

int intake_moments(struct outbox *outbox, const char *node, const char *name)
{
	static const enum kind kinds[] = {KIND_STREAM, KIND_DEVICE, KIND_SIGNAL, KIND_WINDOW, KIND_GRAPH, KIND_PATH, KIND_BLAME, KIND_LOST};
	struct excerpts excerpts = {.outbox = outbox, .node = node, .name = name};
	struct handlers handlers = {.finish = moments_over};
	static char standard[] = "-", *const files[] = {standard};
	int status;

	excerpts.stream = stream_open(files, 1);
	if (!excerpts.stream)
		return 1;
	for (int kind = 0; kind < KINDS; kind++)
		handlers.on[kind] = drop;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		handlers.on[kinds[i]] = moment_record;
	status = stream_finish(excerpts.stream, &handlers, &excerpts);
	line_free(&excerpts.head);
	line_free(&excerpts.devices);
	line_free(&excerpts.text);
	line_free(&excerpts.line);
	return status == 0 && excerpts.missing ? 3 : status;
}
