/*
 * trace-import: turn saved traces of other tools into a stream.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/confine.h"
#include "base/fail.h"
#include "base/memory.h"
#include "chart/chart.h"
#include "event/event.h"
#include "import/import.h"

static struct option_list charts, events;
static const char *format, *machine;
static bool instances, merge, as_text;

static const struct option_entry options[] = {
	{OPTION_STRING, 'f', "format", &format, "FORMAT", "(default: by content)", import_format_name},
	{OPTION_LIST, 'c', "chart", &charts, "CHART", "only the events that this chart needs"},
	{OPTION_LIST, 'e', "event", &events, "SYSTEM:EVENT", "only this event; * ? [] match many"},
	{OPTION_FLAG, 'i', "instances", &instances, NULL, "of all instances in a file, not only of the main one"},
	{OPTION_FLAG, 'm', "merge", &merge, NULL, "merge files of one boot by time: trace.dat, strace -ff"},
	{OPTION_STRING, 0, "machine", &machine, "MACHINE", "the machine traced, as uname -m names it (default: what the trace says)"},
	OPTION_TEXT(&as_text),
	{0},
};

struct wanted {
	ARRAY(struct import_event) events;
	struct chart **charts;
};

/* Gathers the events that charts need and those that the user named. If there are none, all events are wanted. -1 after fail(). */
static int gather_wanted(struct wanted *wanted)
{
	wanted->charts = memory_new((size_t)charts.count + 1, sizeof(struct chart *));
	for (int i = 0; i < charts.count; i++) {
		struct chart *chart = wanted->charts[i] = chart_load(charts.items[i]);

		if (!chart)
			return -1;
		for (int k = 0; k < chart->count; k++)
			*ARRAY_ADD(&wanted->events) = (struct import_event){chart->events[k].event, chart->events[k].filter, false};
	}
	for (int i = 0; i < events.count; i++)
		*ARRAY_ADD(&wanted->events) = (struct import_event){.pattern = events.items[i], .named = true};
	return 0;
}

static void free_wanted(struct wanted *wanted)
{
	for (int i = 0; i < charts.count; i++)
		chart_free(wanted->charts[i]);
	free(wanted->charts);
	free(wanted->events.items);
}

/* Writes the charts, so that later stages know why these events were chosen. */
static int write_charts(void *context, struct stream *stream)
{
	const struct wanted *wanted = context;
	struct line line = {0};
	int status = 0;

	for (int i = 0; status == 0 && i < charts.count; i++) {
		line_begin(&line, "chart");
		line_text(&line, "name", wanted->charts[i]->name);
		line_text(&line, "definition", wanted->charts[i]->definition);
		line_text(&line, "asked", "yes");
		status = stream_write_line(stream, &line);
	}
	line_free(&line);
	return status;
}

static int import_all(struct import *import, char **files, int count)
{
	static char *standard_input[] = {"-"};

	if (count == 0) {
		files = standard_input;
		count = 1;
	}
	for (int i = 0; i < count; i++)
		if (import_file(import, files[i]) < 0)
			return -1;
	return import_end(import);
}

int main(int argc, char **argv)
{
	int first = command_line(argc, argv, options, "[FILE...]", "turn saved traces of other tools into a stream");
	struct wanted wanted = {0};
	struct stream *stream;
	struct events *names;
	struct import *import;
	int status, failed;

	if (gather_wanted(&wanted) < 0)
		die("%s", fail_text());

	/* open */
	stream = stream_create();
	stream_output(stream, STDOUT_FILENO, as_text);
	names = events_new(stream);
	stream_report_usage(stream, "trace-import");
	import = import_new(stream, &(struct import_options){format, machine, names, instances, merge, write_charts, &wanted});
	if (!import)
		die_usage("%s", fail_text());
	if (wanted.events.count && import_only(import, wanted.events.items, (int)wanted.events.count) < 0)
		die("%s", fail_text());
	confine(CONFINE_TEMPORARY, NULL, argv + first, argc - first);

	/* import */
	failed = import_all(import, argv + first, argc - first);
	if (failed < 0) {
		warn("%s", fail_text());
		stream_mark_cut(stream);
	}
	for (size_t i = 0; i < import_note_count(import); i++)
		warn("%s", import_note(import, i));

	/* close */
	import_free(import);
	status = stream_close(stream);
	if (status == EXIT_FAILED && failed == 0)
		warn("%s", fail_text());
	events_free(names);
	free_wanted(&wanted);
	return failed < 0 ? EXIT_FAILED : status;
}
