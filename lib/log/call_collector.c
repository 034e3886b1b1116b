#include "log/call_collector.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/fail.h"
#include "chart/chart.h"
#include "chart/event_selection.h"
#include "event/event.h"
#include "log/probe_cost.h"
#include "program/argument.h"
#include "program/counters.h"
#include "program/lookup.h"
#include "program/lookup_program.h"
#include "program/sampler.h"
#include "program/symbol.h"
#include "source/collector.h"
#include "source/exceptions.h"
#include "source/stop.h"
#include "trigger/to_log.h"

/* Bytes of each CPU's ring buffer, which exists while nothing is logged, too. The budget allows some thousand calls a second. */
enum { RING = 2 << 20 };

enum { PRIORITY = -20 }; /* the priority that the collector itself takes when tracing begins */

struct calls {
	const struct prober_options *options;
	struct lookup *lookup, *exceptions_lookup, *stacks_lookup;
	struct collector *collector;
	struct probe_cost *cost;
	int orders;
	struct prober_order order;
	ARRAY(struct chart *) charts; /* charts of the functions that can be logged */
};

/* --- messages --------------------------------------------------------------------------------------------------------------------- */

static void read_function(struct prober_order *order, const struct fields *fields)
{
	char *binary = fields_copy(fields, "binary"), *name = fields_copy(fields, "name");
	int64_t tid = 0;

	fields_integer(fields, "tid", &tid);
	if (name)
		prober_order_add(order, binary, name, (int32_t)tid, fields_is(fields, "pattern", "yes"));
	free(binary);
	free(name);
}

/* Reads a message: a line that says what it is for, and behind it lines of functions. */
static int read_order(char *text, struct prober_order *order)
{
	struct fields fields;
	uint64_t metrics = 0;
	char *line;

	while ((line = strsep(&text, "\n"))) {
		if (fields_parse(&fields, line, strlen(line)) < 0)
			return -1;
		if (strncmp(fields.kind, "function", fields.kind_length) == 0) {
			read_function(order, &fields);
		} else {
			fields_integer(&fields, "duration", &order->duration);
			fields_unsigned(&fields, "metrics", &metrics);
			fields_unsigned(&fields, "most", &order->most);
			free(order->trigger);
			order->trigger = fields_copy(&fields, "trigger");
			order->metrics = (unsigned)metrics;
		}
	}
	return 0;
}

/* Receives a message, which the caller frees; NULL: none has come, or none will. */
static char *receive(const struct calls *calls, int flags)
{
	char *text = memory_new(PROBER_MESSAGE + 1, 1);
	ssize_t length;

	do
		length = recv(calls->orders, text, PROBER_MESSAGE, flags);
	while (length < 0 && errno == EINTR && !flags);
	if (length > 0) {
		text[length] = '\0';
		return text;
	}
	free(text);
	return NULL;
}

/* Runs after each round of the collector: reads whether only some functions are wanted from now on, and checks what they cost. */
static enum cost_verdict look(void *context, const struct cost_subject *subject, int64_t until)
{
	struct calls *calls = context;
	struct prober_order kept = {0};
	ARRAY(char *) names = {0};
	char *text = receive(calls, MSG_DONTWAIT);

	if (text && read_order(text, &kept) == 0) {
		for (size_t i = 0; i < kept.functions.count; i++)
			*ARRAY_ADD(&names) = kept.functions.items[i].name;
		probe_cost_keep(calls->cost, kept.trigger ? kept.trigger : "", kept.most, names.items, names.count);
		free(names.items);
	}
	prober_order_forget(&kept);
	free(text);
	return probe_cost_check(calls->cost, subject, until);
}

/* --- which functions, and what they tell ---------------------------------------------------------------------------------------- */

static bool is_known(const struct calls *calls, const char *path, const char *function)
{
	for (size_t i = 0; i < calls->charts.count; i++)
		if (strcmp(calls->charts.items[i]->binary, path) == 0 && strcmp(calls->charts.items[i]->function, function) == 0)
			return true;
	return false;
}

/*
 * Cuts the expressions for all that a call can show down to the metrics to be logged; the result, `ret`, is the last of them. Takes over
 * `told`. NULL: none is left.
 */
static char *wanted_of(char *told, unsigned metrics)
{
	static const char result[] = "ret";
	size_t length = strlen(told);
	bool tells_result = length >= strlen(result) && strcmp(told + length - strlen(result), result) == 0 &&
			    (length == strlen(result) || told[length - strlen(result) - 1] == ',');

	if (tells_result && !(metrics & METRIC_RET_VALUE))
		told[length - strlen(result) - (length > strlen(result))] = '\0';
	if (!(metrics & METRIC_ARGS))
		strcpy(told, tells_result && metrics & METRIC_RET_VALUE ? result : "");
	if (*told)
		return told;
	free(told);
	return NULL;
}

/* Adds a chart of a function of the file at this path. */
static int add_function(struct calls *calls, const char *path, const char *function)
{
	struct chart *chart;
	uint64_t offset;
	char *told;

	if (is_known(calls, path, function))
		return 0;
	if (lookup_offset(calls->lookup, path, function, &offset) < 0)
		return -1;
	told = lookup_parameters(calls->lookup, path, function, offset);
	if (!told)
		return -1;
	told = wanted_of(told, calls->order.metrics);
	chart = chart_of_function(path, function, told);
	free(told);
	if (chart)
		*ARRAY_ADD(&calls->charts) = chart;
	return chart ? 0 : -1;
}

static int add_matching(struct calls *calls, const char *path, const char *pattern)
{
	struct symbol_names names = {0};
	int status = lookup_matching(calls->lookup, path, pattern, &names);

	for (size_t i = 0; i < names.count; i++) {
		if (add_function(calls, path, names.items[i]) < 0)
			calls->options->say("'%s' is not logged: %s", names.items[i], fail_text());
		free(names.items[i]);
	}
	free(names.items);
	return status;
}

/* The path, by way of the thread's process, of the file of this name that the process has mapped. NULL after fail(). */
static char *mapped_path(int32_t tid, const char *name)
{
	char *maps_path = memory_format("/proc/%d/maps", tid), *line = NULL, *path = NULL, *slash;
	FILE *maps = fopen(maps_path, "re");
	size_t room = 0;

	while (maps && !path && getline(&line, &room, maps) > 0) {
		line[strcspn(line, "\n")] = '\0';
		slash = strrchr(line, '/');
		if (slash && strcmp(slash + 1, name) == 0)
			path = memory_format("/proc/%d/root%s", tid, strchr(line, '/'));
	}
	if (!path)
		fail(maps ? "the process of thread %d has no file '%s'" : "there is no thread %d any more, which had '%s'", tid, name);
	if (maps)
		fclose(maps);
	free(maps_path);
	free(line);
	return path;
}

/* The path of the function's file. The caller frees it; NULL after fail(). */
static char *path_of(const struct prober_function *function)
{
	char *own, *path;

	if (function->binary && function->tid <= 0)
		return symbol_binary(function->binary);
	own = function->binary ? mapped_path(function->tid, function->binary) : memory_format("/proc/%d/exe", function->tid);
	path = own ? symbol_binary(own) : NULL;
	free(own);
	return path;
}

static void add(struct calls *calls, const struct prober_function *function)
{
	char *path = path_of(function);
	int status = path ? (function->is_pattern ? add_matching : add_function)(calls, path, function->name) : -1;

	if (status < 0)
		calls->options->say("'%s' is not logged: %s", function->name, fail_text());
	free(path);
}

static void say_function(const struct calls *calls, const struct chart *chart)
{
	calls->options->say("logs %s of '%s': %s", chart->function, chart->binary, chart->arguments ? chart->arguments : "its calls");
}

/* --- the collector -------------------------------------------------------------------------------------------------------------- */

static void want_cost(struct calls *calls, const struct chart *chart)
{
	struct arguments arguments = {0};
	unsigned results = 0;
	char *name = chart_called(chart);

	if (chart->arguments && arguments_parse(chart->arguments, &arguments) < 0)
		arguments.count = 0;
	for (int i = 0; i < arguments.count; i++)
		results += arguments.items[i].base == ARGUMENT_RESULT;
	probe_cost_add(calls->cost, name, chart_event_name(chart, CHART_START), (unsigned)arguments.count - results, chart_event_name(chart, CHART_END), results);
	free(name);
}

/* Places the probes; leaves out functions that cannot be probed. -1 after fail(): none can. */
static int place(struct calls *calls, struct probes *probes)
{
	size_t kept = 0;

	for (size_t i = 0; i < calls->charts.count; i++) {
		struct chart *chart = calls->charts.items[i];

		if (probes_function(probes, chart->binary, chart->function, chart->arguments, chart_event_name(chart, CHART_START), chart_event_name(chart, CHART_END)) != 0) {
			calls->options->say("'%s' is not logged: %s", chart->function, fail_text());
			chart_free(chart);
			continue;
		}
		want_cost(calls, chart);
		calls->charts.items[kept++] = chart;
	}
	calls->charts.count = kept;
	return kept ? probes_finish(probes) : fail("no function can be logged");
}

/* Asks for exceptions that may leave a call: those of the C++ library, or of the program's own. */
static struct exceptions *want_exceptions(struct calls *calls, struct probes *probes)
{
	struct exceptions *exceptions = exceptions_new(calls->exceptions_lookup);
	struct selection *selection = collector_selection(calls->collector);
	bool any = exceptions_add(exceptions, probes, selection, "c++") == 0;

	for (size_t i = 0; i < calls->charts.count; i++) {
		char *source = memory_format("c++:%s", calls->charts.items[i]->binary);

		any |= exceptions_add(exceptions, probes, selection, source) == 0;
		free(source);
	}
	if (!any)
		calls->options->say("exceptions are not logged: %s", fail_text());
	return exceptions;
}

/* Asks for a stack of each call; if stacks cannot be had, calls are logged without. */
static void want_stacks(struct calls *calls, struct probes *probes)
{
	static const struct counters none;

	if (collector_add_stacks(calls->collector, &(struct sampler_wanted){.counters = &none, .late = true}, calls->stacks_lookup) < 0) {
		calls->options->say("stacks of calls are not logged: %s", fail_text());
		return;
	}
	probes_sample(probes);
	probe_cost_want_stacks(calls->cost);
}

static int want_all(struct calls *calls)
{
	struct selection *selection = collector_selection(calls->collector);
	struct probes *probes = probes_new(selection, calls->lookup, true);

	collector_own(calls->collector, &(struct collector_parts){.probes = probes});
	if (calls->order.metrics & METRIC_STACK)
		want_stacks(calls, probes);
	if (place(calls, probes) < 0)
		return -1;
	if (calls->order.metrics & METRIC_EXCEPTION_NAME)
		collector_own(calls->collector, &(struct collector_parts){.probes = probes, .exceptions = want_exceptions(calls, probes)});
	if (calls->order.metrics & METRIC_CPU && selection_add(selection, "sched:sched_switch", NULL, NULL, SELECT_REQUIRED | SELECT_CONTEXT) < 0)
		return -1;
	if (probes_at_risk(probes))
		selection_add_maps(selection);
	return selection_add_lives(selection);
}

static int write_charts(const struct calls *calls, struct stream *stream)
{
	struct line line = {0};
	int status = 0;

	for (size_t i = 0; status == 0 && i < calls->charts.count; i++) {
		line_begin(&line, "chart");
		line_text(&line, "name", calls->charts.items[i]->name);
		line_text(&line, "definition", calls->charts.items[i]->definition);
		status = stream_write_line(stream, &line);
	}
	line_free(&line);
	return status;
}

static int run(struct calls *calls, int output)
{
	const struct prober_options *options = calls->options;
	const struct collection collection = {.duration = calls->order.duration, .pids = options->pids, .pid_count = options->pid_count,
					      .say = options->say, .look = look, .context = calls};
	struct stream *stream;
	struct events *names;
	uint64_t lost;
	int status;

	if (calls->charts.count == 0)
		return fail("no function can be logged");
	if (want_all(calls) < 0)
		return -1;
	stream = stream_create();
	stream_output(stream, output, false);
	names = events_new(stream);
	if (collector_prepare(calls->collector, stream, output, names) < 0 || write_charts(calls, stream) < 0 ||
	    collector_run(calls->collector, &collection) < 0)
		return -1;
	lost = collector_outcome(calls->collector).lost_stacks;
	if (lost)
		options->say("%llu stacks of calls were lost", (unsigned long long)lost);
	status = stream_close(stream);
	events_free(names);
	return status;
}

/* Makes the instance, and measures what a hit costs. NULL: done; else the reason why not, which the caller frees. */
static char *make_ready(struct calls *calls, const char *clock)
{
	if (collector_open(calls->collector, clock, RING) < 0)
		return memory_format("%s", fail_text());
	probe_cost_measure(calls->cost, collector_instance(calls->collector));
	setpriority(PRIO_PROCESS, 0, PRIORITY); /* where that is allowed: from the order on, calls that are to be logged go by */
	return NULL;
}

static int collect(struct calls *calls, const char *clock, int output)
{
	const struct prober_options *options = calls->options;
	char *why = options->dry ? NULL : make_ready(calls, clock), *text = receive(calls, 0);
	int status = text ? read_order(text, &calls->order) : 0;

	for (size_t i = 0; i < calls->order.functions.count; i++)
		add(calls, &calls->order.functions.items[i]);
	for (size_t i = 0; i < calls->charts.count && options->dry; i++)
		say_function(calls, calls->charts.items[i]);
	if (text && status == 0 && !options->dry)
		status = why ? fail("%s", why) : run(calls, output);
	if (status < 0)
		options->say("%s", fail_text());
	free(text);
	free(why);
	return status;
}

int call_collector_run(const struct prober_options *options, struct probe_prices *prices, const char *clock, int orders, int output)
{
	struct calls calls = {.options = options, .orders = orders, .lookup = lookup_new(stop_signal),
			      .exceptions_lookup = lookup_new(stop_signal),
			      .stacks_lookup = lookup_new(stop_signal), .cost = probe_cost_new(options->budget, options->say, prices)};
	int status;

	calls.collector = collector_new();
	status = collect(&calls, clock, output);
	if (collector_close(calls.collector, status >= 0) < 0)
		options->say("%s; it stays until the next start", fail_text());
	lookup_free(calls.lookup);
	lookup_free(calls.exceptions_lookup);
	lookup_free(calls.stacks_lookup);
	return status < 0 ? -1 : 0; /* the rest is freed when the process ends */
}
