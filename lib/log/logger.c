#include "log/logger.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uthash.h>

#include "base/fail.h"
#include "base/memory.h"
#include "chart/chart.h"
#include "log/waiting.h"
#include "program/demangle.h"
#include "program/symbol.h"

enum { READ_ROOM = 1 << 16, LINE_MOST = 1 << 20, NAMES_MOST = 1 << 16, BLAMES_MOST = 1 << 12 };

/* A function that the stream's charts tell of, by the name that graphs of calls give it. */
struct known {
	UT_hash_handle hh;
	char *name; /* "srv:lookup" */
	char *binary, *function;
};

/* What a window's graphs blame. */
struct blamed {
	uint64_t signal, rank;
	bool of_calls; /* by a graph of calls, else a wake graph */
	char *name;    /* "srv:lookup"; or of a function of the thread's program */
	int32_t tid;
};

struct graph_seen {
	char *id;
	uint64_t signal;
	bool of_calls;
};

struct firing { /* of a trigger, whose window is still to come */
	char *trigger;
	uint64_t signal; /* 0: not yet */
};

struct logging {
	unsigned number;
	char *trigger; /* NULL: none */
	int fd;	       /* -1: all has come */
	struct waiting *waiting;
	char *buffer;
	size_t length, room;
	bool stopped;
};

struct logger {
	struct stream *stream;
	struct prober *prober;
	struct logger_options options;
	struct known *known;
	char *clock;
	ARRAY(struct graph_seen) graphs;
	ARRAY(struct blamed) blames;
	ARRAY(struct firing) firings;
	ARRAY(struct logging *) loggings;
	bool triggered, begun; /* the stream has triggers; something was logged */
	bool amid;	       /* a moment's graphs, whose records stand together, so that no calls may come between */
	unsigned numbers;
};

/* --- what the stream tells ---------------------------------------------------------------------------------------------------- */

static void learn_function(struct logger *logger, const struct chart *chart)
{
	const char *slash = strrchr(chart->binary, '/');
	char *shown = demangle_whole(chart->function), *name = memory_format("%s:%s", slash ? slash + 1 : chart->binary, shown);
	struct known *known;

	HASH_FIND_STR(logger->known, name, known);
	if (!known && HASH_COUNT(logger->known) < NAMES_MOST) {
		known = NEW(struct known);
		known->name = name;
		known->binary = memory_text(chart->binary, strlen(chart->binary));
		known->function = memory_text(chart->function, strlen(chart->function));
		HASH_ADD_KEYPTR(hh, logger->known, known->name, strlen(known->name), known);
		name = NULL;
	}
	free(name);
	free(shown);
}

static int see_chart(void *context, const struct record *record)
{
	struct logger *logger = context;
	const struct fields *fields = stream_fields(logger->stream, record);
	struct chart *chart = fields ? chart_recorded(fields) : NULL;

	logger->amid = false;
	if (chart && chart->binary && chart->function)
		learn_function(logger, chart);
	if (chart)
		chart_free(chart);
	return fields ? STREAM_PASS : -1;
}

static void forget_window(struct logger *logger)
{
	for (size_t i = 0; i < logger->blames.count; i++)
		free(logger->blames.items[i].name);
	for (size_t i = 0; i < logger->graphs.count; i++)
		free(logger->graphs.items[i].id);
	logger->blames.count = logger->graphs.count = 0;
}

static int see_stream(void *context, const struct record *record)
{
	struct logger *logger = context;
	const struct fields *fields = stream_fields(logger->stream, record);

	logger->amid = false;
	if (!fields)
		return -1;
	forget_window(logger);
	free(logger->clock);
	logger->clock = fields_copy(fields, "clock");
	return STREAM_PASS;
}

static int see_graph(void *context, const struct record *record)
{
	struct logger *logger = context;
	const struct fields *fields = stream_fields(logger->stream, record);
	struct graph_seen graph = {0};

	logger->amid = true;
	if (!fields)
		return -1;
	graph.id = fields_copy(fields, "id");
	fields_unsigned(fields, "signal", &graph.signal);
	graph.of_calls = fields_is(fields, "kind", "rag");
	if (graph.id && logger->graphs.count < BLAMES_MOST)
		*ARRAY_ADD(&logger->graphs) = graph;
	else
		free(graph.id);
	return STREAM_PASS;
}

static int see_blame(void *context, const struct record *record)
{
	struct logger *logger = context;
	const struct fields *fields = stream_fields(logger->stream, record);
	struct blamed blamed = {0};
	int64_t tid = 0;

	logger->amid = true;
	if (!fields)
		return -1;
	for (size_t i = 0; i < logger->graphs.count && !blamed.name && logger->blames.count < BLAMES_MOST; i++) {
		const struct graph_seen *graph = &logger->graphs.items[i];

		if (!fields_is(fields, "graph", graph->id))
			continue;
		blamed.signal = graph->signal;
		blamed.of_calls = graph->of_calls;
		blamed.name = fields_copy(fields, graph->of_calls ? "name" : "function");
		if (!blamed.name)
			break;
		fields_unsigned(fields, "rank", &blamed.rank);
		if (fields_integer(fields, "tid", &tid) != 1)
			fields_integer(fields, "who_tid", &tid); /* who slept */
		blamed.tid = (int32_t)tid;
		*ARRAY_ADD(&logger->blames) = blamed;
	}
	return STREAM_PASS;
}

static int see_part(void *context, const struct record *record)
{
	struct logger *logger = context;

	(void)record;
	logger->amid = true;
	return STREAM_PASS;
}

static int see_other(void *context, const struct record *record)
{
	struct logger *logger = context;

	(void)record;
	logger->amid = false;
	return STREAM_PASS;
}

/* --- a logging ---------------------------------------------------------------------------------------------------------------- */

static void add_function(struct prober_order *order, const char *binary, const char *name, int32_t tid, bool is_pattern)
{
	*ARRAY_ADD(&order->functions) = (struct prober_function){
		.binary = binary ? memory_text(binary, strlen(binary)) : NULL,
		.name = memory_text(name, strlen(name)),
		.tid = tid,
		.is_pattern = is_pattern,
	};
}

static void add_blamed(const struct logger *logger, struct prober_order *order, const struct blamed *blamed)
{
	struct known *known;

	if (!blamed->of_calls) {
		if (blamed->tid > 0)
			add_function(order, NULL, blamed->name, blamed->tid, false);
		return;
	}
	HASH_FIND_STR(logger->known, blamed->name, known);
	if (known)
		add_function(order, known->binary, known->function, 0, false);
}

/* The most blamed by graphs of this signal (0: any), those of calls before others. */
static void choose(const struct logger *logger, struct prober_order *order, uint64_t signal)
{
	for (int of_calls = 1; of_calls >= 0 && order->functions.count == 0; of_calls--)
		for (size_t i = 0; i < logger->blames.count && order->functions.count < logger->options.most; i++) {
			const struct blamed *blamed = &logger->blames.items[i];

			if (blamed->of_calls == of_calls && (!signal || blamed->signal == signal))
				add_blamed(logger, order, blamed);
		}
}

static void choose_methods(const struct logger *logger, struct prober_order *order)
{
	for (size_t i = 0; i < logger->options.method_count; i++) {
		const char *text = logger->options.methods[i], *colon = symbol_colon(text);
		char *binary = memory_text(text, (size_t)(colon - text));

		add_function(order, binary, colon + 1, 0, true);
		free(binary);
	}
}

static int begin_logging(struct logger *logger, const char *trigger, uint64_t signal)
{
	struct prober_order order = {.clock = logger->clock ? logger->clock : "mono", .duration = trigger ? -1 : logger->options.duration};
	struct logging *logging;
	int fd = -1;

	if (logger->options.method_count)
		choose_methods(logger, &order);
	else
		choose(logger, &order, signal);
	if (order.functions.count) {
		fd = prober_begin(logger->prober, ++logger->numbers, &order);
	} else if (trigger) {
		logger->options.say("trigger '%s': no function is blamed, so no calls are logged", trigger);
	}
	for (size_t i = 0; i < order.functions.count; i++) {
		free(order.functions.items[i].binary);
		free(order.functions.items[i].name);
	}
	free(order.functions.items);
	if (fd < 0)
		return logger->numbers && order.functions.count ? -1 : 0;
	logger->begun = true;
	logging = *ARRAY_ADD(&logger->loggings) = NEW(struct logging);
	*logging = (struct logging){.number = logger->numbers, .fd = fd, .room = READ_ROOM};
	logging->trigger = trigger ? memory_text(trigger, strlen(trigger)) : NULL;
	logging->waiting = waiting_new(logger->stream, trigger != NULL);
	logging->buffer = memory_new(logging->room, 1);
	return 0;
}

static struct logging *find_logging(const struct logger *logger, const char *trigger)
{
	for (size_t i = logger->loggings.count; i-- > 0;)
		if (logger->loggings.items[i]->trigger && strcmp(logger->loggings.items[i]->trigger, trigger) == 0)
			return logger->loggings.items[i];
	return NULL;
}

static void end_logging(struct logger *logger, struct logging *logging)
{
	struct waiting_counts counts = waiting_counts(logging->waiting);

	if (counts.lost) {
		logger->options.say("%llu events of logged functions were lost", (unsigned long long)counts.lost);
		stream_mark_incomplete(logger->stream);
	}
	if (counts.dropped)
		logger->options.say("%llu calls were dropped for want of room", (unsigned long long)counts.dropped);
	waiting_free(logging->waiting);
	free(logging->buffer);
	free(logging->trigger);
	free(logging);
}

/* --- calls that come ---------------------------------------------------------------------------------------------------------- */

static int take_lines(struct logging *logging)
{
	char *begin = logging->buffer, *end = logging->buffer + logging->length, *line_end;
	int status = 0;

	while (status == 0 && (line_end = memchr(begin, '\n', (size_t)(end - begin)))) {
		if (line_end > begin)
			status = waiting_line(logging->waiting, begin, (size_t)(line_end - begin));
		begin = line_end + 1;
	}
	logging->length = (size_t)(end - begin);
	memmove(logging->buffer, begin, logging->length);
	return status;
}

/* All that is there. Closes the descriptor at its end. */
static int read_calls(struct logging *logging)
{
	ssize_t got = 1;

	while (logging->fd >= 0) {
		if (logging->length == logging->room) {
			if (logging->room >= LINE_MOST)
				return fail("a call's record is too long");
			logging->buffer = memory_grow(logging->buffer, logging->room *= 2, 1);
		}
		got = read(logging->fd, logging->buffer + logging->length, logging->room - logging->length);
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (got <= 0) {
			close(logging->fd);
			logging->fd = -1;
			break;
		}
		logging->length += (size_t)got;
		if (take_lines(logging) < 0)
			return -1;
	}
	return waiting_settle(logging->waiting, logging->fd < 0);
}

static int take_calls(void *context)
{
	struct logger *logger = context;
	size_t kept = 0;
	int status = 0;

	if (logger->amid)
		return 0;
	for (size_t i = 0; i < logger->loggings.count; i++) {
		struct logging *logging = logger->loggings.items[i];

		if (status == 0)
			status = read_calls(logging);
		/* without an end of its trigger, requests may still be told whose calls have come */
		if (logging->fd < 0 && (!logging->trigger || logging->stopped))
			end_logging(logger, logging);
		else
			logger->loggings.items[kept++] = logging;
	}
	logger->loggings.count = kept;
	return status;
}

/* --- triggers, windows, requests ------------------------------------------------------------------------------------------------ */

static void forget_firing(struct logger *logger, size_t at)
{
	free(logger->firings.items[at].trigger);
	logger->firings.items[at] = logger->firings.items[--logger->firings.count];
}

static int see_trigger(void *context, const struct record *record)
{
	struct logger *logger = context;
	const struct fields *fields = stream_fields(logger->stream, record);
	struct logging *logging;
	char *name;

	logger->amid = false;
	if (!fields || !(name = fields_copy(fields, "name")))
		return fields ? STREAM_PASS : -1;
	logger->triggered = true;
	for (size_t i = 0; i < logger->firings.count; i++)
		if (strcmp(logger->firings.items[i].trigger, name) == 0)
			forget_firing(logger, i--);
	logging = find_logging(logger, name);
	if (logging && !logging->stopped) {
		prober_stop(logger->prober, logging->number);
		logging->stopped = true;
	}
	if (fields_is(fields, "state", "fired"))
		*ARRAY_ADD(&logger->firings) = (struct firing){.trigger = name};
	else
		free(name);
	return STREAM_PASS;
}

static int see_signal(void *context, const struct record *record)
{
	struct logger *logger = context;
	const struct fields *fields = stream_fields(logger->stream, record);

	logger->amid = false;
	if (!fields)
		return -1;
	for (size_t i = 0; i < logger->firings.count; i++)
		if (!logger->firings.items[i].signal && fields_is(fields, "trigger", logger->firings.items[i].trigger))
			fields_unsigned(fields, "id", &logger->firings.items[i].signal);
	return STREAM_PASS;
}

/* Whether the window has this signal: "signals=1-4". */
static bool has_signal(const struct fields *window, uint64_t signal)
{
	char text[64] = "", *end;
	uint64_t first, last;

	if (fields_text(window, "signals", text, sizeof(text)) != 1)
		return false;
	first = last = strtoull(text, &end, 10);
	if (*end == '-')
		last = strtoull(end + 1, NULL, 10);
	return signal >= first && signal <= last;
}

static int see_window(void *context, const struct record *record)
{
	struct logger *logger = context;
	const struct fields *fields = stream_fields(logger->stream, record);
	int status = fields ? 0 : -1;

	logger->amid = false;
	for (size_t i = 0; status == 0 && i < logger->firings.count; i++) {
		const struct firing *firing = &logger->firings.items[i];

		if (!firing->signal || !has_signal(fields, firing->signal))
			continue;
		status = begin_logging(logger, firing->trigger, firing->signal);
		forget_firing(logger, i--);
	}
	if (status == 0 && !logger->triggered && !logger->begun)
		status = begin_logging(logger, NULL, 0);
	forget_window(logger);
	return status < 0 ? -1 : STREAM_PASS;
}

static int see_request(void *context, const struct record *record)
{
	struct logger *logger = context;
	const struct fields *fields = stream_fields(logger->stream, record);
	struct waiting_verdict verdict = {0};
	struct logging *logging = NULL;
	char *trigger;
	int64_t tid = 0;

	logger->amid = false;
	if (!fields)
		return -1;
	trigger = fields_copy(fields, "trigger");
	if (trigger)
		logging = find_logging(logger, trigger);
	free(trigger);
	if (!logging || fields_time(fields, "ts", &verdict.end) != 1 || fields_time(fields, "start", &verdict.start) != 1 ||
	    fields_integer(fields, "tid", &tid) != 1)
		return STREAM_PASS;
	fields_unsigned(fields, "id", &verdict.id);
	verdict.tid = (int32_t)tid;
	verdict.match = fields_is(fields, "match", "yes");
	verdict.logged = fields_is(fields, "logged", "yes");
	verdict.trigger = logging->trigger;
	waiting_judge(logging->waiting, &verdict);
	return STREAM_PASS;
}

/* The input is over: nothing more will be asked for, and what is being logged comes to its end. */
static int wait_for_calls(void *context)
{
	struct logger *logger = context;
	int status = 0;

	logger->amid = false;
	if (!logger->triggered && !logger->begun && logger->options.method_count)
		status = begin_logging(logger, NULL, 0);
	for (size_t i = 0; i < logger->loggings.count; i++)
		if (logger->loggings.items[i]->trigger && !logger->loggings.items[i]->stopped) {
			prober_stop(logger->prober, logger->loggings.items[i]->number);
			logger->loggings.items[i]->stopped = true;
		}
	while (status == 0 && logger->loggings.count && !stream_output_closed(logger->stream)) {
		struct pollfd first = {.fd = logger->loggings.items[0]->fd, .events = POLLIN};

		if (stream_flush(logger->stream) < 0)
			return -1;
		poll(&first, 1, -1);
		status = take_calls(logger);
	}
	return status;
}

/* --- from beginning to end -------------------------------------------------------------------------------------------------------- */

struct logger *logger_new(struct stream *stream, struct prober *prober, const struct logger_options *options)
{
	struct logger *logger = NEW(struct logger);

	logger->stream = stream;
	logger->prober = prober;
	logger->options = *options;
	return logger;
}

void logger_reads(struct handlers *handlers)
{
	*handlers = (struct handlers){
		.on = {[KIND_STREAM] = see_stream, [KIND_CHART] = see_chart, [KIND_TRIGGER] = see_trigger, [KIND_SIGNAL] = see_signal,
		       [KIND_GRAPH] = see_graph, [KIND_NODE] = see_part, [KIND_EDGE] = see_part, [KIND_PATH] = see_part,
		       [KIND_BLAME] = see_blame, [KIND_WINDOW] = see_window, [KIND_REQUEST] = see_request},
		.idle = take_calls,
		.finish = wait_for_calls,
	};
	for (int kind = 0; kind < KINDS; kind++)
		if (!handlers->on[kind])
			handlers->on[kind] = see_other;
}

void logger_free(struct logger *logger)
{
	struct known *known, *next;

	for (size_t i = 0; i < logger->loggings.count; i++) {
		if (logger->loggings.items[i]->fd >= 0)
			close(logger->loggings.items[i]->fd);
		end_logging(logger, logger->loggings.items[i]);
	}
	HASH_ITER(hh, logger->known, known, next)
	{
		HASH_DEL(logger->known, known);
		free(known->name);
		free(known->binary);
		free(known->function);
		free(known);
	}
	while (logger->firings.count)
		forget_firing(logger, 0);
	forget_window(logger);
	free(logger->blames.items);
	free(logger->graphs.items);
	free(logger->firings.items);
	free(logger->loggings.items);
	free(logger->clock);
	free(logger);
}
