#include "report/report.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/listing.h"
#include "base/place.h"
#include "report/output.h"

#define FORMAT_ROW(name) &format_##name,
#define TABLE_ROW(name) &table_##name,
static const struct format *const reports[] = {REPORT_FORMATS(FORMAT_ROW)};
static const struct format *const tables[] = {TABLE_FORMATS(TABLE_ROW)};
#undef FORMAT_ROW
#undef TABLE_ROW
enum { REPORTS = sizeof(reports) / sizeof(*reports), TABLES = sizeof(tables) / sizeof(*tables) };

static volatile sig_atomic_t totals_wanted;

void report_ask_totals(void)
{
	totals_wanted = 1;
}

static int moment_told(void *context, const struct moment *moment)
{
	struct report *report = context;

	headlines_see(&report->headlines, report->model->site, moment);
	return report->format->moment(report, moment);
}

static int give_totals(struct report *report)
{
	if (!totals_wanted || !report->format->totals)
		return 0;
	totals_wanted = 0;
	return report->format->totals(report);
}

static int waiting(void *context)
{
	struct report *report = ((struct model *)context)->context;

	if (give_totals(report) < 0)
		return -1;
	return report->format->idle ? report->format->idle(report) : 0;
}

static int record_seen(void *context, const struct record *record)
{
	(void)record;
	return give_totals(context);
}

/* NULL: there is no such report, or table. */
static const struct format *find_format(const char *name, bool table)
{
	const struct format *const *formats = table ? tables : reports;

	for (size_t i = 0; i < (table ? TABLES : REPORTS); i++)
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	return NULL;
}

/* The formats of reports come first, then those that only tables have. */
const char *report_format_name(size_t index)
{
	if (index < REPORTS)
		return reports[index]->name;
	index -= REPORTS;
	for (size_t i = 0; i < TABLES; i++)
		if (!find_format(tables[i]->name, false) && index-- == 0)
			return tables[i]->name;
	return NULL;
}

static const struct format *format_of(const struct report_options *options)
{
	return find_format(options->format, options->table);
}

int report_check(const struct report_options *options)
{
	if (listing_find("format", options->format, report_format_name) < 0)
		return -1;
	if (!format_of(options))
		return fail(options->table ? "format '%s' has no table; text, json and csv have" : "format '%s' is for --table", options->format);
	if (options->plot && format_of(options) != &format_text)
		return fail("--plot draws in the report as text");
	if (options->all && (options->table || format_of(options) == &format_html))
		return fail("--all is for the report as text and json");
	return 0;
}

/* Called before any input is read, so that nobody waits all day for a report that cannot be written. */
static int open_output(struct report *report)
{
	const char *output = report->options.output;

	if (report->format->file) {
		output = output ? output : ".";
		if (place_make_folder(output) < 0)
			return -1;
		report->path = memory_format("%s/%s", output, report->format->file);
	} else if (output) {
		report->path = memory_format("%s", output);
	} else {
		report->out = report->options.out;
		return 0;
	}
	report->draft = file_draft(report->path);
	report->out = report->draft ? file_draft_stream(report->draft) : NULL;
	return report->out ? 0 : -1;
}

struct report *report_new(struct stream *stream, const struct report_options *options)
{
	struct report *report = NEW(struct report);

	report->options = *options;
	report->format = format_of(options);
	if (open_output(report) < 0) {
		free(report->path);
		free(report);
		return NULL;
	}
	if (!report->draft)
		stream_ends_with(stream, fileno(report->out));
	report->stream = stream;
	report->model = model_new(stream, moment_told, report);
	stream_watch(stream, KIND_SAMPLE, record_seen, report);
	stream_watch(stream, KIND_EVENT, record_seen, report);
	stream_watch(stream, KIND_TICK, record_seen, report);
	return report;
}

static int keep(struct report *report)
{
	struct file_draft *draft = report->draft;

	report->draft = NULL;
	return draft ? file_draft_keep(draft) : 0;
}

int report_run(struct report *report)
{
	struct handlers *handlers = model_handlers(report->model);
	int status;

	if (report->format->begin(report) < 0)
		return -1;
	handlers->idle = waiting;
	status = stream_run(report->stream, handlers, report->model);
	if (status == 0 && report->model->records == 0)
		stream_mark_incomplete(report->stream);
	if (status == 0)
		return report->format->end(report, false) < 0 ? -1 : keep(report);
	/* The part that was read before the input went wrong is still worth a report; writing it may replace the sentence, so keep that. */
	char *sentence = memory_format("%s", fail_text());
	model_give_up(report->model);
	if (report->format->end(report, true) == 0)
		keep(report);
	fail("%s", sentence);
	free(sentence);
	return -1;
}

bool report_closed(const struct report *report)
{
	return report->closed;
}

const char *report_complaint(const struct report *report)
{
	return report->complaint;
}

void report_free(struct report *report)
{
	if (!report)
		return;
	report->format->free(report);
	model_free(report->model);
	headlines_free(&report->headlines);
	free(report->complaint);
	free(report->path);
	free(report);
}
