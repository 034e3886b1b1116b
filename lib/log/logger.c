#include "log/logger.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "log/function_ranking.h"
#include "log/suspects.h"
#include "log/waiting.h"
#include "program/symbol.h"
#include "source/markers.h"
#include "trigger/to_log.h"

enum { READ_ROOM = 1 << 16, LINE_MOST = 1 << 20 };

struct firing { /* a fired trigger whose window is still to come */
	char *trigger;
	uint64_t signal; /* id of its signal; 0: not seen yet */
	int32_t tid;	 /* thread of the signal; 0: none */
	struct to_log log;
};

struct logging {
	unsigned number;
	char *trigger; /* NULL: there is no trigger */
	int fd;	       /* -1: everything has been read */
	struct waiting *waiting;
	char *buffer;
	size_t length, room;
	bool stopped;
};

/* A graph of a logged request. */
struct lent_graph {
	char *id;
	uint64_t request;
	bool of_calls;
};

struct logger {
	struct stream *stream;
	struct prober *prober;
	struct logger_options options;
	struct suspects *suspects;
	char *clock;
	ARRAY(struct firing) firings;
	ARRAY(struct logging *) loggings;
	struct lent_graph graph; /* the graph of a logged request whose records come now; id NULL: none */
	bool triggered, begun; /* the stream has triggers; something was logged */
	bool amid;	       /* within a moment's graphs: their records must stay together, so no calls may be written between them */
	bool is_over;	       /* the input has ended */
	unsigned numbers;
	unsigned fired; /* triggers that are fired now */
	bool named;	/* Node's names are requested */
};

/* --- a logging ---------------------------------------------------------------------------------------------------------------- */

static void choose_methods(const struct logger *logger, struct prober_order *order)
{
	for (size_t i = 0; i < logger->options.method_count; i++) {
		const char *text = logger->options.methods[i], *colon = symbol_colon(text);
		char *binary = memory_text(text, (size_t)(colon - text));

		prober_order_add(order, binary, colon + 1, 0, true);
		free(binary);
	}
}

/* The most functions to log: the user's number, or else the trigger's. */
static uint64_t most_of(const struct logger *logger, const struct to_log *log)
{
	return logger->options.most ? logger->options.most : log->methods;
}

/* Chooses the functions. Sets *rates if all functions that the user named must be rated first, because no graph of calls says which are to blame. */
static void choose(const struct logger *logger, uint64_t signal, int32_t tid, const struct to_log *log, bool triggered, struct prober_order *order, bool *rates)
{
	bool has_calls = suspects_has_calls(logger->suspects, signal);

	*rates = logger->options.method_count && triggered && !has_calls && most_of(logger, log) != TO_LOG_ALL;
	if (logger->options.method_count && !(triggered && has_calls))
		choose_methods(logger, order);
	else
		suspects_name(logger->suspects, signal, tid, most_of(logger, log), order);
}

static void add_logging(struct logger *logger, int fd, const char *trigger, const struct to_log *log, bool rates)
{
	struct logging *logging = *ARRAY_ADD(&logger->loggings) = NEW(struct logging);

	*logging = (struct logging){.number = logger->numbers, .fd = fd, .room = READ_ROOM};
	logging->trigger = trigger ? memory_text(trigger, strlen(trigger)) : NULL;
	logging->waiting = waiting_new(logger->stream, trigger != NULL, log->activity);
	logging->buffer = memory_new(logging->room, 1);
	if (rates)
		waiting_rate(logging->waiting, function_ranking_new(most_of(logger, log)));
	logger->begun = true;
}

static int begin_logging(struct logger *logger, const char *trigger, uint64_t signal, int32_t tid, const struct to_log *log)
{
	struct prober_order order = {.clock = logger->clock ? logger->clock : "mono", .duration = trigger ? -1 : logger->options.duration,
				     .metrics = log->metrics};
	bool rates = false;
	int fd = -1, status = 0;

	if (log->methods || logger->options.method_count)
		choose(logger, signal, tid, log, trigger != NULL, &order, &rates);
	else
		return 0; /* the trigger wants no functions logged */
	if (order.functions.count) {
		fd = prober_begin(logger->prober, ++logger->numbers, &order);
		status = fd < 0 ? -1 : 0;
	} else if (trigger) {
		logger->options.say("trigger '%s': no function is blamed, so no calls are logged", trigger);
	}
	prober_order_forget(&order);
	if (fd >= 0)
		add_logging(logger, fd, trigger, log, rates);
	return status;
}

static struct logging *find_logging(const struct logger *logger, const char *trigger)
{
	for (size_t i = logger->loggings.count; i-- > 0;)
		if (logger->loggings.items[i]->trigger && strcmp(logger->loggings.items[i]->trigger, trigger) == 0)
			return logger->loggings.items[i];
	return NULL;
}

/* Returns whether calls are missing that were made. */
static bool end_logging(const struct logger *logger, struct logging *logging)
{
	struct waiting_counts counts = waiting_counts(logging->waiting);

	if (counts.lost)
		logger->options.say("%llu events of logged functions were lost", (unsigned long long)counts.lost);
	if (counts.blind)
		logger->options.say("for a while calls of logged functions were not seen, because their probes were off");
	if (counts.cut)
		logger->options.say("the process that collects calls ended too early: calls of logged functions are missing");
	if (counts.dropped)
		logger->options.say("%llu calls were dropped for want of room", (unsigned long long)counts.dropped);
	if (logging->trigger && counts.came && !counts.judged)
		logger->options.say("trigger '%s': no request ended while it logged, so its calls are not told; trace-collect -c says what requests are", logging->trigger);
	waiting_free(logging->waiting);
	free(logging->buffer);
	free(logging->trigger);
	free(logging);
	return counts.lost || counts.blind || counts.cut;
}

/* Requests the names of Node's tasks while a trigger is fired. */
static void ask_names(struct logger *logger)
{
	if (logger->options.names >= 0 && logger->named != (logger->fired > 0))
		logger->named = markers_name(logger->options.names, logger->fired > 0);
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

/* Reads all that is there. Closes the descriptor at its end. */
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

/* If the most blamed of many functions have been found, drops the others. */
static void keep_rated(struct logger *logger, const struct logging *logging)
{
	struct ranked_names names = {0};

	if (!waiting_rated(logging->waiting, &names))
		return;
	if (names.list.count) /* else nothing is blamed, and all are logged on */
		prober_keep(logger->prober, logging->number, logging->trigger, names.most, names.list.items, names.list.count);
	for (size_t i = 0; i < names.list.count; i++)
		free(names.list.items[i]);
	free(names.list.items);
}

static int take_calls(void *context)
{
	struct logger *logger = context;
	size_t kept = 0;
	int status = 0;

	ask_names(logger);
	if (logger->amid)
		return 0;
	for (size_t i = 0; i < logger->loggings.count; i++) {
		struct logging *logging = logger->loggings.items[i];

		if (status == 0)
			status = read_calls(logging);
		keep_rated(logger, logging);
		/* unless its trigger has ended, requests may still come whose calls have been read; and behind them, graphs of requests */
		if (logging->fd < 0 && (!logging->trigger || (logging->stopped && (logger->is_over || !waiting_is_open(logging->waiting))))) {
			if (end_logging(logger, logging))
				stream_mark_incomplete(logger->stream);
		} else {
			logger->loggings.items[kept++] = logging;
		}
	}
	logger->loggings.count = kept;
	return status;
}

/* --- graphs --------------------------------------------------------------------------------------------------------------------- */

/* What is logged if no trigger says it. */
static const struct to_log untriggered = {.methods = 5, .metrics = METRIC_ARGS | METRIC_RET_VALUE};

static bool wants_all(const struct logger *logger)
{
	for (size_t i = 0; i < logger->firings.count; i++)
		if (most_of(logger, &logger->firings.items[i].log) == TO_LOG_ALL)
			return true;
	return false;
}

static int see_chart(void *context, const struct record *record)
{
	struct logger *logger = context;
	const struct fields *fields = stream_fields(logger->stream, record);

	logger->amid = false;
	if (!fields)
		return -1;
	suspects_chart(logger->suspects, fields);
	return STREAM_PASS;
}

static void forget_graph(struct logger *logger)
{
	free(logger->graph.id);
	logger->graph = (struct lent_graph){0};
}

static int see_stream(void *context, const struct record *record)
{
	struct logger *logger = context;
	const struct fields *fields = stream_fields(logger->stream, record);

	logger->amid = false;
	if (!fields)
		return -1;
	suspects_forget(logger->suspects);
	forget_graph(logger);
	free(logger->clock);
	logger->clock = fields_copy(fields, "clock");
	prober_prepare(logger->prober, logger->clock ? logger->clock : "mono");
	return STREAM_PASS;
}

static int see_graph(void *context, const struct record *record)
{
	struct logger *logger = context;
	const struct fields *fields = stream_fields(logger->stream, record);

	logger->amid = true;
	if (!fields)
		return -1;
	forget_graph(logger);
	if (logger->loggings.count && fields_unsigned(fields, "request", &logger->graph.request) == 1) {
		logger->graph.id = fields_copy(fields, "id");
		logger->graph.of_calls = fields_is(fields, "kind", "rag");
	} else {
		suspects_graph(logger->suspects, fields);
	}
	return STREAM_PASS;
}

/* Reads that a thread worked for a request: a call that was made for it, or a piece of the path of what it waited for. */
static void lend(struct logger *logger, const struct fields *fields, const char *from, const char *to)
{
	struct waiting_part part = {.within = logger->graph.of_calls};
	int64_t tid = 0;

	if (!logger->graph.id || !fields_is(fields, "graph", logger->graph.id) || fields_integer(fields, "tid", &tid) != 1 ||
	    fields_time(fields, from, &part.from) != 1 || fields_time(fields, to, &part.to) != 1)
		return;
	part.tid = (int32_t)tid;
	for (size_t i = 0; i < logger->loggings.count; i++)
		waiting_part(logger->loggings.items[i]->waiting, logger->graph.request, &part);
}

static int see_node(void *context, const struct record *record)
{
	struct logger *logger = context;
	const struct fields *fields;

	logger->amid = true;
	if (!(logger->graph.id && logger->graph.of_calls) && !wants_all(logger))
		return STREAM_PASS;
	fields = stream_fields(logger->stream, record);
	if (!fields)
		return -1;
	if (logger->graph.id)
		lend(logger, fields, "start", "end");
	else
		suspects_node(logger->suspects, fields);
	return STREAM_PASS;
}

/* A piece counts whether its thread ran in it or only waited; only its deed would tell these apart. */
static int see_path(void *context, const struct record *record)
{
	struct logger *logger = context;
	const struct fields *fields;

	logger->amid = true;
	if (!logger->graph.id || logger->graph.of_calls)
		return STREAM_PASS;
	fields = stream_fields(logger->stream, record);
	if (fields)
		lend(logger, fields, "from", "to");
	return fields ? STREAM_PASS : -1;
}

static int see_blame(void *context, const struct record *record)
{
	struct logger *logger = context;
	const struct fields *fields = stream_fields(logger->stream, record);

	logger->amid = true;
	if (!fields)
		return -1;
	if (!logger->graph.id)
		suspects_blame(logger->suspects, fields);
	return STREAM_PASS;
}

static int see_edge(void *context, const struct record *record)
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

/* --- triggers, windows, requests ------------------------------------------------------------------------------------------------ */

static void forget_firing(struct logger *logger, size_t at)
{
	free(logger->firings.items[at].trigger);
	logger->firings.items[at] = logger->firings.items[--logger->firings.count];
}

static void count_fired(struct logger *logger, bool fired)
{
	if (fired)
		logger->fired++;
	else if (logger->fired)
		logger->fired--;
	ask_names(logger);
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
	count_fired(logger, fields_is(fields, "state", "fired"));
	for (size_t i = 0; i < logger->firings.count; i++)
		if (strcmp(logger->firings.items[i].trigger, name) == 0)
			forget_firing(logger, i--);
	logging = find_logging(logger, name);
	if (logging && !logging->stopped) {
		prober_stop(logger->prober, logging->number);
		logging->stopped = true;
	}
	if (fields_is(fields, "state", "fired"))
		*ARRAY_ADD(&logger->firings) = (struct firing){.trigger = name, .log = to_log_read(fields)};
	else
		free(name);
	return STREAM_PASS;
}

static int see_signal(void *context, const struct record *record)
{
	struct logger *logger = context;
	const struct fields *fields = stream_fields(logger->stream, record);
	int64_t tid = 0;

	logger->amid = false;
	if (!fields)
		return -1;
	fields_integer(fields, "tid", &tid);
	for (size_t i = 0; i < logger->firings.count; i++) {
		struct firing *firing = &logger->firings.items[i];

		if (!firing->signal && fields_is(fields, "trigger", firing->trigger) && fields_unsigned(fields, "id", &firing->signal) == 1)
			firing->tid = tid > 0 && tid <= INT32_MAX ? (int32_t)tid : 0;
	}
	return STREAM_PASS;
}

/* Tells whether the window contains this signal: "signals=1-4". */
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

/* Called when all graphs of a logged request have come. */
static void close_request(struct logger *logger, uint64_t request)
{
	forget_graph(logger);
	for (size_t i = 0; i < logger->loggings.count; i++)
		waiting_close(logger->loggings.items[i]->waiting, request);
}

static int see_window(void *context, const struct record *record)
{
	struct logger *logger = context;
	const struct fields *fields = stream_fields(logger->stream, record);
	int status = fields ? 0 : -1;
	uint64_t request;

	logger->amid = false;
	for (size_t i = 0; status == 0 && i < logger->firings.count; i++) {
		const struct firing *firing = &logger->firings.items[i];

		if (!firing->signal || !has_signal(fields, firing->signal))
			continue;
		status = begin_logging(logger, firing->trigger, firing->signal, firing->tid, &firing->log);
		forget_firing(logger, i--);
	}
	if (status == 0 && !logger->triggered && !logger->begun)
		status = begin_logging(logger, NULL, 0, 0, &untriggered);
	if (fields && fields_unsigned(fields, "request", &request) == 1)
		close_request(logger, request);
	suspects_forget(logger->suspects);
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

/* The input has ended: stops the loggings of triggers, and waits until all loggings come to their end. */
static int wait_for_calls(void *context)
{
	struct logger *logger = context;
	int status = 0;

	logger->amid = false;
	logger->is_over = true;
	if (!logger->triggered && !logger->begun && logger->options.method_count)
		status = begin_logging(logger, NULL, 0, 0, &untriggered);
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
	logger->suspects = suspects_new();
	return logger;
}

void logger_reads(struct handlers *handlers)
{
	*handlers = (struct handlers){
		.on = {[KIND_STREAM] = see_stream, [KIND_CHART] = see_chart, [KIND_TRIGGER] = see_trigger, [KIND_SIGNAL] = see_signal,
		       [KIND_GRAPH] = see_graph, [KIND_NODE] = see_node, [KIND_EDGE] = see_edge, [KIND_PATH] = see_path,
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
	for (size_t i = 0; i < logger->loggings.count; i++) {
		if (logger->loggings.items[i]->fd >= 0)
			close(logger->loggings.items[i]->fd);
		end_logging(logger, logger->loggings.items[i]);
	}
	while (logger->firings.count)
		forget_firing(logger, 0);
	forget_graph(logger);
	suspects_free(logger->suspects);
	free(logger->firings.items);
	free(logger->loggings.items);
	free(logger->clock);
	free(logger);
}
