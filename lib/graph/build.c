#include "graph/build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "graph/rag.h"
#include "graph/wake_quota.h"
#include "graph/wake_stack.h"

enum { SIGNAL_COMM_ROOM = 32 };

/* A signal, as far as its graph needs it. */
struct signal {
	char id[32];
	int64_t start, ts;
	double lost;	      /* seconds beyond the centre; less than nothing of what is no wait; see center_in_window() */
	double excess;	      /* in limits */
	size_t order;	      /* among those of the window */
	int32_t tid;	      /* TID_IDLE: none */
	char comm[SIGNAL_COMM_ROOM];
	bool request;	      /* of a block request, at: */
	uint64_t disk, sector;
};

/* The centre of a chart and key as the window's first signal has it. */
struct first_center {
	char *name; /* chart and key */
	double center;
	UT_hash_handle hh;
};

struct request_seen { /* a request whose graph of calls was built */
	int32_t tid;
	int64_t start;
};

struct graph_builder {
	struct stream *stream;
	struct events *events;
	struct wake *wake;
	size_t worst;
	enum graphs kinds;
	ARRAY(struct signal) signals; /* since the last window */
	struct first_center *centers; /* of the signals since the last window */
	ARRAY(struct request_seen) requests; /* of the window */
	graph_sink *sink;
	void *context;
	uint64_t graphs; /* built so far */
};

/* What stands behind numbers in events, or beside them. */
static int take_meaning(struct graph_builder *builder, const struct record *record,
			int (*take)(struct wake *wake, const struct fields *fields))
{
	const struct fields *fields = stream_fields(builder->stream, record);

	if (!fields)
		return -1;
	return take(builder->wake, fields) < 0 ? stream_fail(builder->stream, "%s", fail_text()) : 0;
}

struct graph_builder *graph_builder_new(struct stream *stream, struct events *events, int worst)
{
	struct graph_builder *builder = NEW(struct graph_builder);

	builder->stream = stream;
	builder->events = events;
	builder->worst = (size_t)worst;
	builder->kinds = GRAPHS_ALL;
	builder->wake = wake_new(events);
	return builder;
}

static void forget_centers(struct graph_builder *builder)
{
	struct first_center *center, *next;

	HASH_ITER(hh, builder->centers, center, next) {
		HASH_DEL(builder->centers, center);
		free(center->name);
		free(center);
	}
}

void graph_builder_free(struct graph_builder *builder)
{
	if (!builder)
		return;
	forget_centers(builder);
	wake_free(builder->wake);
	free(builder->signals.items);
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

/* A block request is told by its place; the time of its start may be that of a bio to a partition of the disk. */
static int read_place(struct graph_builder *builder, const struct fields *fields, struct signal *signal)
{
	const struct field *dev = fields_find(fields, "dev");

	if (!dev || !fields_find(fields, "sector"))
		return 0;
	if (device_parse(dev->value, dev->value_length, &signal->disk) < 0 ||
	    fields_unsigned(fields, "sector", &signal->sector) < 0)
		return -1;
	signal->disk = events_device_disk(builder->events, signal->disk);
	signal->request = true;
	return 0;
}

/*
 * Limits move while a chart learns; measured by their own, the early signals of an incident would seem worse than the
 * slower ones that follow. So all of a chart and key are measured by one, and the slowest of them is the worst.
 */
static double center_in_window(struct graph_builder *builder, const struct fields *fields, double center)
{
	char name[256] = "", key[120] = "";
	struct first_center *first;

	fields_text(fields, "chart", name, sizeof(name) - sizeof(key));
	fields_text(fields, "key", key, sizeof(key));
	strcat(strcat(name, " "), key);
	HASH_FIND_STR(builder->centers, name, first);
	if (!first) {
		first = NEW(struct first_center);
		first->name = memory_text(name, strlen(name));
		first->center = center;
		HASH_ADD_KEYPTR(hh, builder->centers, first->name, strlen(first->name), first);
	}
	return first->center;
}

/* Plain numbers, and a level that changed, are no wait: no time was lost by them. */
static int read_badness(struct graph_builder *builder, const struct fields *fields, struct signal *signal)
{
	double value = 0, center = 0, ucl = 0;

	if (fields_double(fields, "value", &value) < 0 || fields_double(fields, "center", &center) < 0 ||
	    fields_double(fields, "ucl", &ucl) < 0)
		return -1;
	signal->lost = -1;
	if (fields_find(fields, "start") && !fields_find(fields, "unit") && !fields_is(fields, "rules", "shift"))
		signal->lost = fmax(value - center_in_window(builder, fields, center), 0);
	signal->excess = ucl > 0 ? value / ucl : value;
	return 0;
}

static int read_signal(struct graph_builder *builder, const struct fields *fields, struct signal *signal)
{
	int64_t tid = TID_IDLE;

	if (fields_time(fields, "ts", &signal->ts) < 0 || fields_time(fields, "start", &signal->start) < 0 ||
	    fields_integer(fields, "tid", &tid) < 0 || read_badness(builder, fields, signal) < 0 ||
	    read_place(builder, fields, signal) < 0)
		return -1;
	fields_text(fields, "id", signal->id, sizeof(signal->id));
	fields_text(fields, "comm", signal->comm, sizeof(signal->comm));
	if (!fields_find(fields, "ts"))
		return fail("a signal needs a ts");
	if (!fields_find(fields, "start"))
		signal->start = signal->ts;
	if (signal->start > signal->ts)
		return fail("a signal ends before it starts");
	signal->tid = (int32_t)tid;
	return 0;
}

/* Whether the end of it is among the events, so that it can be walked backward from there. */
static bool has_end(const struct graph_builder *builder, const struct signal *signal)
{
	return builder->wake->gaps.count && signal->ts > wake_first(builder->wake) && signal->ts <= builder->wake->now;
}

/* The worst first; of equals the earlier. Those whose end is not among the events come last: little can be said of them. */
static int worse_first(const void *left, const void *right, void *context)
{
	const struct signal *a = left, *b = right;
	bool a_ends = has_end(context, a), b_ends = has_end(context, b);

	if (a_ends != b_ends)
		return a_ends ? -1 : 1;
	if (a->lost != b->lost)
		return a->lost > b->lost ? -1 : 1;
	if (a->excess != b->excess)
		return a->excess > b->excess ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static int take_signal(struct graph_builder *builder, const struct record *record)
{
	const struct fields *fields = stream_fields(builder->stream, record);
	struct signal signal = {.order = builder->signals.count};

	if (!fields)
		return -1;
	if (fields_is(fields, "unit", "share") || fields_is(fields, "unit", "per_second"))
		return 0; /* a rate is no wait, and its signal names who */
	if (read_signal(builder, fields, &signal) < 0)
		return stream_fail(builder->stream, "%s", fail_text());
	*ARRAY_ADD(&builder->signals) = signal;
	return 0;
}

/* A request that was queued before the data: the signal tells when, and by whom. */
static void tell_beginning(struct graph_builder *builder, const struct signal *signal, int32_t index)
{
	struct request *request = &builder->wake->requests.items[index];
	struct thread *thread;

	if (request->submitter != INDEX_NONE || signal->start >= request->issued || signal->tid == TID_IDLE)
		return;
	thread = wake_thread(builder->wake, signal->tid);
	if (!thread->comm && *signal->comm)
		thread->comm = memory_text(signal->comm, strlen(signal->comm));
	request->queued = signal->start;
	request->submitter = request->owner = thread->index;
}

static enum target find_target(struct graph_builder *builder, const struct signal *signal, int32_t *index)
{
	const struct thread *thread;

	if (signal->request) {
		*index = request_find(builder->wake, signal->disk, signal->sector, signal->start, signal->ts);
		if (*index != INDEX_NONE) {
			tell_beginning(builder, signal, *index);
			return TARGET_REQUEST;
		}
	}
	/* Without switches there is nothing to be said about a thread. */
	thread = builder->wake->switches ? wake_thread_find(builder->wake, signal->tid) : NULL;
	*index = thread ? thread->index : INDEX_NONE;
	return thread ? TARGET_THREAD : TARGET_NONE;
}

static int give(struct graph_builder *builder, struct graph *graph, const struct signal *signal, const char *window)
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

/* Several slow calls may be part of one request, whose graph is wanted once. */
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

/* A graph of calls makes up for one of threads that would be empty. */
static int build(struct graph_builder *builder, const struct signal *signal, const char *window)
{
	struct graph *calls = NULL;
	int64_t from = signal->start;
	enum target target;
	int32_t index;

	/* What happened before the data is not known; the rest of it is explained. */
	if (has_end(builder, signal) && from < wake_first(builder->wake))
		from = wake_first(builder->wake);
	wake_until(builder->wake, signal->ts);
	target = find_target(builder, signal, &index);
	if (builder->kinds & GRAPHS_RAG && signal->tid != TID_IDLE)
		calls = new_request(builder, rag_graph(builder->wake, signal->tid, signal->start));
	if (builder->kinds & GRAPHS_WAKE && (target != TARGET_NONE || !calls) &&
	    give(builder, wake_graph(builder->wake, "", target, index, from, signal->ts), signal, window) < 0) {
		graph_free(calls);
		return -1;
	}
	return calls ? give(builder, calls, signal, window) : 0;
}

/* How many of the signals, the worst first, get graphs: of those without an end in the data none, unless all are. */
static size_t choose_signals(struct graph_builder *builder)
{
	size_t count = builder->signals.count, chosen = 0;

	if (count > 1)
		qsort_r(builder->signals.items, count, sizeof(struct signal), worse_first, builder);
	while (chosen < count && chosen < builder->worst && has_end(builder, &builder->signals.items[chosen]))
		chosen++;
	if (chosen == 0)
		return count < builder->worst ? count : builder->worst;
	return chosen;
}

static int close_window(struct graph_builder *builder, const char *window)
{
	size_t chosen = choose_signals(builder);

	for (size_t i = 0; i < chosen; i++)
		if (build(builder, &builder->signals.items[i], window) < 0)
			return -1;
	builder->signals.count = builder->requests.count = 0;
	forget_centers(builder);
	wake_forget(builder->wake);
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

static int take_event(struct graph_builder *builder, const struct record *record)
{
	struct event event;

	if (events_read(builder->events, record, &event) < 0)
		return -1;
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
	return 0;
}

void graph_builder_reads(struct handlers *handlers, record_handler *handler)
{
	static const enum kind kinds[] = {KIND_STREAM, KIND_CHART, KIND_EVENT, KIND_LOST, KIND_STACK,
					  KIND_FILE, KIND_QUOTA, KIND_SIGNAL, KIND_WINDOW};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		handlers->on[kinds[i]] = handler;
}

int graph_builder_record(struct graph_builder *builder, const struct record *record)
{
	switch (record->kind) {
	case KIND_STREAM:
		return take_meaning(builder, record, wake_stream);
	case KIND_EVENT:
		return take_event(builder, record);
	case KIND_SIGNAL:
		return take_signal(builder, record);
	case KIND_WINDOW:
		return take_window(builder, record);
	case KIND_LOST:
		return take_lost(builder, record);
	case KIND_STACK:
		return take_meaning(builder, record, wake_stack_read);
	case KIND_FILE:
		return take_meaning(builder, record, wake_file_read);
	case KIND_CHART:
		return take_meaning(builder, record, rag_chart);
	case KIND_QUOTA:
		return take_meaning(builder, record, wake_quota_read);
	default:
		return 0;
	}
}

int graph_builder_finish(struct graph_builder *builder)
{
	return close_window(builder, "");
}
