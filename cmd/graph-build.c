/*
 * graph-build: turn events into graphs of who waited for whom; or into one, of everything.
 */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/confine.h"
#include "base/fail.h"
#include "base/interrupt.h"
#include "base/priority.h"
#include "event/event.h"
#include "calls/build.h"
#include "graph/graph_record.h"
#include "walk/build.h"
#include "walk/whole_record.h"

static uint64_t worst = 3;
static const char *kind = "all";
static bool as_text, whole;

static const struct {
	const char *name;
	enum graphs graphs;
} kinds[] = {{"all", GRAPHS_ALL}, {"wake", GRAPHS_WAKE}, {"rag", GRAPHS_RAG}};

static const struct option_entry options[] = {
	{OPTION_COUNT, 'w', "worst", &worst, "N", "build graphs of the N worst signals of a window (default 3)"},
	{OPTION_STRING, 'k', "kind", &kind, "KIND", "build graphs of this kind only: wake or rag (default all)"},
	{OPTION_FLAG, 0, "whole", &whole, NULL, "build one graph, of all that every thread did"},
	OPTION_TEXT(&as_text),
	{0},
};

/* Builds the graph of everything. */
struct whole_work {
	struct stream *stream;
	struct whole_builder *builder;
};

static int write_graph(void *context, struct graph *graph)
{
	int status = graph_write(graph, context);

	graph_free(graph);
	return status;
}

static int record_seen(void *context, const struct record *record)
{
	return graph_builder_record(context, record) < 0 ? -1 : STREAM_PASS;
}

static int stream_over(void *context)
{
	return graph_builder_finish(context);
}

static int whole_record_seen(void *context, const struct record *record)
{
	struct whole_work *work = context;

	return whole_builder_record(work->builder, record) < 0 ? -1 : STREAM_PASS;
}

static int whole_stream_over(void *context)
{
	struct whole_work *work = context;
	struct whole *graph = whole_builder_finish(work->builder);
	int status = graph ? whole_write(graph, work->stream) : -1;

	whole_free(graph);
	return status;
}

static enum graphs wanted(void)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kind, kinds[i].name))
			return kinds[i].graphs;
	die_usage("no kind '%s': wake, rag, all", kind);
}

/* Each kind of building takes the stream, of these files, to its end and returns the exit status. */
static int build_whole(struct stream *stream, struct events *events, char *const *files, int count)
{
	struct handlers handlers = {.finish = whole_stream_over};
	struct whole_work work = {stream, whole_builder_new(stream, events)};
	int status;

	if (!work.builder)
		die("%s", fail_text());
	confine(CONFINE_NOTHING_ELSE, NULL, files, count);
	whole_builder_reads(&handlers, whole_record_seen);
	status = stream_finish(stream, &handlers, &work);
	if (status && *fail_text())
		warn("%s", fail_text());
	if (whole_builder_complaint(work.builder))
		warn("%s", whole_builder_complaint(work.builder));
	whole_builder_free(work.builder);
	return status;
}

static int build_worst(struct stream *stream, struct events *events, char *const *files, int count)
{
	struct handlers handlers = {.finish = stream_over};
	struct graph_builder *builder = graph_builder_new(stream, events, (int)worst);
	int status;

	if (!builder)
		die("%s", fail_text());
	graph_builder_sink(builder, write_graph, stream);
	graph_builder_kinds(builder, wanted());
	confine(CONFINE_NOTHING_ELSE, NULL, files, count);
	graph_builder_reads(&handlers, record_seen);
	status = stream_finish(stream, &handlers, builder);
	if (status && *fail_text())
		warn("%s", fail_text());
	if (graph_builder_complaint(builder))
		warn("%s", graph_builder_complaint(builder));
	graph_builder_free(builder);
	return status;
}

int main(int argc, char **argv)
{
	int first = command_line(argc, argv, options, "[FILE...]", "turn events into graphs of who waited for whom");
	bool all = wanted() == GRAPHS_ALL;
	struct events *events;
	struct stream *stream;
	int status;

	if (worst == 0 || worst > INT_MAX)
		die_usage("--worst must be at least 1");
	if (whole && !all)
		die_usage("--whole builds a graph of its own kind, without --kind");

	/* open */
	stream = stream_open(argv + first, argc - first);
	if (!stream)
		die("%s", fail_text());
	stream_output(stream, STDOUT_FILENO, as_text);
	interrupt_defer();
	priority_lower(PRIORITY_LOW);
	events = events_new(stream);

	/* build */
	status = (whole ? build_whole : build_worst)(stream, events, argv + first, argc - first);

	/* close */
	events_free(events);
	return status;
}
