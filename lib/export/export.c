#include "export/export.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "export/columns.h"
#include "export/format.h"

static const struct export_format *const formats[] = {
	&export_ftrace, &export_perfetto, &export_tracedat, &export_folded, &export_csv,
};

static const struct export_format *find_format(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}

static int check_kind(const struct export_options *options)
{
	if (!options->kind)
		return fail("csv is a table of one kind of record; name it with --kind");
	if (!columns_of(kind_of(options->kind, strlen(options->kind))))
		return fail("there is no table of kind '%s'; tailblame-stream(5) lists the kinds", options->kind);
	if (options->event && strcmp(options->kind, "event"))
		return fail("--event is for --kind=event");
	return 0;
}

int export_check(const struct export_options *options)
{
	const struct export_format *format = find_format(options->format);

	if (!format)
		return fail("there is no format '%s'; there are ftrace, perfetto, tracedat, folded and csv",
			    options->format);
	if ((options->nanoseconds || options->exact) && format != &export_ftrace)
		return fail("--nanoseconds and --exact are for ftrace");
	if (format == &export_csv)
		return check_kind(options);
	if (options->kind || options->event)
		return fail("--kind and --event are for csv");
	return 0;
}

bool export_is_binary(const char *format)
{
	return find_format(format)->binary;
}

struct export *export_new(struct stream *stream, const struct export_options *options, FILE *out, const char *folder)
{
	struct export *export = NEW(struct export);

	export->options = *options;
	export->format = find_format(options->format);
	export->stream = stream;
	export->out = out;
	export->folder = folder;
	stream_ends_with(stream, fileno(out));
	return export;
}

static int flush(void *context)
{
	struct export *export = context;

	return file_flush(export->out, "the output", &export->closed);
}

int export_written(struct export *export)
{
	return ferror(export->out) ? flush(export) : 0;
}

int export_read_lost(struct export *export, const struct record *record, uint64_t *cpu, uint64_t *count)
{
	const struct fields *fields = stream_fields(export->stream, record);

	*cpu = *count = 0;
	if (!fields)
		return -1;
	if (fields_unsigned(fields, "cpu", cpu) < 0 || fields_unsigned(fields, "count", count) < 0)
		return stream_fail(export->stream, "%s", fail_text());
	return 0;
}

int export_run(struct export *export)
{
	struct handlers handlers = {.idle = NULL};

	export->context = export;
	if (export->format->begin(export, &handlers) < 0)
		return -1;
	if (export->context == export)
		handlers.idle = flush;
	if (stream_run(export->stream, &handlers, export->context) < 0)
		return -1;
	if (stream_output_closed(export->stream)) {
		export->closed = true;
		return fail("nobody reads the output any more");
	}
	if (export->format->end && export->format->end(export) < 0)
		return -1;
	return flush(export);
}

bool export_closed(const struct export *export)
{
	return export->closed;
}

void export_leave_out(struct export *export, const char *reason)
{
	if (export->left_out++ == 0)
		export->reason = reason;
	stream_mark_incomplete(export->stream);
}

const char *export_complaint(const struct export *export)
{
	struct export *own = (struct export *)export;
	char count[NUMBER_ROOM];

	if (export->left_out == 0)
		return NULL;
	number_human_count(count, export->left_out);
	free(own->complaint);
	own->complaint = memory_format("%s %s left out: %s", count,
				       export->left_out == 1 ? "record was" : "records were", export->reason);
	return export->complaint;
}

void export_free(struct export *export)
{
	if (export->state)
		export->format->free(export);
	free(export->complaint);
	free(export);
}
