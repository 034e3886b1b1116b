#include "blame/thread_past.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "blame/blame.h"
#include "wake/wake.h"

struct thread_past {
	struct stream *stream;
	struct events *events;
	struct wake *wake;
	char *host;   /* of host records; NULL: there was none */
	bool several; /* hosts: a tid is not one thread */
	struct graph *graph; /* the last one told of; NULL: none */
	struct blame *blame;
	int32_t tid; /* and its thread */
};

struct thread_past *thread_past_new(struct stream *stream, struct events *events)
{
	struct wake *wake = wake_new(events);
	struct thread_past *past = wake ? NEW(struct thread_past) : NULL;

	if (past)
		*past = (struct thread_past){.stream = stream, .events = events, .wake = wake};
	return past;
}

static void forget_graph(struct thread_past *past)
{
	if (past->blame)
		blame_free(past->blame);
	if (past->graph)
		graph_free(past->graph);
	past->blame = NULL;
	past->graph = NULL;
}

void thread_past_forget(struct thread_past *past)
{
	forget_graph(past);
	wake_forget(past->wake);
	free(past->host);
	past->host = NULL;
	past->several = false;
}

void thread_past_free(struct thread_past *past)
{
	if (!past)
		return;
	thread_past_forget(past);
	wake_free(past->wake);
	free(past);
}

/* --- records ------------------------------------------------------------------------------------------------------ */

bool thread_past_reads(enum kind kind)
{
	return kind == KIND_STREAM || kind == KIND_EVENT || kind == KIND_LOST || kind == KIND_STACK || kind == KIND_FILE || kind == KIND_QUOTA ||
	       kind == KIND_TIMER || kind == KIND_TRACED || kind == KIND_HANDOFF || kind == KIND_HOST;
}

static int take_event(struct thread_past *past, const struct record *record)
{
	struct event event;

	if (events_read(past->events, record, &event) < 0)
		return -1;
	if (wake_is_full(past->wake))
		wake_forget(past->wake);
	return wake_event(past->wake, &event) < 0 ? stream_fail(past->stream, "%s", fail_text()) : 0;
}

static int take_loss(struct thread_past *past, const struct record *record, const struct fields *fields)
{
	uint64_t cpu = UINT32_MAX;
	int64_t from = TIME_NONE, to = TIME_NONE;

	if (fields_unsigned(fields, "cpu", &cpu) < 0 || fields_time(fields, "from", &from) < 0 || fields_time(fields, "ts", &to) < 0)
		return stream_fail(past->stream, "%s", fail_text());
	if (fields_find(fields, "flag"))
		return 0; /* hits of a flag, and nothing else, are missing */
	wake_lost(past->wake, (uint32_t)cpu, from, to);
	if (record_tells_damage(record))
		wake_forget_meanings(past->wake);
	return 0;
}

static void take_host(struct thread_past *past, const struct fields *fields)
{
	char *name = fields_copy(fields, "name");

	past->several |= past->host && name && strcmp(past->host, name) != 0;
	free(past->host);
	past->host = name;
}

int thread_past_record(struct thread_past *past, const struct record *record)
{
	const struct fields *fields;

	if (past->several)
		return 0;
	if (record->kind == KIND_EVENT)
		return take_event(past, record);
	fields = stream_fields(past->stream, record);
	if (!fields)
		return -1;
	if (record->kind == KIND_HOST) {
		take_host(past, fields);
		return 0;
	}
	if (record->kind == KIND_LOST)
		return take_loss(past, record, fields);
	return wake_record(past->wake, record->kind, fields) < 0 ? stream_fail(past->stream, "%s", fail_text()) : 0;
}

/* --- telling ------------------------------------------------------------------------------------------------------ */

static void add(const struct thread_past *past, int32_t node, int64_t from, int64_t to, struct doings *doings)
{
	const struct node *told = &past->graph->nodes.items[node];
	bool own = told->what == WHAT_RUN && told->tid == past->tid;

	if (from < to && !own && told->what != WHAT_UNKNOWN && (size_t)node < past->blame->added)
		*ARRAY_ADD(&doings->items) = (struct doing){from, to, NULL, told};
}

static int by_start(const void *left, const void *right)
{
	const struct doing *a = left, *b = right;

	return (a->from > b->from) - (a->from < b->from);
}

/* A piece of the path; of one without a CPU, or behind others at a device, those who had it. */
static void add_piece(const struct thread_past *past, const struct path_piece *piece, struct doings *doings)
{
	const struct node *node = &past->graph->nodes.items[piece->node];
	size_t before = doings->items.count, count = 0;
	const struct edge *edges = graph_arriving(past->graph, piece->node, &count);

	for (size_t i = 0; i < count && (node->what == WHAT_RUNNABLE || node->what == WHAT_QUEUE); i++) {
		const struct node *source = &past->graph->nodes.items[edges[i].from];

		if (edges[i].kind == EDGE_CPU || edges[i].kind == EDGE_QUEUE)
			add(past, edges[i].from, later(source->start, piece->from), sooner(source->end, piece->to), doings);
	}
	if (doings->items.count == before)
		add(past, piece->node, piece->from, piece->to, doings);
	else
		qsort(doings->items.items + before, doings->items.count - before, sizeof(struct doing), by_start);
}

void thread_past_tell(void *context, int host, int32_t tid, int64_t from, int64_t to, struct doings *doings)
{
	struct thread_past *past = context;
	struct wake_wanted wanted = {.start = wake_time(from), .ts = wake_time(to), .tid = tid, .comm = "", .call = ""};
	struct wake_target target;
	int64_t first, last;

	(void)host;
	forget_graph(past);
	if (past->several || !wake_span(past->wake, &first, &last) || wanted.ts <= first || wanted.ts > last || wanted.start >= wanted.ts)
		return;
	target = wake_find(past->wake, &wanted);
	if (target.index < 0)
		return;
	past->tid = tid;
	past->graph = wake_graph(past->wake, "", target, later(wanted.start, first), wanted.ts);
	if (graph_check(past->graph) < 0)
		return; /* it cannot be told */
	past->blame = blame_new(past->graph);
	for (size_t i = 0; i < past->blame->path.count; i++)
		add_piece(past, &past->blame->path.items[i], doings);
}
