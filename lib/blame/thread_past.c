#include "blame/thread_past.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "blame/blame.h"
#include "wake/wake.h"

struct thread_past {
	struct stream *stream;
	struct events *events;
	struct wake *unused; /* for the first host; NULL: in use */
	ARRAY(struct wake *) hosts; /* by number of the host; NULL: it has no records yet */
	struct graph *graph; /* of the last thread_past_tell(); NULL: none */
	struct blame *blame;
	int32_t tid; /* of that graph */
};

struct thread_past *thread_past_new(struct stream *stream, struct events *events)
{
	struct wake *wake = wake_new(events);
	struct thread_past *past = wake ? NEW(struct thread_past) : NULL;

	if (past)
		*past = (struct thread_past){.stream = stream, .events = events, .unused = wake};
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
	for (size_t i = 0; i < past->hosts.count; i++)
		if (past->hosts.items[i])
			wake_free(past->hosts.items[i]);
	past->hosts.count = 0;
}

void thread_past_free(struct thread_past *past)
{
	if (!past)
		return;
	thread_past_forget(past);
	if (past->unused)
		wake_free(past->unused);
	free(past->hosts.items);
	free(past);
}

/* --- records ------------------------------------------------------------------------------------------------------ */

bool thread_past_reads(enum kind kind)
{
	return kind == KIND_STREAM || kind == KIND_EVENT || kind == KIND_LOST || kind == KIND_STACK || kind == KIND_FILE || kind == KIND_QUOTA ||
	       kind == KIND_TIMER || kind == KIND_TRACED || kind == KIND_HANDOFF || kind == KIND_HOST;
}

/* The past of the host's threads. NULL after fail(). */
static struct wake *wake_of(struct thread_past *past, int host)
{
	while (past->hosts.count <= (size_t)host)
		*ARRAY_ADD(&past->hosts) = NULL;
	if (!past->hosts.items[host]) {
		past->hosts.items[host] = past->unused ? past->unused : wake_new(past->events);
		past->unused = NULL;
	}
	return past->hosts.items[host];
}

static int take_event(struct thread_past *past, struct wake *wake, const struct record *record)
{
	struct event event;

	if (events_read(past->events, record, &event) < 0)
		return -1;
	if (wake_is_full(wake))
		wake_forget(wake);
	return wake_event(wake, &event) < 0 ? stream_fail(past->stream, "%s", fail_text()) : 0;
}

static int take_loss(struct thread_past *past, struct wake *wake, const struct record *record, const struct fields *fields)
{
	uint64_t cpu = UINT32_MAX;
	int64_t from = TIME_NONE, to = TIME_NONE;

	if (fields_unsigned(fields, "cpu", &cpu) < 0 || fields_time(fields, "from", &from) < 0 || fields_time(fields, "ts", &to) < 0)
		return stream_fail(past->stream, "%s", fail_text());
	if (fields_find(fields, "flag"))
		return 0; /* only hits of a flag were lost */
	wake_lost(wake, (uint32_t)cpu, from, to);
	if (record_tells_damage(record))
		wake_forget_meanings(wake);
	return 0;
}

/* The first `host` record of a host stands for its `stream` record. */
int thread_past_record(struct thread_past *past, int host, const struct record *record)
{
	bool known = (size_t)host < past->hosts.count && past->hosts.items[host];
	struct wake *wake = wake_of(past, host);
	enum kind kind = record->kind == KIND_HOST ? KIND_STREAM : record->kind;
	const struct fields *fields;

	if (!wake)
		return -1;
	if (kind == KIND_EVENT)
		return take_event(past, wake, record);
	if (record->kind == KIND_HOST && known)
		return 0;
	fields = stream_fields(past->stream, record);
	if (!fields)
		return -1;
	if (kind == KIND_LOST)
		return take_loss(past, wake, record, fields);
	return wake_record(wake, kind, fields) < 0 ? stream_fail(past->stream, "%s", fail_text()) : 0;
}

/* --- telling ------------------------------------------------------------------------------------------------------ */

static void add(const struct thread_past *past, int32_t node, int64_t from, int64_t to, struct thread_activities *activities)
{
	const struct node *told = &past->graph->nodes.items[node];
	bool own = told->what == WHAT_RUN && told->tid == past->tid;

	if (from < to && !own && told->what != WHAT_UNKNOWN && (size_t)node < past->blame->added)
		*ARRAY_ADD(&activities->items) = (struct thread_activity){from, to, NULL, told};
}

static int by_start(const void *left, const void *right)
{
	const struct thread_activity *a = left, *b = right;

	return (a->from > b->from) - (a->from < b->from);
}

/* Adds a piece of the path. If the piece is runnable or queued, adds instead the nodes that held the CPU or were served, if there are any. */
static void add_piece(const struct thread_past *past, const struct path_piece *piece, struct thread_activities *activities)
{
	const struct node *node = &past->graph->nodes.items[piece->node];
	size_t before = activities->items.count, count = 0;
	const struct edge *edges = graph_arriving(past->graph, piece->node, &count);

	for (size_t i = 0; i < count && (node->what == WHAT_RUNNABLE || node->what == WHAT_QUEUE); i++) {
		const struct node *source = &past->graph->nodes.items[edges[i].from];

		if (edges[i].kind == EDGE_CPU || edges[i].kind == EDGE_QUEUE)
			add(past, edges[i].from, later(source->start, piece->from), sooner(source->end, piece->to), activities);
	}
	if (activities->items.count == before)
		add(past, piece->node, piece->from, piece->to, activities);
	else
		qsort(activities->items.items + before, activities->items.count - before, sizeof(struct thread_activity), by_start);
}

void thread_past_tell(void *context, int host, int32_t tid, int64_t from, int64_t to, struct thread_activities *activities)
{
	struct thread_past *past = context;
	struct wake *wake = (size_t)host < past->hosts.count ? past->hosts.items[host] : NULL;
	struct wake_wanted wanted = {.start = wake_time(from), .ts = wake_time(to), .tid = tid, .comm = "", .call = ""};
	struct wake_target target;
	int64_t first, last;

	forget_graph(past);
	if (!wake || !wake_span(wake, &first, &last) || wanted.ts <= first || wanted.ts > last || wanted.start >= wanted.ts)
		return;
	target = wake_find(wake, &wanted);
	if (target.index < 0)
		return;
	past->tid = tid;
	past->graph = wake_graph(wake, "", target, later(wanted.start, first), wanted.ts);
	if (graph_check(past->graph) < 0)
		return; /* nothing can be told */
	past->blame = blame_new(past->graph);
	for (size_t i = 0; i < past->blame->path.count; i++)
		add_piece(past, &past->blame->path.items[i], activities);
}
