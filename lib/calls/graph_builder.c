#include "calls/graph_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/hash.h"
#include "calls/rag.h"
#include "calls/tasks.h"
#include "calls/throws.h"
#include "stream/fields.h"
#include "wake/wake.h"

/*
 * The signals of a window, and the worst of them:
 *
 *	signals_take(&signals, events, fields) with each `signal` record
 *	count = signals_choose(&signals, wake, worst) at the end of the window: the first `count` get graphs
 *	signals_forget(&signals) before the next window; signals_free(&signals) in the end
 */
enum { SIGNAL_COMM_ROOM = 32 };

struct graph_signal {
	char id[32];
	int64_t start, ts;
	double lost;	      /* seconds beyond the centre; negative: the signal is no wait; see signals_take() */
	double excess;	      /* value / ucl */
	size_t order;	      /* of arrival, within the window */
	int32_t tid;	      /* 0: none */
	int32_t answers_fd;   /* of a request to a process: the descriptor of its connection; -1: it is no such request */
	char comm[SIGNAL_COMM_ROOM], call[SIGNAL_COMM_ROOM]; /* call: the system call, if its chart measures those */
	bool logged;	      /* it is no signal, but a request that a trigger logged */
	bool open;	      /* its interval had not ended yet */
	bool fired;	      /* a trigger fired at a single moment: something may have been thrown then */
	bool request;	      /* it is of a block request, at this place: */
	uint64_t disk, sector;
};

/* Empty when all zero. Of more than SIGNALS_MAX signals the least bad are dropped. */
enum { SIGNALS_MAX = 1 << 16 };
struct signals {
	ARRAY(struct graph_signal) list;
	/* private */
	struct first_center *centers;
	struct open_signal *open; /* open signals of the list, by their wait */
	size_t taken;
};

/* The centre of a chart and key in the window's first signal. */
struct first_center {
	char *name; /* chart and key */
	double center;
	UT_hash_handle hh;
};

/* A wait that had not ended at its signal. */
struct open_signal {
	struct wait {
		int64_t start;
		uint64_t disk, sector;
		int64_t tid;
	} wait;
	size_t at; /* in the list */
	UT_hash_handle hh;
};

static void forget_open(struct signals *signals)
{
	HASH_FREE(signals->open);
}

static void signals_forget(struct signals *signals)
{
	struct first_center *center, *next;

	HASH_ITER(hh, signals->centers, center, next) {
		HASH_DEL(signals->centers, center);
		free(center->name);
		free(center);
	}
	forget_open(signals);
	signals->list.count = signals->taken = 0;
}

static void signals_free(struct signals *signals)
{
	signals_forget(signals);
	free(signals->list.items);
}

/* Tells whether the shown fields are arguments of a traced function, which may have any names and values. */
static bool shows_arguments(const struct fields *fields)
{
	static const char system[] = "func:";
	const struct field *chart = fields_find(fields, "chart");

	return chart && chart->value_length >= strlen(system) && !memcmp(chart->value, system, strlen(system));
}

/* Reads the disk and sector that identify a block request, which may have begun as a bio to a partition of the disk. 0; -1 after fail(). */
static int read_place(struct events *events, const struct fields *fields, struct graph_signal *signal)
{
	const struct field *dev = fields_find(fields, "dev");

	if (!dev || !fields_find(fields, "sector") || shows_arguments(fields))
		return 0;
	if (device_parse(dev->value, dev->value_length, &signal->disk) < 0 ||
	    fields_unsigned(fields, "sector", &signal->sector) < 0)
		return -1;
	signal->disk = events_device_disk(events, signal->disk);
	signal->request = true;
	return 0;
}

/*
 * Limits move while a chart learns. By its own centre, an early signal of an incident would seem worse than slower ones that follow.
 * So all signals of a chart and key are measured by one centre.
 */
static double center_in_window(struct signals *signals, const struct fields *fields, double center)
{
	char name[256] = "", key[120] = "";
	struct first_center *first;

	fields_text(fields, "chart", name, sizeof(name) - sizeof(key));
	fields_text(fields, "key", key, sizeof(key));
	strcat(strcat(name, " "), key);
	HASH_FIND_STR(signals->centers, name, first);
	if (!first) {
		first = NEW(struct first_center);
		first->name = memory_text(name, strlen(name));
		first->center = center;
		HASH_ADD_KEYPTR(hh, signals->centers, first->name, strlen(first->name), first);
	}
	return first->center;
}

/* Reads how bad a signal is. Signals of plain numbers, and of a change of level, are no waits: they lost no time. */
static int read_badness(struct signals *signals, const struct fields *fields, struct graph_signal *signal)
{
	double value = 0, center = 0, ucl = 0;

	if (fields_double(fields, "value", &value) < 0 || fields_double(fields, "center", &center) < 0 ||
	    fields_double(fields, "ucl", &ucl) < 0)
		return -1;
	signal->lost = -1;
	if (fields_find(fields, "start") && !fields_find(fields, "unit") && !fields_is(fields, "rules", "shift"))
		signal->lost = fmax(value - center_in_window(signals, fields, center), 0);
	signal->excess = ucl > 0 ? value / ucl : value;
	return 0;
}

/* The descriptor on which a request to a process was answered; -1: the signal is of no such request. */
static int32_t turn_fd(const struct fields *fields)
{
	int64_t fd = -1;

	return fields_is(fields, "chart", "turn") && fields_integer(fields, "fd", &fd) > 0 && fd >= 0 && fd <= INT32_MAX ? (int32_t)fd : -1;
}

static int read_signal(struct signals *signals, struct events *events, const struct fields *fields,
		       struct graph_signal *signal)
{
	int64_t tid = 0;

	if (fields_time(fields, "ts", &signal->ts) < 0 || fields_time(fields, "start", &signal->start) < 0 ||
	    fields_integer(fields, "tid", &tid) < 0 || read_badness(signals, fields, signal) < 0 || read_place(events, fields, signal) < 0)
		return -1;
	fields_text(fields, "id", signal->id, sizeof(signal->id));
	fields_text(fields, "comm", signal->comm, sizeof(signal->comm));
	if (fields_is(fields, "chart", "syscall"))
		fields_text(fields, "key", signal->call, sizeof(signal->call));
	if (!fields_find(fields, "ts"))
		return fail("a signal needs a ts");
	signal->start = wake_time(fields_find(fields, "start") ? signal->start : signal->ts);
	signal->ts = wake_time(signal->ts);
	if (signal->start > signal->ts)
		return fail("a signal ends before it starts");
	signal->tid = (int32_t)tid;
	signal->answers_fd = turn_fd(fields);
	signal->open = fields_is(fields, "open", "yes");
	signal->fired = signal->start == signal->ts && fields_is(fields, "rules", "trigger");
	return 0;
}

static struct wait wait_of(const struct graph_signal *signal)
{
	return (struct wait){.start = signal->start, .disk = signal->disk, .sector = signal->sector, .tid = signal->tid};
}

static struct open_signal *find_open(const struct signals *signals, const struct graph_signal *signal)
{
	struct wait wait = wait_of(signal);
	struct open_signal *open;

	HASH_FIND(hh, signals->open, &wait, sizeof(wait), open);
	return open;
}

static void add_open(struct signals *signals, const struct graph_signal *signal, size_t at)
{
	struct open_signal *open = NEW(struct open_signal);

	open->wait = wait_of(signal);
	open->at = at;
	HASH_ADD(hh, signals->open, wait, sizeof(open->wait), open);
}

static int by_badness(const struct graph_signal *a, const struct graph_signal *b)
{
	if (a->lost != b->lost)
		return a->lost > b->lost ? -1 : 1;
	if (a->excess != b->excess)
		return a->excess > b->excess ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static int worst_first(const void *left, const void *right)
{
	return by_badness(left, right);
}

/* Keeps the worse half of the signals. */
static void drop_least(struct signals *signals)
{
	struct graph_signal *list = signals->list.items;

	qsort(list, signals->list.count, sizeof(*list), worst_first);
	signals->list.count /= 2;
	forget_open(signals);
	for (size_t i = 0; i < signals->list.count; i++)
		if (list[i].open && !find_open(signals, &list[i]))
			add_open(signals, &list[i], i);
}

/* Adds the signal; it replaces an earlier one of the same wait, which had not ended then. */
static void keep(struct signals *signals, const struct graph_signal *signal)
{
	struct open_signal *open = find_open(signals, signal);
	size_t at = open ? open->at : signals->list.count;

	*(open ? &signals->list.items[at] : ARRAY_ADD(&signals->list)) = *signal;
	if (open && !signal->open) {
		HASH_DEL(signals->open, open);
		free(open);
	}
	if (!open && signal->open)
		add_open(signals, signal, at);
	if (signals->list.count >= SIGNALS_MAX)
		drop_least(signals);
}

/*
 * Takes a `signal` record; ignores that of a rate, which is no wait. Measures the time lost from the centre that its chart and key had
 * at the window's first signal. The signal replaces one of the same wait that was still open. 0; -1 after fail(): it is malformed.
 */
static int signals_take(struct signals *signals, struct events *events, const struct fields *fields)
{
	struct graph_signal signal = {.order = signals->taken};

	if (fields_is(fields, "unit", "share") || fields_is(fields, "unit", "per_second") || fields_is(fields, "mean", "yes"))
		return 0;
	if (read_signal(signals, events, fields, &signal) < 0)
		return -1;
	signals->taken++;
	keep(signals, &signal);
	return 0;
}

/* Tells whether the data have the signal's end, at which the walk backward begins. */
static bool signal_has_end(const struct wake *wake, const struct graph_signal *signal)
{
	int64_t first, last;

	return wake_span(wake, &first, &last) && signal->ts > first && signal->ts <= last;
}

/* The worst first; of equals, the earlier first. Signals whose end is not in the data come last. */
static int worse_first(const void *left, const void *right, void *context)
{
	const struct graph_signal *a = left, *b = right;
	bool a_ends = signal_has_end(context, a), b_ends = signal_has_end(context, b);

	if (a_ends != b_ends)
		return a_ends ? -1 : 1;
	return by_badness(a, b);
}

/*
 * Sorts the signals, the worst first. Returns how many get graphs, at most `worst`. Signals whose end is not in the data get none,
 * unless that is true of all signals.
 */
static size_t signals_choose(struct signals *signals, const struct wake *wake, size_t worst)
{
	struct graph_signal *list = signals->list.items;
	size_t count = signals->list.count, chosen = 0;

	if (count > 1)
		qsort_r(list, count, sizeof(*list), worse_first, (void *)wake);
	while (chosen < count && chosen < worst && signal_has_end(wake, &list[chosen]))
		chosen++;
	if (chosen == 0)
		return count < worst ? count : worst;
	return chosen;
}

struct request_seen { /* a request whose graph of calls was built */
	int32_t tid;
	int64_t start;
};

enum { THROWN_MAX = 1024 };

struct thrown_at { /* the graph of an exception, made when its signal comes, because many throws may follow and displace it */
	int32_t tid;
	int64_t ts;
	struct graph *graph;
};

struct graph_builder {
	struct stream *stream;
	struct events *events;
	struct wake *wake;
	struct throws *throws;
	struct tasks *tasks;
	ARRAY(struct thrown_at) thrown; /* of the window's signals */
	size_t worst;
	enum graphs kinds;
	struct signals signals; /* since the last window */
	ARRAY(struct request_seen) requests; /* of the window */
	ARRAY(struct graph_signal) logged;   /* requests that a trigger logged since the last window */
	bool closed; /* a window has come, and since then only windows: those of requests use its events, too */
	graph_sink *sink;
	void *context;
	uint64_t graphs; /* built so far */
	uint64_t crowded; /* how often a window had too many threads, and its events so far were forgotten */
	uint64_t busy; /* the same of tasks of programs' own */
	char *complaint;
	bool brought;	 /* the trace has graphs already */
	bool whole;	 /* the last graph record was of a graph of the whole trace */
	bool events_seen; /* the trace has events */
	bool unsure;	 /* some graph is unsure who woke a thread; see graph_builder_complaint() */
};

/* Takes a record that explains events: the stream, stacks, charts, files, quotas and so on. */
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
	builder->throws = throws_new();
	builder->tasks = tasks_new();
	return builder;
}

static void forget_thrown(struct graph_builder *builder)
{
	for (size_t i = 0; i < builder->thrown.count; i++)
		graph_free(builder->thrown.items[i].graph);
	builder->thrown.count = 0;
}

void graph_builder_free(struct graph_builder *builder)
{
	if (!builder)
		return;
	wake_free(builder->wake);
	throws_free(builder->throws);
	tasks_free(builder->tasks);
	forget_thrown(builder);
	free(builder->thrown.items);
	signals_free(&builder->signals);
	free(builder->complaint);
	free(builder->requests.items);
	free(builder->logged.items);
	free(builder);
}

void graph_builder_kinds(struct graph_builder *builder, enum graphs kinds)
{
	builder->kinds = kinds;
}

void graph_builder_semantics(struct graph_builder *builder, const struct semantics *semantics)
{
	wake_semantics(builder->wake, semantics);
}

void graph_builder_sink(struct graph_builder *builder, graph_sink *sink, void *context)
{
	builder->sink = sink;
	builder->context = context;
}

/* Keeps the graph of an exception at which a trigger fired. */
static void keep_thrown(struct graph_builder *builder, const struct fields *fields)
{
	int64_t ts = 0, start = 0, tid = 0;
	struct graph *graph = NULL;

	fields_time(fields, "ts", &ts);
	fields_time(fields, "start", &start);
	fields_integer(fields, "tid", &tid);
	if (ts == start && tid > 0 && tid <= INT32_MAX && builder->thrown.count < THROWN_MAX)
		graph = throws_graph(builder->throws, builder->events, (int32_t)tid, wake_time(ts));
	if (graph)
		*ARRAY_ADD(&builder->thrown) = (struct thrown_at){(int32_t)tid, wake_time(ts), graph};
}

static int take_signal(struct graph_builder *builder, const struct record *record)
{
	const struct fields *fields = stream_fields(builder->stream, record);

	if (!fields)
		return -1;
	if (signals_take(&builder->signals, builder->events, fields) < 0)
		return stream_fail(builder->stream, "%s", fail_text());
	if (fields_is(fields, "rules", "trigger"))
		keep_thrown(builder, fields);
	return 0;
}

static int give(struct graph_builder *builder, struct graph *graph, const struct graph_signal *signal, const char *window)
{
	free(graph->id);
	graph->id = memory_format("%llu", (unsigned long long)++builder->graphs);
	graph->window = *window ? memory_text(window, strlen(window)) : NULL;
	if (*signal->id)
		*(signal->logged ? &graph->request : &graph->signal) = memory_text(signal->id, strlen(signal->id));
	if (graph_check(graph) < 0) {
		graph_free(graph);
		return -1;
	}
	return builder->sink(builder->context, graph);
}

/* Returns the graph of a request; NULL, and frees it, if the request had its graph: several slow calls may be part of one request. */
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

static struct graph *wake_graph_of(struct graph_builder *builder, const struct graph_signal *signal, struct wake_target target, int64_t from)
{
	struct graph *graph = wake_graph(builder->wake, "", target, from, signal->ts);
	const char *answered = NULL;

	if (graph && signal->answers_fd >= 0 && !signal->open)
		answered = wake_answered(builder->wake, target, signal->answers_fd, from, signal->ts, &graph->answered_tid);
	if (answered)
		graph->answered = memory_text(answered, strlen(answered));
	return graph;
}

/* Hands out the graph of what was thrown at the signal, which the caller then owns. NULL: none. */
static struct graph *take_thrown(struct graph_builder *builder, const struct graph_signal *signal)
{
	for (size_t i = 0; i < builder->thrown.count; i++) {
		struct thrown_at *thrown = &builder->thrown.items[i];
		struct graph *graph = thrown->graph;

		if (graph && thrown->tid == signal->tid && thrown->ts == signal->ts) {
			thrown->graph = NULL;
			return graph;
		}
	}
	return NULL;
}

/* Gives the graph of what was thrown; such a moment gets no other graph. */
static int give_thrown(struct graph_builder *builder, struct graph *graph, const struct graph_signal *signal, const char *window)
{
	if (builder->kinds & GRAPHS_RAG)
		return give(builder, graph, signal, window);
	graph_free(graph);
	return 0;
}

/* Builds the graphs of a signal. Leaves out a wake graph that would be empty if there is a graph of calls. */
static int build(struct graph_builder *builder, const struct graph_signal *signal, const char *window)
{
	struct wake_wanted wanted = {signal->start, signal->ts, signal->tid, signal->comm, signal->call, signal->request, signal->disk, signal->sector};
	int64_t from = signal->start, first, last;
	struct graph *calls = NULL, *thrown = signal->fired ? take_thrown(builder, signal) : NULL;
	struct wake_target target;

	if (thrown)
		return give_thrown(builder, thrown, signal, window);
	/* Explain the part of the signal's interval that the data cover. */
	if (signal_has_end(builder->wake, signal) && wake_span(builder->wake, &first, &last) && from < first)
		from = first;
	wake_until(builder->wake, signal->ts);
	target = wake_find(builder->wake, &wanted);
	if (builder->kinds & GRAPHS_RAG && signal->tid)
		calls = new_request(builder, rag_graph(builder->wake, signal->tid, signal->start, signal->ts));
	if (builder->kinds & GRAPHS_RAG && signal->tid && !calls)
		calls = tasks_graph(builder->tasks, builder->events, signal->tid, signal->start, signal->ts);
	if (builder->kinds & GRAPHS_WAKE && (target.index >= 0 || !calls) &&
	    give(builder, wake_graph_of(builder, signal, target, from), signal, window) < 0) {
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
	builder->closed = false;
	builder->requests.count = builder->logged.count = 0;
	signals_forget(&builder->signals);
	forget_thrown(builder);
	tasks_forget(builder->tasks);
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
	return 0;
}

/* Keeps a request that a trigger logged, which gets graphs at its window. */
static int take_request(struct graph_builder *builder, const struct record *record)
{
	const struct fields *fields = stream_fields(builder->stream, record);
	struct graph_signal request = {.logged = true};
	int64_t tid = 0;

	if (!fields)
		return -1;
	if (!fields_is(fields, "logged", "yes") || builder->logged.count >= SIGNALS_MAX)
		return 0;
	if (fields_time(fields, "ts", &request.ts) < 0 || fields_time(fields, "start", &request.start) < 0 || fields_integer(fields, "tid", &tid) < 0 ||
	    read_place(builder->events, fields, &request) < 0)
		return stream_fail(builder->stream, "%s", fail_text());
	request.start = wake_time(request.start);
	request.ts = wake_time(request.ts);
	if (request.start > request.ts)
		return stream_fail(builder->stream, "a request ends before it starts");
	request.tid = (int32_t)tid;
	request.answers_fd = turn_fd(fields);
	fields_text(fields, "id", request.id, sizeof(request.id));
	if (fields_is(fields, "chart", "syscall"))
		fields_text(fields, "key", request.call, sizeof(request.call));
	*ARRAY_ADD(&builder->logged) = request;
	return 0;
}

/* Builds the graphs of a request that a trigger logged. */
static int build_request(struct graph_builder *builder, const char *id, const char *window)
{
	builder->requests.count = 0;
	for (size_t i = 0; i < builder->logged.count; i++)
		if (!strcmp(builder->logged.items[i].id, id))
			return build(builder, &builder->logged.items[i], window);
	return 0;
}

/* Takes a window. Windows of requests follow the window whose events they share. */
static int take_window(struct graph_builder *builder, const struct record *record)
{
	const struct fields *fields = stream_fields(builder->stream, record);
	char window[32] = "", request[32] = "";

	if (!fields)
		return -1;
	fields_text(fields, "id", window, sizeof(window));
	if (fields_text(fields, "request", request, sizeof(request)) > 0) {
		builder->closed = true;
		return build_request(builder, request, window);
	}
	if (builder->closed)
		forget(builder);
	builder->closed = true;
	return close_window(builder, window);
}

/* Too many threads: forgets the events so far; the window continues as if its data began here. */
static void forget_crowd(struct graph_builder *builder)
{
	wake_forget(builder->wake);
	builder->crowded++;
	stream_mark_incomplete(builder->stream);
}

static int take_exception(struct graph_builder *builder, const struct record *record)
{
	const struct fields *fields = stream_fields(builder->stream, record);

	if (!fields)
		return -1;
	return throws_take(builder->throws, builder->wake, builder->events, fields) < 0 ? stream_fail(builder->stream, "%s", fail_text()) : 0;
}

static int take_async(struct graph_builder *builder, const struct record *record)
{
	const struct fields *fields = stream_fields(builder->stream, record);
	int forgot;

	if (!fields)
		return -1;
	forgot = tasks_take(builder->tasks, fields);
	if (forgot < 0)
		return stream_fail(builder->stream, "%s", fail_text());
	builder->busy += (uint64_t)forgot;
	if (forgot)
		stream_mark_incomplete(builder->stream);
	return 0;
}

static int take_event(struct graph_builder *builder, const struct record *record)
{
	struct event event;

	if (events_read(builder->events, record, &event) < 0)
		return -1;
	builder->events_seen = true;
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
	if (fields_find(fields, "flag"))
		return 0; /* only hits of a flag are missing */
	wake_lost(builder->wake, (uint32_t)cpu, from, to);
	throws_lose(builder->throws);
	if (record_tells_damage(record))
		wake_forget_meanings(builder->wake);
	return 0;
}

/* The stream has graphs already: builds none. A graph of the whole trace does not count, because it is of another kind. */
static int take_graph(struct graph_builder *builder, const struct record *record)
{
	const struct fields *fields = record->kind == KIND_GRAPH ? stream_fields(builder->stream, record) : NULL;

	if (record->kind == KIND_GRAPH && !fields)
		return -1;
	if (fields)
		builder->whole = fields_is(fields, "kind", "event");
	if (builder->whole)
		return 0;
	builder->brought = true;
	forget(builder);
	return 0;
}

void graph_builder_reads(struct handlers *handlers, record_handler *handler)
{
	static const enum kind kinds[] = {KIND_STREAM, KIND_CHART, KIND_EVENT, KIND_LOST, KIND_STACK,
					  KIND_FILE, KIND_QUOTA, KIND_TIMER, KIND_TRACED, KIND_HANDOFF, KIND_SIGNAL,
					  KIND_REQUEST, KIND_EXCEPTION, KIND_ASYNC, KIND_WINDOW, KIND_GRAPH, KIND_NODE, KIND_EDGE};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		handlers->on[kinds[i]] = handler;
}

int graph_builder_record(struct graph_builder *builder, const struct record *record)
{
	if (builder->brought)
		return 0;
	if (builder->closed && record->kind != KIND_WINDOW)
		forget(builder);
	switch (record->kind) {
	case KIND_GRAPH:
	case KIND_NODE:
	case KIND_EDGE:
		return take_graph(builder, record);
	case KIND_EVENT:
		return take_event(builder, record);
	case KIND_SIGNAL:
		return take_signal(builder, record);
	case KIND_REQUEST:
		return take_request(builder, record);
	case KIND_WINDOW:
		return take_window(builder, record);
	case KIND_EXCEPTION:
		return take_exception(builder, record);
	case KIND_ASYNC:
		return take_async(builder, record);
	case KIND_LOST:
		return take_lost(builder, record);
	case KIND_STREAM:
	case KIND_STACK:
	case KIND_FILE:
	case KIND_CHART:
	case KIND_QUOTA:
	case KIND_TIMER:
	case KIND_TRACED:
	case KIND_HANDOFF:
		return take_meaning(builder, record);
	default:
		return 0;
	}
}

int graph_builder_finish(struct graph_builder *builder)
{
	int status = builder->closed ? 0 : close_window(builder, "");

	if (status == 0 && builder->events_seen && wake_semantics_check(builder->wake) < 0)
		status = -1;
	builder->brought = builder->whole = false;
	throws_forget(builder->throws);
	forget(builder);
	return status;
}

const char *graph_builder_complaint(struct graph_builder *builder)
{
	free(builder->complaint);
	builder->complaint = NULL;
	if (builder->crowded)
		builder->complaint = memory_format("a window has more than 262,144 threads; what happened before the last of them was forgotten, "
						   "%llu time%s", (unsigned long long)builder->crowded, builder->crowded == 1 ? "" : "s");
	else if (builder->busy)
		builder->complaint = memory_format("a window has too many tasks of programs' own; what they did before the last of them was "
						   "forgotten, %llu time%s", (unsigned long long)builder->busy, builder->busy == 1 ? "" : "s");
	else if (events_nameless(builder->events))
		builder->complaint = memory_format("the stream names more than 262,144 threads; the names of %llu were forgotten before they were "
						   "needed", (unsigned long long)events_nameless(builder->events));
	else if (builder->unsure)
		builder->complaint = memory_format("interrupts woke threads, and no event tells which: a thread that is said to have woken another may only "
						   "have been hit by an interrupt; record events of irq and timer, too");
	return builder->complaint;
}
