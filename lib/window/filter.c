#include "window/filter.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "chart/complaint.h"
#include "chart/measure.h"
#include "event/event.h"

/* A machine has some hundred processes that listen. */
enum { NAMED_MAX = 1 << 12 };

struct filter {
	struct stream *stream;
	struct events *events;
	struct measure *measure;
	struct thread_records *threads;
	int named; /* how many processes had their names passed because they listen, or others wait for them */
	struct past *past;
	struct window *window;
	struct recall *recall; /* a recorder that was opened, until its `recorder` record says since when it keeps context */
	struct recall *ring;   /* a collector that keeps all events in a file, and stores them at a signal; NULL: none */
	const struct event_type *naming[3]; /* events that name threads */
	struct line line;
	uint64_t signals; /* id of the last signal */
	bool missing;	  /* there was no input */
	bool ended;	  /* a stream was read to its end; else our reader left */
	bool behind;	  /* the current stream was filtered before: its signals have windows, or will have */
	bool has_gaps;	  /* one of these windows has come, so ends between windows are missing */
	bool told_behind; /* the watch was told that the stream was filtered before */
	bool has_stacks, has_handoffs; /* of a watch: some of these records have come */
	bool by_default;  /* nobody named a chart */
	bool brought;	  /* windows were opened for signals of the input */
	int64_t now, newest; /* newest: time of the current stream's newest event */
	unsigned pushed;
	struct filter_options options;
	struct filter *next; /* of another host of the stream */
	volatile sig_atomic_t own_relearn, own_asked; /* of such a filter, in place of the signal handler's flags: the first filter passes them on */
};

/* Size of each filter's own range of ids, if one follows another. */
static const uint64_t range = 1000000000;

/*
 * The input has records of an earlier filter; `id`: of one of them (0: none yet). The events of its windows pass. Its later records come
 * between ours, so our signals and windows take ids from a range that it does not use.
 */
static void filter_comes_behind(struct filter *filter, uint64_t id)
{
	uint64_t last = (id / range + 1) * range;

	filter->behind = true;
	window_expect(filter->window, last);
	if (last > filter->signals)
		filter->signals = last;
}

static int tell_limits(void *context, const struct series *series, int64_t ts)
{
	struct filter *filter = context;

	limits_line(&filter->line, ts, series->chart, series->key, &series->limits);
	if (series->change)
		line_text(&filter->line, "change", series->change > 0 ? "up" : "down");
	if (series->change)
		line_time(&filter->line, "since", series->changed);
	if (series->forgotten)
		line_unsigned(&filter->line, "forgotten", series->forgotten);
	return stream_write_line(filter->stream, &filter->line);
}

static int tell_healthy(void *context, const struct series *series, int64_t from, double median)
{
	struct filter *filter = context;

	sample_healthy_line(&filter->line, series, from, median);
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

/* The value as a multiple of the centre line: if the budget is short, the worst signal gets the context. */
static double badness(const struct sample *sample)
{
	return sample->center > 0 ? sample->value / sample->center : sample->value;
}

/* The signal's record is in `line`. */
static int write_signal(struct filter *filter)
{
	if (filter->ring && recall_tell(filter->ring) < 0) {
		recall_close(filter->ring);
		filter->ring = NULL;
	}
	return stream_write_line(filter->stream, &filter->line);
}

static int tell_signal(void *context, const struct sample *sample)
{
	struct filter *filter = context;
	int64_t horizon = measure_horizon(filter->measure);

	if (window_forget(filter->window, horizon < sample->start ? horizon : sample->start) < 0)
		return -1;
	if (thread_records_tell_thread(filter->threads, sample->tid, sample->end) < 0 ||
	    window_signal(filter->window, ++filter->signals, sample->start, sample->end, badness(sample)) < 0)
		return -1;
	sample_signal_line(&filter->line, sample, filter->signals, events_comm(filter->events, sample->tid));
	return write_signal(filter);
}

/* The user asks for what has just happened: a signal over the last `before`, by the rule "asked". */
static int filter_ask(struct filter *filter)
{
	int64_t span = filter->options.size.before, start = timestamp_add(filter->now, -span);

	if (window_signal(filter->window, ++filter->signals, start, filter->now, 0) < 0)
		return -1;
	line_begin(&filter->line, kind_name(KIND_SIGNAL));
	line_unsigned(&filter->line, "id", filter->signals);
	line_time(&filter->line, "ts", filter->now);
	line_time(&filter->line, "start", start);
	line_text(&filter->line, "chart", "asked");
	line_time(&filter->line, "value", span);
	line_text(&filter->line, "rules", "asked");
	return write_signal(filter);
}

int filter_found(struct filter *filter, const struct filter_found *found)
{
	int64_t horizon = measure_horizon(filter->measure);
	struct line *line = &filter->line;

	filter->signals++;
	if (!filter->behind) {
		if (window_forget(filter->window, horizon < found->start ? horizon : found->start) < 0 ||
		    thread_records_tell_thread(filter->threads, found->tid, found->end) < 0 ||
		    window_signal(filter->window, filter->signals, found->start, found->end, 0) < 0)
			return -1;
	}
	line_begin(line, kind_name(KIND_SIGNAL));
	line_unsigned(line, "id", filter->signals);
	line_time(line, "ts", found->end);
	line_time(line, "start", found->start);
	line_text(line, "chart", found->chart);
	if (found->key)
		line_text(line, "key", found->key);
	line_text(line, "value", "0");
	line_text(line, "rules", "trigger");
	line_text(line, "trigger", found->trigger);
	if (found->tid >= 0) {
		line_integer(line, "tid", found->tid);
		line_text(line, "comm", events_comm(filter->events, found->tid));
	}
	if (found->text)
		line_text(line, "text", found->text);
	if (found->request)
		sample_add_shown(line, found->request);
	return write_signal(filter);
}

int filter_logged(struct filter *filter, const struct sample *request)
{
	int64_t horizon = measure_horizon(filter->measure);

	if (!filter->behind && (window_forget(filter->window, horizon < request->start ? horizon : request->start) < 0 ||
				thread_records_tell_thread(filter->threads, request->tid, request->end) < 0))
		return -1;
	return window_request(filter->window, request->number, request->start, request->end);
}

/* If the input was filtered before, ends may be missing between its windows, so open starts mean nothing. */
static int tell_open(void *context, const struct series *series, const struct unended *unended, int64_t now)
{
	struct filter *filter = context;

	if (filter->has_gaps || filter->options.watch)
		return 0;
	sample_open_line(&filter->line, series, unended, now);
	return stream_write_line(filter->stream, &filter->line);
}

static int tell_digest(void *context, const struct series *series)
{
	struct filter *filter = context;

	sample_summary_line(&filter->line, series);
	return stream_write_line(filter->stream, &filter->line);
}

static int tell_begins(void *context, struct sample *request)
{
	const struct filter_watch *watch = ((struct filter *)context)->options.watch;

	return watch->begins(watch->context, request);
}

static int tell_ends(void *context, const struct sample *request)
{
	const struct filter_watch *watch = ((struct filter *)context)->options.watch;

	return watch->ends(watch->context, request);
}

static void tell_gone(void *context, const struct sample *request)
{
	const struct filter_watch *watch = ((struct filter *)context)->options.watch;

	watch->gone(watch->context, request);
}

/* A listener that turns limits, samples and signals of the charts into records and windows of this filter. */
static struct measure_listener filter_listener(struct filter *filter)
{
	bool watched = filter->options.watch != NULL;

	return (struct measure_listener){.context = filter, .limits = tell_limits, .healthy = tell_healthy, .hold = tell_hold,
					 .release = tell_release, .signal = tell_signal, .open = tell_open, .digest = tell_digest,
					 .begins = watched ? tell_begins : NULL, .ends = watched ? tell_ends : NULL,
					 .gone = watched ? tell_gone : NULL};
}

enum { FORGET_EVERY = 256 }; /* events between two cleanings of the ring */

/* A window waits this long for starts of intervals that may extend it. */
static const int64_t merge_wait = 10 * NSEC_PER_SEC;

/* Events may be out of order by this much. */
static const int64_t clock_back = NSEC_PER_SEC;

static void relearn(struct filter *filter)
{
	*filter->options.relearn = 0;
	for (; filter; filter = filter->next)
		measure_relearn(filter->measure);
}

/* The filters of other hosts ask when it is their turn. */
static int ask(struct filter *filter)
{
	*filter->options.asked = 0;
	for (struct filter *other = filter->next; other; other = other->next)
		other->own_asked = 1;
	return filter_ask(filter);
}

/* Called after each record with a time: does what is due by then. */
static int time_passes(struct filter *filter, int64_t ts)
{
	int64_t until, horizon;

	if (*filter->options.relearn)
		relearn(filter);
	if (ts > filter->now)
		filter->now = ts;
	if (*filter->options.asked && ask(filter) < 0)
		return -1;
	if (window_is_spent(filter->window))
		measure_hurry(filter->measure);
	if (measure_time(filter->measure, filter->now) < 0 || window_advance(filter->window, filter->now) < 0)
		return -1;
	if (window_is_over(filter->window, filter->now, &until) &&
	    (measure_undecided(filter->measure) > until || timestamp_between(until, filter->now) > merge_wait) &&
	    window_close(filter->window) < 0)
		return -1;
	if (++filter->pushed % FORGET_EVERY)
		return 0;
	horizon = measure_horizon(filter->measure);
	return window_forget(filter->window, horizon < filter->now ? horizon : filter->now);
}

/* Adds the default chart. For when neither the options nor the stream name one. */
static int add_default_chart(struct filter *filter)
{
	struct chart *chart = chart_load("block");

	filter->by_default = true;
	return chart ? measure_chart(filter->measure, chart) : -1;
}

/* Learns names from some events only: other scheduler events name threads, too, but each of those names came in an earlier record. */
static void learn_names(struct filter *filter, const struct event *event)
{
	if (!event->payload || event->type == filter->naming[0] || event->type == filter->naming[1] ||
	    event->type == filter->naming[2])
		events_learn_names(filter->events, event);
}

static int stream_ends(void *context)
{
	struct filter *filter = context;

	filter->missing = stream_was_missing(filter->stream);
	filter->ended = true;
	if (filter->options.watch && filter->options.watch->finish(filter->options.watch->context) < 0)
		return -1;
	if (measure_end(filter->measure) < 0)
		return -1;
	filter->has_gaps = filter->behind = filter->told_behind = false;
	filter->now = filter->newest = INT64_MIN;
	recall_close(filter->recall);
	recall_close(filter->ring);
	filter->recall = filter->ring = NULL;
	return window_end(filter->window) < 0 || past_end(filter->past) < 0 ? -1 : 0;
}

/* If the clock goes back further than events are out of order, it began anew: end all that is open or waits. */
static int see_clock(struct filter *filter, int64_t ts)
{
	if (timestamp_between(ts, filter->newest) > clock_back && stream_ends(filter) < 0)
		return -1;
	if (ts > filter->newest)
		filter->newest = ts;
	return 0;
}

static int see_event(void *context, const struct record *record)
{
	struct filter *filter = context;
	struct event event;

	if (events_read(filter->events, record, &event) < 0)
		return -1;
	if (see_clock(filter, event.ts) < 0)
		return -1;
	learn_names(filter, &event);
	if (measure_charts(filter->measure) == 0 && !filter->options.watch && !filter->options.policy->method->plots->rates && add_default_chart(filter) < 0)
		return -1;
	if (past_push(filter->past, record, event.ts) < 0)
		return -1;
	if (event.ts > filter->now)
		filter->now = event.ts;
	if (measure_event(filter->measure, &event) < 0)
		return -1;
	if (filter->has_handoffs)
		filter->options.watch->event(filter->options.watch->context, &event);
	return time_passes(filter, event.ts) < 0 ? -1 : STREAM_DROP;
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
	int64_t ts, from = INT64_MIN;

	if (read_time(filter, record, &ts) < 0)
		return -1;
	if (fields_time(stream_fields(filter->stream, record), "from", &from) < 0)
		return stream_fail(filter->stream, "%s", fail_text());
	window_lost(filter->window, from, ts);
	if (past_push(filter->past, record, ts) < 0 ||
	    measure_lost(filter->measure, ts > filter->now ? ts : filter->now) < 0 || time_passes(filter, ts) < 0)
		return -1;
	return STREAM_DROP;
}

/* The record waits among the events: a thread's name holds for the events after it. */
static int see_thread(void *context, const struct record *record)
{
	struct filter *filter = context;
	const struct fields *fields = record->kind == KIND_FILE ? stream_fields(filter->stream, record) : NULL;

	if (fields && measure_record(filter->measure, KIND_FILE, fields, filter->now) < 0)
		return -1;
	return past_push(filter->past, record, filter->now) < 0 ? -1 : STREAM_DROP;
}

/*
 * A record that a group used up its quota explains the events around it, so it waits among them. A record of the quota itself holds
 * for the whole stream, so it passes.
 */
static int see_quota(void *context, const struct record *record)
{
	struct filter *filter = context;
	const struct fields *fields = stream_fields(filter->stream, record);

	if (!fields)
		return -1;
	if (!fields_find(fields, "since") || filter->now == INT64_MIN)
		return STREAM_PASS;
	return see_thread(filter, record);
}

/* A `tick` or `gap` record, which says which events have come or were lost. */
static int see_timed(void *context, const struct record *record)
{
	struct filter *filter = context;
	int64_t ts;

	if (read_time(filter, record, &ts) < 0 ||
	    measure_record(filter->measure, record->kind, stream_fields(filter->stream, record), ts) < 0 || time_passes(filter, ts) < 0)
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
	if (fields_find(fields, "count")) {
		measure_record(filter->measure, KIND_SAMPLE, NULL, filter->now);
		filter_comes_behind(filter, 0);
		return STREAM_PASS;
	}
	if (filter->options.watch)
		return STREAM_PASS;
	status = sample_read(&sample, fields, filter->options.policy);
	if (status < 0)
		return stream_fail(filter->stream, "%s", fail_text());
	if (status == 0)
		return time_passes(filter, sample.end) < 0 ? -1 : STREAM_DROP;
	chart = fields_copy(fields, "chart");
	key = fields_copy(fields, "key");
	status = measure_value(filter->measure, chart, key, &sample);
	free(key);
	free(chart);
	return status < 0 || time_passes(filter, sample.end) < 0 ? -1 : STREAM_DROP;
}

/* Measures with a chart, unless the watch leaves it out. */
static int measure(struct filter *filter, struct chart *chart)
{
	const struct filter_watch *watch = filter->options.watch;
	int wanted = watch ? watch->chart(watch->context, chart) : 1;

	if (wanted > 0)
		return measure_chart(filter->measure, chart);
	chart_free(chart);
	return wanted;
}

static int add_chart(struct filter *filter, const struct fields *fields)
{
	struct chart *chart = chart_recorded(fields);

	return chart ? measure(filter, chart) : -1;
}

/* Adds a chart that the collector traced events for, unless the user named charts. */
static int see_chart(void *context, const struct record *record)
{
	struct filter *filter = context;
	const struct fields *fields = stream_fields(filter->stream, record);

	if (!fields)
		return -1;
	if (!filter->options.own_charts && !filter->options.policy->method->plots->rates && add_chart(filter, fields) < 0)
		return stream_fail(filter->stream, "%s", fail_text());
	measure_record(filter->measure, KIND_CHART, fields, filter->now);
	return STREAM_PASS;
}

/* A process that listens, or for which a thread waits, may be blamed though no event of it comes, so its name passes. */
static int tell_process(struct filter *filter, const struct fields *fields)
{
	const char *key = fields_find(fields, "listens") ? "process" : "peer";
	int64_t process = 0, seen;

	if (fields_integer(fields, key, &process) <= 0 || process <= 0 || process > INT32_MAX || fields_time(fields, "seen", &seen) <= 0 ||
	    filter->named >= NAMED_MAX)
		return 0;
	filter->named++;
	return thread_records_tell_thread(filter->threads, (int32_t)process, seen);
}

/* A record that the charts need. It passes, so that a later filter has it, too. */
static int see_of_stream(void *context, const struct record *record)
{
	struct filter *filter = context;
	const struct fields *fields = stream_fields(filter->stream, record);

	if (!fields)
		return -1;
	if (measure_record(filter->measure, record->kind, fields, filter->now) < 0)
		return record->kind == KIND_TRACED ? stream_fail(filter->stream, "%s", fail_text()) : -1;
	if (record->kind == KIND_TRACED && tell_process(filter, fields) < 0)
		return -1;
	return STREAM_PASS;
}

/* Tells whether the charts need none of the events that the recorder would keep. */
static bool may_keep(const struct filter *filter, const struct fields *offer)
{
	char *events = fields_copy(offer, "events"), *rest = events;
	bool may = true;

	for (char *event; rest && (event = strsep(&rest, ","));)
		may &= !measure_needs(filter->measure, event);
	free(events);
	return may;
}

/* An offer to keep context in the kernel, or to store a ring; or the time from which on the recorder keeps context, or the recorder's end. */
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
		fail("the stream lacks context, which a recorder kept for another reader");
		past_recall(filter->past, filter->recall, since);
		filter->recall = NULL;
	} else if (fields_find(fields, "ring")) {
		if (!filter->ring && recall_is_for(fields, STDIN_FILENO))
			filter->ring = recall_open(fields);
	} else if (!filter->recall && !filter->options.size.all && recall_is_for(fields, STDIN_FILENO) &&
		   may_keep(filter, fields)) {
		filter->recall = recall_open(fields); /* NULL: the recorder writes all events into the stream */
	}
	return STREAM_DROP;
}

/* An earlier filter's limits: they come before the first signal that they judge. */
static int see_limits(void *context, const struct record *record)
{
	(void)record;
	filter_comes_behind(context, 0);
	return STREAM_PASS;
}

/* Passes a signal that no filter wrote, under its id or, if that was given already, under the next, so that a window's signals are a range. */
static int tell_brought(struct filter *filter, const struct record *record, const struct fields *fields, uint64_t id)
{
	char text[NUMBER_ROOM];

	if (id > filter->signals) {
		filter->signals = id;
		return stream_write_record(filter->stream, record) < 0 ? -1 : STREAM_DROP;
	}
	number_spell_unsigned(text, ++filter->signals);
	line_copy(&filter->line, fields, "id", text);
	return stream_write_line(filter->stream, &filter->line) < 0 ? -1 : STREAM_DROP;
}

/* Opens the window of a signal that no filter wrote. */
static int open_brought(struct filter *filter, const struct fields *fields, uint64_t id)
{
	int64_t start, ts, horizon = measure_horizon(filter->measure);
	double value = 0, center = 0;
	int has_time = fields_time(fields, "ts", &ts), has_start = fields_time(fields, "start", &start);

	if (has_time < 0 || has_start < 0 || fields_double(fields, "value", &value) < 0 || fields_double(fields, "center", &center) < 0)
		return stream_fail(filter->stream, "%s", fail_text());
	if (has_time == 0)
		return stream_fail(filter->stream, "a signal needs a ts");
	if (has_start == 0 || start > ts)
		start = ts;
	filter->brought = true;
	if (window_forget(filter->window, horizon < start ? horizon : start) < 0)
		return -1;
	return window_signal(filter->window, id > filter->signals ? id : filter->signals + 1, start, ts,
			     badness(&(struct sample){.value = value, .center = center}));
}

/*
 * A signal of an earlier filter has its window in the stream. Any other signal opens a window here, unless there is a watch, which opens windows of
 * its own firings only. That there was an earlier filter shows by limits, thinned samples, triggers, windows, or signals that its user asked for.
 */
static int see_signal(void *context, const struct record *record)
{
	struct filter *filter = context;
	const struct fields *fields = stream_fields(filter->stream, record);
	uint64_t id = 0;

	if (!fields)
		return -1;
	if (fields_unsigned(fields, "id", &id) < 0)
		return stream_fail(filter->stream, "%s", fail_text());
	if (filter->behind || fields_is(fields, "rules", "asked")) {
		filter_comes_behind(filter, id);
		return STREAM_PASS;
	}
	if (!filter->options.watch && open_brought(filter, fields, id) < 0)
		return -1;
	return tell_brought(filter, record, fields, id);
}

/* An earlier filter's trigger: its signal and its window follow. */
static int see_trigger(void *context, const struct record *record)
{
	(void)record;
	filter_comes_behind(context, 0);
	return STREAM_PASS;
}

static int see_window(void *context, const struct record *record)
{
	struct filter *filter = context;
	const struct fields *fields = stream_fields(filter->stream, record);
	uint64_t id = 0;

	if (!fields)
		return -1;
	if (fields_unsigned(fields, "id", &id) < 0)
		return stream_fail(filter->stream, "%s", fail_text());
	filter_comes_behind(filter, id);
	filter->has_gaps = true;
	return window_adopt(filter->window, record, fields) < 0 ? -1 : STREAM_DROP;
}

struct filter *filter_new(struct stream *stream, const struct filter_options *options)
{
	struct filter *filter = NEW(struct filter);
	struct measure_listener listener;

	filter->stream = stream;
	filter->options = *options;
	listener = filter_listener(filter);
	filter->now = filter->newest = INT64_MIN;
	filter->events = events_new(stream);
	events_keep_living(filter->events);
	filter->naming[0] = events_type(filter->events, "sched:sched_process_fork");
	filter->naming[1] = events_type(filter->events, "task:task_newtask");
	filter->naming[2] = events_type(filter->events, "task:task_rename");
	filter->measure = measure_new(filter->events, options->policy, &listener);
	filter->threads = thread_records_new(stream, filter->events);
	filter->past = past_new(stream, filter->threads, options->size.bytes, options->size.all);
	filter->window = window_new(stream, filter->past, &options->size);
	return filter;
}

/* Makes the filter of another host of the stream. NULL after fail(). */
static void *another_filter(void *context)
{
	struct filter *first = context, *filter;
	struct filter_options options = first->options;

	if (options.one_host) {
		stream_fail(first->stream, "it is of several hosts; %s", options.one_host);
		return NULL;
	}
	filter = filter_new(first->stream, &options);
	filter->options.relearn = &filter->own_relearn;
	filter->options.asked = &filter->own_asked;
	filter->next = first->next;
	first->next = filter;
	if (options.watch)
		filter->options.watch = options.watch->another(options.watch->context, filter);
	return filter_add_charts(filter) < 0 ? NULL : filter;
}

void filter_free(struct filter *filter)
{
	if (filter->next)
		filter_free(filter->next);
	window_free(filter->window);
	past_free(filter->past);
	thread_records_free(filter->threads);
	measure_free(filter->measure);
	events_free(filter->events);
	line_free(&filter->line);
	free(filter);
}

int filter_chart(struct filter *filter, struct chart *chart)
{
	filter->options.own_charts = true;
	return measure(filter, chart);
}

int filter_add_charts(struct filter *filter)
{
	for (int i = 0; i < filter->options.chart_count; i++) {
		struct chart *chart = chart_load(filter->options.charts[i]);

		if (!chart || filter_chart(filter, chart) < 0)
			return -1;
	}
	return 0;
}

const struct events *filter_events(const struct filter *filter)
{
	return filter->events;
}

bool filter_has_stacks(const struct filter *filter)
{
	return filter->has_stacks;
}

static const struct handlers handlers;

/* Sets *ts to the time of a record. 1; 0: it has none that can be read, or comes before the events of its time; -1 after fail(). */
static int time_of(struct filter *filter, const struct record *record, int64_t *ts)
{
	const struct fields *fields;

	*ts = record->ts;
	if (record->packed)
		return record->kind == KIND_EVENT;
	if (record->kind == KIND_ASYNC || (record->kind == KIND_OTHER && !memmem(record->text, record->length, " ts=", 4)))
		return 0;
	fields = stream_fields(filter->stream, record);
	if (!fields)
		return -1;
	return fields_time(fields, "ts", ts) > 0;
}

/* With a watch, each record comes here first. */
static int see_watched(void *context, const struct record *record)
{
	struct filter *filter = context;
	const struct filter_watch *watch = filter->options.watch;
	record_handler *usual = handlers.on[record->kind];
	int64_t ts;
	int timed = time_of(filter, record, &ts), status;

	if (timed < 0 || (timed && record->kind == KIND_EVENT && see_clock(filter, ts) < 0) || (timed && watch->time(watch->context, ts) < 0))
		return -1;
	filter->has_stacks |= record->kind == KIND_STACK;
	filter->has_handoffs |= record->kind == KIND_HANDOFF;
	status = usual ? usual(filter, record) : STREAM_PASS;
	if (status >= 0 && filter->behind && !filter->told_behind) {
		filter->told_behind = true;
		if (watch->behind(watch->context) < 0)
			return stream_fail(filter->stream, "%s", fail_text());
	}
	if (status >= 0 && record->kind == KIND_LOST)
		return watch->lost(watch->context) < 0 ? -1 : status;
	if (status < 0 || (record->kind != KIND_SIGNAL && record->kind != KIND_EXCEPTION && record->kind != KIND_HANDOFF))
		return status;
	if (status != STREAM_DROP && stream_write_record(filter->stream, record) < 0)
		return -1;
	return watch->record(watch->context, record->kind, stream_fields(filter->stream, record)) < 0 ? -1 : STREAM_DROP;
}

static const struct handlers handlers = {
	.on = {[KIND_STREAM] = see_of_stream, [KIND_CHART] = see_chart, [KIND_EVENT] = see_event,
		       [KIND_LOST] = see_lost, [KIND_TICK] = see_timed, [KIND_GAP] = see_timed, [KIND_SAMPLE] = see_sample,
		       [KIND_QUOTA] = see_quota, [KIND_TRACED] = see_of_stream, [KIND_SHED] = see_of_stream, [KIND_STAGE] = see_of_stream,
		       [KIND_TASK] = see_thread, [KIND_FILE] = see_thread, [KIND_ASYNC] = see_thread,
		       [KIND_RECORDER] = see_recorder, [KIND_LIMITS] = see_limits, [KIND_SIGNAL] = see_signal, [KIND_TRIGGER] = see_trigger,
		       [KIND_WINDOW] = see_window},
	.host = another_filter,
	.finish = stream_ends,
};

int filter_finish(struct filter *filter)
{
	struct handlers watched = handlers;

	for (int kind = 0; kind < KINDS; kind++)
		watched.on[kind] = see_watched;
	return stream_finish(filter->stream, filter->options.watch ? &watched : &handlers, filter);
}

static void complain_of(struct filter *filter, void (*complain)(const char *format, ...))
{
	if (!filter->by_default || !filter->brought)
		measure_complaints(filter->measure, complain);
	if (past_complaint(filter->past))
		complain("%s", past_complaint(filter->past));
	if (thread_records_complaint(filter->threads))
		complain("%s", thread_records_complaint(filter->threads));
	if (events_nameless(filter->events))
		complain("the stream names more than 262,144 threads; the names of %llu were forgotten before they were needed",
			 (unsigned long long)events_nameless(filter->events));
}

void filter_complaints(struct filter *filter, void (*complain)(const char *format, ...))
{
	if (filter->missing || !filter->ended)
		return;
	for (; filter; filter = filter->next)
		complain_of(filter, complain);
}

int filter_save(struct filter *filter, struct limits_book *book, struct file_draft *draft)
{
	measure_save(filter->measure, book);
	return limits_book_save(book, draft);
}
