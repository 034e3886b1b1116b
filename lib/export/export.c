#include "export/export.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/listing.h"
#include "base/memory.h"
#include "base/number.h"
#include "export/columns.h"
#include "export/format.h"

#define FORMATS(F) F(ftrace) F(perfetto) F(tracedat) F(folded) F(csv)

#define DECLARE(name) extern const struct export_format export_##name;
FORMATS(DECLARE)
#undef DECLARE

#define ROW(name) &export_##name,
static const struct export_format *const formats[] = {FORMATS(ROW)};
#undef ROW

enum { COUNT = sizeof(formats) / sizeof(*formats) };

const char *export_format_name(size_t index)
{
	return index < COUNT ? formats[index]->name : NULL;
}

/* NULL after fail(). */
static const struct export_format *find_format(const char *name)
{
	int index = listing_find("format", name, export_format_name);

	return index < 0 ? NULL : formats[index];
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
		return -1;
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
	export->terminal = isatty(fileno(out));
	export->folder = folder;
	stream_ends_with(stream, fileno(out));
	return export;
}

int export_run(struct export *export)
{
	struct handlers handlers = {.idle = NULL};

	export->context = export;
	if (export->format->begin(export, &handlers) < 0)
		return -1;
	handlers.only = export->options.host;
	if (export->context == export)
		handlers.idle = export_flush;
	if (stream_run(export->stream, &handlers, export->context) < 0)
		return -1;
	if (stream_output_closed(export->stream)) {
		export->closed = true;
		return fail("nobody reads the output any more");
	}
	if (export->format->end && export->format->end(export) < 0)
		return -1;
	return export_flush(export);
}

bool export_closed(const struct export *export)
{
	return export->closed;
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
