/*
 * graph-build: turn events into graphs of who waited for whom.
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

static uint64_t worst = 3;
static const char *kind = "all";
static bool as_text;

static const struct {
	const char *name;
	enum graphs graphs;
} kinds[] = {{"all", GRAPHS_ALL}, {"wake", GRAPHS_WAKE}, {"rag", GRAPHS_RAG}};

static const struct option_entry options[] = {
	{OPTION_COUNT, 'w', "worst", &worst, "N", "build graphs of the N worst signals of a window (default 3)"},
	{OPTION_STRING, 'k', "kind", &kind, "KIND", "build graphs of this kind only: wake or rag (default all)"},
	OPTION_TEXT(&as_text),
	{0},
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

static enum graphs wanted(void)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kind, kinds[i].name))
			return kinds[i].graphs;
	die_usage("no kind '%s': wake, rag, all", kind);
}

int main(int argc, char **argv)
{
	int first = command_line(argc, argv, options, "[FILE...]", "turn events into graphs of who waited for whom");
	enum graphs graphs = wanted();
	struct handlers handlers = {.finish = stream_over};
	struct graph_builder *builder;
	struct events *events;
	struct stream *stream;
	int status;

	if (worst == 0 || worst > INT_MAX)
		die_usage("--worst must be at least 1");

	/* open */
	stream = stream_open(argv + first, argc - first);
	if (!stream)
		die("%s", fail_text());
	stream_output(stream, STDOUT_FILENO, as_text);
	interrupt_defer();
	priority_lower(PRIORITY_LOW);
	events = events_new(stream);
	builder = graph_builder_new(stream, events, (int)worst);
	if (!builder)
		die("%s", fail_text());
	graph_builder_sink(builder, write_graph, stream);
	graph_builder_kinds(builder, graphs);
	confine(CONFINE_NOTHING_ELSE, NULL, argv + first, argc - first);

	/* build */
	graph_builder_reads(&handlers, record_seen);
	status = stream_finish(stream, &handlers, builder);
	if (status && *fail_text())
		warn("%s", fail_text());
	if (graph_builder_complaint(builder))
		warn("%s", graph_builder_complaint(builder));

	/* close */
	graph_builder_free(builder);
	events_free(events);
	return status;
}
