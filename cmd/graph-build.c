/*
 * graph-build: turn events into graphs of who waited for whom; or into one, of everything.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/confine.h"
#include "base/fail.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "event/event.h"
#include "calls/graph_builder.h"
#include "graph/graph_record.h"
#include "stream/stage.h"
#include "walk/whole_build.h"
#include "walk/edge_rules.h"
#include "walk/whole_record.h"

static uint64_t worst = 3;
static const char *kind = "all";
static const char *semantics_file;
static bool as_text, whole;
static struct semantics semantics;

static const struct {
	const char *name;
	enum graphs graphs;
} kinds[] = {{"all", GRAPHS_ALL}, {"wake", GRAPHS_WAKE}, {"rag", GRAPHS_RAG}, {"event", GRAPHS_ALL /* implies --whole */}};

static const struct option_entry options[] = {
	{OPTION_COUNT, 'w', "worst", &worst, "N", "build graphs of the N worst signals of a window (default 3)"},
	{OPTION_STRING, 'k', "kind", &kind, "KIND", "build graphs of this kind only: wake, rag or event (default all)"},
	{OPTION_FLAG, 0, "whole", &whole, NULL, "build one graph, of all that every thread did: --kind=event"},
	{OPTION_STRING, 0, "semantics", &semantics_file, "FILE", "what you know of the program (tailblame-semantics(5))"},
	OPTION_TEXT(&as_text),
	{0},
};

/* The parts that build the graphs of one host of the stream. Only the builder that the options ask for is set. */
struct building {
	struct stream *stream;
	struct events *events;
	struct graph_builder *builder;
	struct whole_builder *whole;
	bool announced; /* the `graph` record of the whole graph was written, before the first event */
	struct building *next;
};

static int write_graph(void *context, struct graph *graph)
{
	int status = graph_write(graph, context);

	graph_free(graph);
	return status;
}

static int record_seen(void *context, const struct record *record)
{
	const struct building *building = context;

	return graph_builder_record(building->builder, record) < 0 ? -1 : STREAM_PASS;
}

static int stream_over(void *context)
{
	const struct building *building = context;

	return graph_builder_finish(building->builder);
}

static int whole_record_seen(void *context, const struct record *record)
{
	struct building *building = context;

	if (record->kind == KIND_EVENT && !building->announced) {
		building->announced = true;
		if (whole_announce(building->stream) < 0)
			return -1;
	}
	return whole_builder_record(building->whole, record) < 0 ? -1 : STREAM_PASS;
}

static int whole_stream_over(void *context)
{
	struct building *building = context;
	struct whole *graph = whole_builder_finish(building->whole);
	int status = graph && edge_rules_apply(graph, &semantics, true, NULL) == 0 ? whole_write(graph, building->stream, building->announced) : -1;

	building->announced = false;
	whole_free(graph);
	return status;
}

static enum graphs wanted(void)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kind, kinds[i].name))
			return kinds[i].graphs;
	die_usage("no kind '%s': wake, rag, event, all", kind);
}

/* Makes the parts and attaches them to the stream. -1 after fail(). */
static int open_building(struct building *building)
{
	building->events = events_new(building->stream);
	if (whole) {
		building->whole = whole_builder_new(building->stream, building->events);
		if (building->whole)
			whole_builder_semantics(building->whole, &semantics);
		return building->whole ? 0 : -1;
	}
	building->builder = graph_builder_new(building->stream, building->events, (int)worst);
	if (!building->builder)
		return -1;
	graph_builder_sink(building->builder, write_graph, building->stream);
	graph_builder_kinds(building->builder, wanted());
	graph_builder_semantics(building->builder, &semantics);
	return 0;
}

/* Makes the parts for another host of the stream. NULL after fail(). */
static void *another_building(void *context)
{
	struct building *first = context, *building = NEW(struct building);

	building->stream = first->stream;
	building->next = first->next;
	first->next = building;
	return open_building(building) < 0 ? NULL : building;
}

/* Warns of what the stream lacked, and frees the parts. */
static void close_building(struct building *building)
{
	const char *complaint = building->whole ? whole_builder_complaint(building->whole) :
				building->builder ? graph_builder_complaint(building->builder) : NULL;

	if (complaint)
		warn("%s", complaint);
	if (building->whole)
		whole_builder_free(building->whole);
	graph_builder_free(building->builder);
	events_free(building->events);
}

static int read_options(int argc, char **argv)
{
	int first = command_line(argc, argv, options, "[FILE...]", "turn events into graphs of who waited for whom");

	whole |= !strcmp(kind, "event");
	return first;
}

int main(int argc, char **argv)
{
	int first = read_options(argc, argv);
	struct handlers handlers = {.finish = whole ? whole_stream_over : stream_over, .host = another_building};
	struct building building = {0}, *other;
	bool all = wanted() == GRAPHS_ALL;
	int status;

	if (worst == 0 || worst > INT_MAX)
		die_usage("--worst must be from 1 to %d", INT_MAX);
	if (whole && !all)
		die_usage("--whole builds a graph of its own kind, without --kind");

	/* open */
	if (semantics_choose(&semantics, semantics_file) < 0)
		die("%s", fail_text());
	building.stream = stream_open(argv + first, argc - first);
	if (!building.stream)
		die("%s", fail_text());
	stage_lets_others_first(building.stream);
	stream_output(building.stream, STDOUT_FILENO, as_text);
	interrupt_defer();
	if (open_building(&building) < 0)
		die("%s", fail_text());
	confine(CONFINE_NOTHING_ELSE, NULL, argv + first, argc - first);

	/* build */
	(whole ? whole_builder_reads : graph_builder_reads)(&handlers, whole ? whole_record_seen : record_seen);
	status = stream_finish(building.stream, &handlers, &building);
	if (status && *fail_text())
		warn("%s", fail_text());

	/* close */
	while ((other = building.next)) {
		building.next = other->next;
		close_building(other);
		free(other);
	}
	close_building(&building);
	semantics_free(&semantics);
	return status;
}
