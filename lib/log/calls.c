#include "log/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "chart/chart.h"
#include "event/event.h"
#include "program/lookup.h"
#include "program/symbol.h"
#include "source/collector.h"
#include "source/stop.h"

struct logging {
	const struct prober_options *options;
	struct lookup *lookup;
	ARRAY(struct chart *) charts; /* of the functions that can be logged */
};

/* --- which functions, and what they tell ---------------------------------------------------------------------------------------- */

static bool is_known(const struct logging *logging, const char *path, const char *function)
{
	for (size_t i = 0; i < logging->charts.count; i++)
		if (strcmp(logging->charts.items[i]->binary, path) == 0 && strcmp(logging->charts.items[i]->function, function) == 0)
			return true;
	return false;
}

/* A function of the file at this path. */
static int add_function(struct logging *logging, const char *path, const char *function)
{
	struct chart *chart;
	uint64_t offset;
	char *told;

	if (is_known(logging, path, function))
		return 0;
	if (lookup_offset(logging->lookup, path, function, &offset) < 0)
		return -1;
	told = lookup_parameters(logging->lookup, path, function, offset);
	if (!told)
		return -1;
	chart = chart_of_function(path, function, *told ? told : NULL);
	free(told);
	if (chart)
		*ARRAY_ADD(&logging->charts) = chart;
	return chart ? 0 : -1;
}

static int add_matching(struct logging *logging, const char *path, const char *pattern)
{
	struct symbol_names names = {0};
	int status = lookup_matching(logging->lookup, path, pattern, &names);

	for (size_t i = 0; i < names.count; i++) {
		if (add_function(logging, path, names.items[i]) < 0)
			logging->options->say("'%s' is not logged: %s", names.items[i], fail_text());
		free(names.items[i]);
	}
	free(names.items);
	return status;
}

static void add(struct logging *logging, const struct prober_function *function)
{
	char *own = function->binary ? NULL : memory_format("/proc/%d/exe", function->tid);
	char *path = symbol_binary(function->binary ? function->binary : own);
	int status = path ? (function->is_pattern ? add_matching : add_function)(logging, path, function->name) : -1;

	if (status < 0)
		logging->options->say("'%s' is not logged: %s", function->name, fail_text());
	free(path);
	free(own);
}

static void say_function(const struct logging *logging, const struct chart *chart)
{
	logging->options->say("logs %s of '%s': %s", chart->function, chart->binary, chart->arguments ? chart->arguments : "its calls");
}

/* --- the collector -------------------------------------------------------------------------------------------------------------- */

static const char *event_of(const struct chart *chart, enum chart_role role)
{
	for (int i = 0; i < chart->count; i++)
		if (chart->events[i].role == role)
			return chart->events[i].event;
	return NULL;
}

/* Leaves out what cannot be probed. -1 after fail(): nothing can. */
static int place(struct logging *logging, struct probes *probes, struct cost *cost)
{
	size_t kept = 0;

	for (size_t i = 0; i < logging->charts.count; i++) {
		struct chart *chart = logging->charts.items[i];
		const char *start = event_of(chart, CHART_START), *end = event_of(chart, CHART_END);

		if (probes_function(probes, chart->binary, chart->function, chart->arguments, start, end) != 0) {
			logging->options->say("'%s' is not logged: %s", chart->function, fail_text());
			chart_free(chart);
			continue;
		}
		cost_want(cost, chart->name, start, true);
		cost_want(cost, chart->name, end, true);
		logging->charts.items[kept++] = chart;
	}
	logging->charts.count = kept;
	return kept ? probes_finish(probes) : fail("no function can be logged");
}

static int write_charts(const struct logging *logging, struct stream *stream)
{
	struct line line = {0};
	int status = 0;

	for (size_t i = 0; status == 0 && i < logging->charts.count; i++) {
		line_begin(&line, "chart");
		line_text(&line, "name", logging->charts.items[i]->name);
		line_text(&line, "definition", logging->charts.items[i]->definition);
		status = stream_write_line(stream, &line);
	}
	line_free(&line);
	return status;
}

static int run(struct logging *logging, struct collector *collector, const struct prober_order *order, int output)
{
	const struct prober_options *options = logging->options;
	const struct collection collection = {
		.duration = order->duration, .pids = options->pids, .pid_count = options->pid_count, .say = options->say};
	struct cost *cost = cost_new(options->budget);
	struct stream *stream;
	struct events *names;
	struct probes *probes;
	int status;

	if (collector_open(collector, order->clock, COLLECTOR_BUFFER_DEFAULT) < 0)
		return -1;
	probes = probes_new(collector_wishes(collector), logging->lookup, true);
	collector_own(collector, &(struct collector_parts){.cost = cost, .probes = probes});
	if (place(logging, probes, cost) < 0 || wishes_add_lives(collector_wishes(collector)) < 0)
		return -1;
	stream = stream_create();
	stream_output(stream, output, false);
	names = events_new(stream);
	if (collector_prepare(collector, stream, output, names) < 0 || write_charts(logging, stream) < 0 || collector_run(collector, &collection) < 0)
		return -1;
	if (cost_complaint(cost))
		options->say("%s", cost_complaint(cost));
	status = stream_close(stream);
	events_free(names);
	return status;
}

int calls_collect(const struct prober_order *order, const struct prober_options *options, int output)
{
	struct logging logging = {.options = options, .lookup = lookup_new(stop_signal)};
	struct collector *collector;
	int status;

	for (size_t i = 0; i < order->functions.count; i++)
		add(&logging, &order->functions.items[i]);
	for (size_t i = 0; i < logging.charts.count && options->dry; i++)
		say_function(&logging, logging.charts.items[i]);
	if (options->dry) {
		lookup_free(logging.lookup);
		return 0;
	}
	collector = collector_new();
	status = logging.charts.count ? run(&logging, collector, order, output) : fail("no function can be logged");
	if (status < 0)
		options->say("%s", fail_text());
	if (collector_close(collector, status >= 0) < 0)
		options->say("%s; it stays until the next start", fail_text());
	lookup_free(logging.lookup);
	return status < 0 ? -1 : 0; /* the process ends, and with it all else */
}
