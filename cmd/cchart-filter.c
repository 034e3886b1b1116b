/* cchart-filter: measures latencies, charts them, passes the abnormal moments with what came before them. */

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/fail.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "chart/measure.h"
#include "chart/span.h"
#include "event/event.h"
#include "stream/stream.h"
#include "window/window.h"

enum { FORGET_EVERY = 256 }; /* events; old ones may stay in the ring so much longer */

/* A window waits so long for starts that may make it longer. */
static const int64_t merge_wait = 10 * NSEC_PER_SEC;

static struct option_list charts;
static const char *method_name = "pot", *scale_name, *sides_name, *rules_list, *false_alarms = "1/h", *limits_file,
		  *save_limits_file;
static int64_t before = NSEC_PER_SEC, after = NSEC_PER_SEC / 100;
static uint64_t context_size = 64 << 20;
static double keep = 1;
static struct judgement judgement = JUDGEMENT_OPEN;
static bool text;

static const struct option_entry options[] = {
	{OPTION_LIST, 'c', "chart", &charts, "CHART", "what to measure: a shipped chart, a file, or func:BINARY:FUNCTION"},
	{OPTION_STRING, 0, "method", &method_name, "METHOD", "pot (default), imr, paper, xbar-r, xbar-s, ewma, p or u"},
	{OPTION_STRING, 0, "false-alarms", &false_alarms, "RATE", "of pot: 6/m, 1/h (default), 2/d, or a probability per value"},
	{OPTION_STRING, 0, "rules", &rules_list, "LIST", "Nelson's rules to judge by, such as 1,2,5 (1)"},
	{OPTION_STRING, 0, "sides", &sides_name, "SIDES", "upper, lower or both; the default is the method's"},
	{OPTION_STRING, 0, "scale", &scale_name, "SCALE", "log or linear; the default is the method's"},
	{OPTION_NUMBER, 0, "sigma", &judgement.sigma, "K", "limits are so many sigma from the centre (3)"},
	{OPTION_COUNT, 0, "subgroup", &judgement.subgroup, "N", "values of a subgroup (5)"},
	{OPTION_NUMBER, 0, "weight", &judgement.weight, "W", "of the newest value of ewma (0.2)"},
	{OPTION_DURATION, 0, "before", &before, "TIME", "context before what is abnormal (1s)"},
	{OPTION_DURATION, 0, "after", &after, "TIME", "context after it (10ms)"},
	{OPTION_SIZE, 0, "context", &context_size, "SIZE", "room for the context, and size of a window (64M)"},
	{OPTION_NUMBER, 0, "keep", &keep, "SHARE", "pass at most this share of all bytes of events, such as 0.01 (1)"},
	{OPTION_COUNT, 0, "baseline", &judgement.baseline, "N", "values to learn limits from (100); of means and rates, points (20)"},
	{OPTION_DURATION, 0, "relearn", &judgement.relearn, "TIME", "learn a change of level that lasts so long (pot: 10s); 0: never"},
	{OPTION_DURATION, 0, "recompute", &judgement.recompute, "TIME", "learn all limits anew every so often"},
	{OPTION_STRING, 0, "limits", &limits_file, "FILE", "limits from an earlier time, instead of learning"},
	{OPTION_STRING, 0, "save-limits", &save_limits_file, "FILE", "write the limits there at the end"},
	{OPTION_NUMBER, 0, "min-ratio", &judgement.min_ratio, "R", "abnormal is at least R times the centre (latencies: 2); 0: off"},
	{OPTION_FLAG, 't', "text", &text, NULL, "write text (the default on a terminal)"},
	{0},
};

struct filter {
	struct stream *stream;
	struct events *events;
	struct measure *measure;
	struct window *window;
	struct recall *recall; /* a recorder that answers once the stream lacks what it keeps */
	const struct event_type *naming[3]; /* events that give threads their names */
	struct line line;
	uint64_t signals; /* id of the last one */
	int64_t now;
	unsigned pushed;
};

static volatile sig_atomic_t relearn_wanted;

static void want_relearning(int signal)
{
	(void)signal;
	relearn_wanted = 1;
}

static int tell_limits(void *context, const struct series *series, int64_t ts)
{
	struct filter *filter = context;

	limits_line(&filter->line, ts, series->chart, series->key, &series->limits);
	if (series->change)
		line_text(&filter->line, "change", series->change > 0 ? "up" : "down");
	if (series->forgotten)
		line_unsigned(&filter->line, "forgotten", series->forgotten);
	return stream_write_line(filter->stream, &filter->line);
}

static int tell_healthy(void *context, struct series *series, int64_t from)
{
	struct filter *filter = context;

	sample_healthy_line(&filter->line, series, from);
	return stream_write_line(filter->stream, &filter->line);
}

static int tell_hold(void *context, int64_t start)
{
	struct filter *filter = context;

	return window_hold(filter->window, start, filter->now);
}

static int tell_release(void *context)
{
	struct filter *filter = context;

	window_release(filter->window, filter->now);
	return 0;
}

static int tell_signal(void *context, const struct sample *sample)
{
	struct filter *filter = context;
	const char *comm = events_comm(filter->events, sample->tid);

	if (window_signal(filter->window, ++filter->signals, sample->start, sample->end) < 0)
		return -1;
	sample_signal_line(&filter->line, sample, filter->signals, comm, measure_world(filter->measure));
	return stream_write_line(filter->stream, &filter->line);
}

/* After each record that has a time: what is due by then. */
static int time_passes(struct filter *filter, int64_t ts)
{
	int64_t until, horizon;

	if (relearn_wanted) {
		relearn_wanted = 0;
		measure_relearn(filter->measure);
	}
	if (ts > filter->now)
		filter->now = ts;
	if (measure_time(filter->measure, filter->now) < 0 || window_advance(filter->window, filter->now) < 0)
		return -1;
	if (window_is_over(filter->window, filter->now, &until) &&
	    (measure_undecided(filter->measure) > until || span_between(until, filter->now) > merge_wait) &&
	    window_close(filter->window) < 0)
		return -1;
	if (++filter->pushed % FORGET_EVERY)
		return 0;
	horizon = measure_horizon(filter->measure);
	return window_forget(filter->window, horizon < filter->now ? horizon : filter->now);
}

/* An input that neither the options nor the stream give a chart for is taken for the default one. */
static int add_default_chart(struct filter *filter)
{
	struct chart *chart = chart_load("block");

	return chart ? measure_chart(filter->measure, chart) : -1;
}

/* Other scheduler events name threads too, but each of these names was in a record before. */
static void learn_names(struct filter *filter, const struct event *event)
{
	if (!event->payload || event->type == filter->naming[0] || event->type == filter->naming[1] ||
	    event->type == filter->naming[2])
		events_learn_names(filter->events, event);
}

static int see_event(void *context, const struct record *record)
{
	struct filter *filter = context;
	struct event event;

	if (events_read(filter->events, record, &event) < 0)
		return -1;
	learn_names(filter, &event);
	if (measure_charts(filter->measure) == 0 && judgement.method->plots != PLOTS_RATES && add_default_chart(filter) < 0)
		return -1;
	if (window_push(filter->window, record, event.ts) < 0)
		return -1;
	if (event.ts > filter->now)
		filter->now = event.ts;
	if (measure_event(filter->measure, &event) < 0 || time_passes(filter, event.ts) < 0)
		return -1;
	return STREAM_DROP;
}

/* The `ts` of a spelled record; -1 after fail(). */
static int read_time(struct filter *filter, const struct record *record, int64_t *ts)
{
	const struct fields *fields = stream_fields(filter->stream, record);
	int status = fields ? fields_time(fields, "ts", ts) : -1;

	if (fields && status == 0)
		return stream_fail(filter->stream, "ts= is missing");
	return fields && status < 0 ? stream_fail(filter->stream, "%s", fail_text()) : status;
}

static int see_lost(void *context, const struct record *record)
{
	struct filter *filter = context;
	int64_t ts;

	if (read_time(filter, record, &ts) < 0 || window_push(filter->window, record, ts) < 0 ||
	    measure_lost(filter->measure, ts > filter->now ? ts : filter->now) < 0 || time_passes(filter, ts) < 0)
		return -1;
	return STREAM_DROP;
}

static int see_tick(void *context, const struct record *record)
{
	struct filter *filter = context;
	int64_t ts;

	if (read_time(filter, record, &ts) < 0 || time_passes(filter, ts) < 0)
		return -1;
	return STREAM_DROP;
}

static int see_sample(void *context, const struct record *record)
{
	struct filter *filter = context;
	const struct fields *fields = stream_fields(filter->stream, record);
	struct sample sample = {0};
	char *chart, *key;
	int status;

	if (!fields)
		return -1;
	if (fields_find(fields, "count"))
		return STREAM_PASS;
	if (sample_read(&sample, fields, &judgement) < 0)
		return stream_fail(filter->stream, "%s", fail_text());
	chart = fields_copy(fields, "chart");
	key = fields_copy(fields, "key");
	status = measure_value(filter->measure, chart, key, &sample);
	free(key);
	free(chart);
	return status < 0 || time_passes(filter, sample.end) < 0 ? -1 : STREAM_DROP;
}

static int add_chart(struct filter *filter, const struct fields *fields)
{
	char *definition = fields_copy(fields, "definition");
	struct chart *chart;

	if (!definition)
		return fail("a chart record needs a definition");
	chart = chart_parse(definition, "chart record");
	free(definition);
	return chart ? measure_chart(filter->measure, chart) : -1;
}

/* Charts that the events were collected for, unless others were asked for. */
static int see_chart(void *context, const struct record *record)
{
	struct filter *filter = context;
	const struct fields *fields = stream_fields(filter->stream, record);

	if (!fields)
		return -1;
	if (charts.count == 0 && judgement.method->plots != PLOTS_RATES && add_chart(filter, fields) < 0)
		return stream_fail(filter->stream, "%s", fail_text());
	return STREAM_PASS;
}

static int see_stream(void *context, const struct record *record)
{
	struct filter *filter = context;
	const struct fields *fields = stream_fields(filter->stream, record);
	char machine[32] = "";

	if (!fields)
		return -1;
	fields_text(fields, "machine", machine, sizeof(machine));
	measure_machine(filter->measure, machine);
	return STREAM_PASS;
}

/* A recorder must not keep what the charts measure, nor what --keep counts. */
static bool may_keep(const struct filter *filter, const struct fields *offer)
{
	char *events = fields_copy(offer, "events"), *rest = events;
	bool may = keep >= 1;

	for (char *event; rest && (event = strsep(&rest, ","));)
		may &= !measure_needs(filter->measure, event);
	free(events);
	return may;
}

static int stream_ends(void *context)
{
	struct filter *filter = context;

	if (measure_end(filter->measure) < 0)
		return -1;
	filter->now = INT64_MIN;
	recall_close(filter->recall);
	filter->recall = NULL;
	return window_end(filter->window);
}

/* An offer to keep context in the kernel, from when on that is done, or that the recorder is about to end. */
static int see_recorder(void *context, const struct record *record)
{
	struct filter *filter = context;
	const struct fields *fields = stream_fields(filter->stream, record);
	int64_t since;
	int status = fields ? fields_time(fields, "ts", &since) : -1;

	if (status < 0)
		return fields ? stream_fail(filter->stream, "%s", fail_text()) : -1;
	if (fields_find(fields, "until")) {
		if (stream_ends(filter) < 0)
			return -1;
	} else if (status > 0) {
		fail("the stream lacks the context, which a recorder kept for another reader");
		window_recall(filter->window, filter->recall, since);
		filter->recall = NULL;
	} else if (!filter->recall && recall_is_for(fields, STDIN_FILENO) && may_keep(filter, fields)) {
		filter->recall = recall_open(fields); /* or all comes in the stream */
	}
	return STREAM_DROP;
}

/* An input that was filtered before has signals and windows; ours are numbered behind them. */
static int see_numbered(void *context, const struct record *record)
{
	struct filter *filter = context;
	const struct fields *fields = stream_fields(filter->stream, record);
	uint64_t id = 0;

	if (!fields)
		return -1;
	if (fields_unsigned(fields, "id", &id) < 0)
		return stream_fail(filter->stream, "%s", fail_text());
	if (record->kind == KIND_WINDOW)
		window_number_after(filter->window, id);
	else if (id > filter->signals)
		filter->signals = id;
	return STREAM_PASS;
}

static void save_limits(const struct filter *filter, struct limits_book *book)
{
	measure_save(filter->measure, book);
	if (limits_book_save(book, save_limits_file) < 0)
		die("%s", fail_text());
}

static void open_charts(struct filter *filter)
{
	for (int i = 0; i < charts.count; i++) {
		struct chart *chart = chart_load(charts.items[i]);

		if (!chart || measure_chart(filter->measure, chart) < 0)
			die("%s", fail_text());
	}
}

static struct limits_book *open_judgement(void)
{
	struct limits_book *book = limits_file ? limits_book_read(limits_file) : limits_book_new();

	judgement.method = method_find(method_name);
	if (!judgement.method || (scale_name && judgement_scale(&judgement, scale_name) < 0) ||
	    (sides_name && judgement_sides(&judgement, sides_name) < 0) ||
	    (rules_list && judgement_rules(&judgement, rules_list) < 0) ||
	    judgement_alarms(&judgement, false_alarms) < 0 || judgement_check(&judgement) < 0)
		die_usage("%s", fail_text());
	if (judgement.method->plots == PLOTS_RATES && charts.count > 0)
		die_usage("method %s charts rates that come as samples, not the latencies of -c", method_name);
	if (!(keep > 0 && keep <= 1))
		die_usage("--keep is a share above 0 and at most 1");
	if (!book)
		die("%s", fail_text());
	judgement.known = book;
	return book;
}

int main(int argc, char **argv)
{
	struct filter filter = {.now = INT64_MIN};
	const struct measure_listener listener = {&filter, tell_limits, tell_healthy, tell_hold, tell_release, tell_signal};
	const struct handlers handlers = {
		.on = {[KIND_STREAM] = see_stream, [KIND_CHART] = see_chart, [KIND_EVENT] = see_event,
		       [KIND_LOST] = see_lost, [KIND_TICK] = see_tick, [KIND_SAMPLE] = see_sample,
		       [KIND_RECORDER] = see_recorder, [KIND_SIGNAL] = see_numbered, [KIND_WINDOW] = see_numbered},
		.finish = stream_ends,
	};
	int first = command_line(argc, argv, options, "[FILE...]", "pass the abnormal moments of a stream, with their context");
	struct limits_book *book = open_judgement();
	int status;

	/* open */
	interrupt_defer();
	sigaction(SIGHUP, &(struct sigaction){.sa_handler = want_relearning, .sa_flags = SA_RESTART}, NULL);
	filter.stream = stream_open(argv + first, argc - first);
	if (!filter.stream || stream_output(filter.stream, STDOUT_FILENO, text) < 0)
		die("%s", fail_text());
	stream_report_usage(filter.stream, command_name());
	filter.events = events_new(filter.stream);
	filter.naming[0] = events_type(filter.events, "sched:sched_process_fork");
	filter.naming[1] = events_type(filter.events, "task:task_newtask");
	filter.naming[2] = events_type(filter.events, "task:task_rename");
	filter.measure = measure_new(filter.events, &judgement, &listener);
	filter.window = window_new(filter.stream, before, after, context_size, keep);
	open_charts(&filter);

	/* run */
	status = stream_finish(filter.stream, &handlers, &filter);
	if (status != EXIT_DONE && *fail_text())
		warn("%s", fail_text());
	if (status != EXIT_FAILED) {
		measure_complaints(filter.measure, warn);
		if (window_complaint(filter.window))
			warn("%s", window_complaint(filter.window));
		if (save_limits_file)
			save_limits(&filter, book);
	}

	/* close */
	window_free(filter.window);
	measure_free(filter.measure);
	events_free(filter.events);
	limits_book_free(book);
	line_free(&filter.line);
	return status;
}
