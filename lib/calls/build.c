#include "calls/build.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "calls/rag.h"
#include "calls/signals.h"
#include "wake/wake.h"

struct request_seen { /* a request that has its graph of calls */
	int32_t tid;
	int64_t start;
};

struct graph_builder {
	struct stream *stream;
	struct events *events;
	struct wake *wake;
	size_t worst;
	enum graphs kinds;
	struct signals signals; /* since the last window */
	ARRAY(struct request_seen) requests; /* of the window */
	graph_sink *sink;
	void *context;
	uint64_t graphs; /* built so far */
	uint64_t crowded; /* times that a window had too many threads, and what it had so far was forgotten */
	char *complaint;
	bool brought;	 /* the trace has graphs already */
	bool unsure;	 /* graph_builder_complaint() has a sentence */
};

/* Takes a record that explains events: devices, stacks, charts, files, quotas. */
static int take_meaning(struct graph_builder *builder, const struct record *record)
{
	const struct fields *fields = stream_fields(builder->stream, record);
	int status;

	if (!fields)
		return -1;
	status = record->kind == KIND_CHART ? rag_chart(builder->wake, fields)
					    : wake_record(builder->wake, record->kind, fields);
	return status < 0 ? stream_fail(builder->stream, "%s", fail_text()) : 0;
}

struct graph_builder *graph_builder_new(struct stream *stream, struct events *events, int worst)
{
	struct wake *wake = wake_new(events);
	struct graph_builder *builder;

	if (!wake)
		return NULL;
	builder = NEW(struct graph_builder);
	builder->stream = stream;
	builder->events = events;
	builder->worst = (size_t)worst;
	builder->kinds = GRAPHS_ALL;
	builder->wake = wake;
	return builder;
}

void graph_builder_free(struct graph_builder *builder)
{
	if (!builder)
		return;
	wake_free(builder->wake);
	signals_free(&builder->signals);
	free(builder->complaint);
	free(builder->requests.items);
	free(builder);
}

void graph_builder_kinds(struct graph_builder *builder, enum graphs kinds)
{
	builder->kinds = kinds;
}

void graph_builder_sink(struct graph_builder *builder, graph_sink *sink, void *context)
{
	builder->sink = sink;
	builder->context = context;
}

static int take_signal(struct graph_builder *builder, const struct record *record)
{
	const struct fields *fields = stream_fields(builder->stream, record);

	if (!fields)
		return -1;
	if (signals_take(&builder->signals, builder->events, fields) < 0)
		return stream_fail(builder->stream, "%s", fail_text());
	return 0;
}

static int give(struct graph_builder *builder, struct graph *graph, const struct graph_signal *signal, const char *window)
{
	free(graph->id);
	graph->id = memory_format("%llu", (unsigned long long)++builder->graphs);
	graph->window = *window ? memory_text(window, strlen(window)) : NULL;
	graph->signal = *signal->id ? memory_text(signal->id, strlen(signal->id)) : NULL;
	if (graph_check(graph) < 0) {
		graph_free(graph);
		return -1;
	}
	return builder->sink(builder->context, graph);
}

/* Several slow calls may be part of one request: its graph is built once. */
static struct graph *new_request(struct graph_builder *builder, struct graph *graph)
{
	const struct node *root = graph ? &graph->nodes.items[graph->root] : NULL;

	for (size_t i = 0; root && i < builder->requests.count; i++)
		if (builder->requests.items[i].tid == root->tid && builder->requests.items[i].start == root->start) {
			graph_free(graph);
			return NULL;
		}
	if (root)
		*ARRAY_ADD(&builder->requests) = (struct request_seen){root->tid, root->start};
	return graph;
}

/* An empty graph of threads is left out if there is a graph of calls. */
static int build(struct graph_builder *builder, const struct graph_signal *signal, const char *window)
{
	struct wake_wanted wanted = {signal->start, signal->ts, signal->tid, signal->comm, signal->request, signal->disk, signal->sector};
	int64_t from = signal->start, first, last;
	struct graph *calls = NULL;
	struct wake_target target;

	/* Explain the part of the signal's interval that the data cover. */
	if (signal_has_end(builder->wake, signal) && wake_span(builder->wake, &first, &last) && from < first)
		from = first;
	wake_until(builder->wake, signal->ts);
	target = wake_find(builder->wake, &wanted);
	if (builder->kinds & GRAPHS_RAG && signal->tid)
		calls = new_request(builder, rag_graph(builder->wake, signal->tid, signal->start, signal->ts));
	if (builder->kinds & GRAPHS_WAKE && (target.index >= 0 || !calls) &&
	    give(builder, wake_graph(builder->wake, "", target, from, signal->ts), signal, window) < 0) {
		graph_free(calls);
		return -1;
	}
	return calls ? give(builder, calls, signal, window) : 0;
}

/* Gives an empty graph of calls; without any graph, blame-rank would build wake graphs. */
static int give_none(struct graph_builder *builder, const struct graph_signal *signal, const char *window)
{
	struct graph *graph = graph_new(GRAPH_RAG, "");

	graph->from = signal->start;
	graph->to = signal->ts;
	return give(builder, graph, signal, window);
}

static void forget(struct graph_builder *builder)
{
	builder->requests.count = 0;
	signals_forget(&builder->signals);
	wake_forget(builder->wake);
}

static int close_window(struct graph_builder *builder, const char *window)
{
	size_t chosen = signals_choose(&builder->signals, builder->wake, builder->worst);
	uint64_t before = builder->graphs;

	for (size_t i = 0; i < chosen; i++)
		if (build(builder, &builder->signals.list.items[i], window) < 0)
			return -1;
	if (chosen && builder->graphs == before && give_none(builder, &builder->signals.list.items[0], window) < 0)
		return -1;
	builder->unsure |= chosen && wake_unsure(builder->wake);
	forget(builder);
	return 0;
}

static int take_window(struct graph_builder *builder, const struct record *record)
{
	const struct fields *fields = stream_fields(builder->stream, record);
	char window[32] = "";

	if (!fields)
		return -1;
	fields_text(fields, "id", window, sizeof(window));
	return close_window(builder, window);
}

/* The window goes on as if its data began here. */
static void forget_crowd(struct graph_builder *builder)
{
	wake_forget(builder->wake);
	builder->crowded++;
	stream_mark_incomplete(builder->stream);
}

static int take_event(struct graph_builder *builder, const struct record *record)
{
	struct event event;

	if (events_read(builder->events, record, &event) < 0)
		return -1;
	if (wake_is_full(builder->wake))
		forget_crowd(builder);
	return wake_event(builder->wake, &event) < 0 ? stream_fail(builder->stream, "%s", fail_text()) : 0;
}

static int take_lost(struct graph_builder *builder, const struct record *record)
{
	const struct fields *fields = stream_fields(builder->stream, record);
	uint64_t cpu = UINT32_MAX;
	int64_t from = TIME_NONE, to = TIME_NONE;

	if (!fields)
		return -1;
	if (fields_unsigned(fields, "cpu", &cpu) < 0 || fields_time(fields, "from", &from) < 0 ||
	    fields_time(fields, "ts", &to) < 0)
		return stream_fail(builder->stream, "%s", fail_text());
	wake_lost(builder->wake, (uint32_t)cpu, from, to);
	if (record_tells_damage(record))
		wake_forget_meanings(builder->wake);
	return 0;
}

void graph_builder_reads(struct handlers *handlers, record_handler *handler)
{
	static const enum kind kinds[] = {KIND_STREAM, KIND_CHART, KIND_EVENT, KIND_LOST, KIND_STACK,
					  KIND_FILE, KIND_QUOTA, KIND_TIMER, KIND_SIGNAL, KIND_WINDOW,
					  KIND_GRAPH, KIND_NODE, KIND_EDGE};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		handlers->on[kinds[i]] = handler;
}

int graph_builder_record(struct graph_builder *builder, const struct record *record)
{
	if (builder->brought)
		return 0;
	switch (record->kind) {
	case KIND_GRAPH:
	case KIND_NODE:
	case KIND_EDGE:
		builder->brought = true;
		forget(builder);
		return 0;
	case KIND_EVENT:
		return take_event(builder, record);
	case KIND_SIGNAL:
		return take_signal(builder, record);
	case KIND_WINDOW:
		return take_window(builder, record);
	case KIND_LOST:
		return take_lost(builder, record);
	case KIND_STREAM:
	case KIND_STACK:
	case KIND_FILE:
	case KIND_CHART:
	case KIND_QUOTA:
	case KIND_TIMER:
		return take_meaning(builder, record);
	default:
		return 0;
	}
}

int graph_builder_finish(struct graph_builder *builder)
{
	builder->brought = false;
	return close_window(builder, "");
}

const char *graph_builder_complaint(struct graph_builder *builder)
{
	free(builder->complaint);
	builder->complaint = NULL;
	if (builder->crowded)
		builder->complaint = memory_format("a window has more than 262,144 threads; what happened before the last of them was forgotten, "
						   "%llu time%s", (unsigned long long)builder->crowded, builder->crowded == 1 ? "" : "s");
	else if (events_nameless(builder->events))
		builder->complaint = memory_format("the stream names more than 262,144 threads; the names of %llu were forgotten before they were "
						   "needed", (unsigned long long)events_nameless(builder->events));
	else if (builder->unsure)
		builder->complaint = memory_format("interrupts woke threads, and no event tells which: a thread that is said to have woken another may only "
						   "have been hit by an interrupt; record events of irq and timer, too");
	return builder->complaint;
}
