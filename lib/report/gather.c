/* From records to the model. */
#include <math.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "chart/chart.h"
#include "report/gather.h"
#include "report/words.h"

/* Times after the year 2001 are of no trace clock but, written by hand, of the wall's. */
static const int64_t unix_least = INT64_C(1000000000) * NSEC_PER_SEC;

static void see_time(struct model *model, int64_t ts)
{
	int64_t at = time_sum(ts, model->clock.wall);

	if (!model->has_stream && ts > unix_least)
		model_see_wall(model);
	if (!model_is_dated(model))
		return;
	if (at < model->first)
		model->first = at;
	if (at > model->last)
		model->last = at;
	model_see_times(&model->data, at, at);
}

/* What every handler begins with: the fields; NULL after fail(). */
const struct fields *gather_fields(struct model *model, const struct record *record)
{
	if (moment_next_record(model, record) < 0)
		return NULL;
	return stream_fields(model->stream, record);
}

int gather_wrong(struct model *model)
{
	return stream_fail(model->stream, "%s", fail_text());
}

static int other_seen(void *context, const struct record *record)
{
	return moment_next_record(context, record);
}

static int task_seen(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = gather_fields(model, record);

	if (!fields)
		return -1;
	return who_task(model->who, fields) < 0 ? gather_wrong(model) : STREAM_PASS;
}

static int timed_seen(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields;
	int64_t ts;
	int found;

	if (record->packed) {
		if (moment_next_record(model, record) < 0)
			return -1;
		see_time(model, record->ts);
		return STREAM_PASS;
	}
	if (!(fields = gather_fields(model, record)))
		return -1;
	found = read_time(fields, "ts", &ts);
	if (found < 0)
		return gather_wrong(model);
	if (found)
		see_time(model, ts);
	return STREAM_PASS;
}

static int stream_seen(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = gather_fields(model, record);
	int found;

	if (!fields)
		return -1;
	who_forget(model->who);
	free(model->host);
	free(model->kernel);
	model->host = clean_field(fields, "host");
	model->kernel = clean_field(fields, "kernel");
	model->cpus = 0;
	if (fields_unsigned(fields, "cpus", &model->cpus) < 0)
		return gather_wrong(model);
	model->bytes += model->most;
	model->most = 0;
	model->clock = (struct clock){0};
	found = read_time(fields, "wall", &model->clock.wall);
	if (found < 0)
		return gather_wrong(model);
	if (found)
		model_see_wall(model);
	model_see_host(model);
	model->has_stream = true;
	return STREAM_PASS;
}

/* The chart's own words for it. A definition that cannot be read is the collector's business. */
static int chart_seen(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = gather_fields(model, record);
	struct chart_story *story;
	struct chart *chart;
	char *name;

	if (!fields)
		return -1;
	name = clean_field(fields, "name");
	chart = chart_recorded(fields);
	if (*name) {
		story = model_chart(model, name);
		free(story->title);
		story->title = words_clean(chart && chart->title ? chart->title : "");
		story->counts = chart && chart->method;
	}
	if (chart)
		chart_free(chart);
	free(name);
	return STREAM_PASS;
}

static struct track *track_of(struct model *model, const struct fields *fields)
{
	char *chart = clean_field(fields, "chart"), *key = clean_field(fields, "key");
	struct track *track = model_track(model, chart, key);

	free(chart);
	free(key);
	return track;
}

static int sample_seen(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = gather_fields(model, record);
	struct bucket bucket = {.count = 1};
	struct track *track;
	int64_t ts, start;
	int has_start;

	if (!fields)
		return -1;
	if (read_time(fields, "ts", &ts) != 1 || fields_double(fields, "value", &bucket.median) != 1)
		return stream_fail(model->stream, "a sample record needs ts= and value= as numbers");
	bucket.greatest = bucket.median;
	has_start = read_time(fields, "start", &start);
	if (has_start < 0 || fields_unsigned(fields, "count", &bucket.count) < 0 ||
	    fields_double(fields, "max", &bucket.greatest) < 0)
		return gather_wrong(model);
	see_time(model, ts);
	bucket.at = time_sum(ts, model->clock.wall);
	track = track_of(model, fields);
	if (track->unit == UNIT_NONE)
		track->unit = unit_read(fields, has_start);
	track->values += bucket.count;
	if (!(track->greatest >= bucket.greatest)) {
		track->greatest = bucket.greatest;
		track->greatest_is_early = !track->limited;
	}
	if (model_is_dated(model))
		points_add(&track->samples, &bucket);
	return STREAM_PASS;
}

static int limits_seen(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = gather_fields(model, record);
	double center = NAN, lcl = NAN, ucl = NAN;
	struct track *track;
	uint64_t n = 0;
	int64_t ts;
	int found;

	if (!fields)
		return -1;
	found = read_time(fields, "ts", &ts);
	if (found < 0 || fields_double(fields, "center", &center) < 0 || fields_double(fields, "lcl", &lcl) < 0 ||
	    fields_double(fields, "ucl", &ucl) < 0 || fields_unsigned(fields, "n", &n) < 0)
		return gather_wrong(model);
	track = track_of(model, fields);
	if (fields_find(fields, "unit"))
		track->unit = unit_read(fields, false);
	if (track == track->chart->others)
		return STREAM_PASS;
	if (found && fields_find(fields, "change") && gather_shift(model, track, fields, center) < 0)
		return gather_wrong(model);
	track->center = center;
	track->lcl = lcl;
	track->ucl = ucl;
	track->limited = !isnan(ucl);
	track->learnt_from = n;
	free(track->method);
	track->method = clean_field(fields, "method");
	if (found && model_is_dated(model))
		points_add(&track->limits, &(struct bucket){time_sum(ts, model->clock.wall), n, center, ucl});
	return STREAM_PASS;
}

/* What had begun and not ended at the end of a stream, and no limits judged, or it may have ended unseen. */
static int open_seen(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = gather_fields(model, record);
	struct unfinished *unfinished;
	struct track *track;
	int64_t ts, start, cpu = -1;
	uint64_t count;
	double age;

	if (!fields)
		return -1;
	if (read_time(fields, "ts", &ts) != 1 || read_time(fields, "start", &start) != 1 ||
	    fields_unsigned(fields, "count", &count) != 1 || fields_integer(fields, "cpu", &cpu) < 0)
		return stream_fail(model->stream, "an open record needs ts=, start= and count= as numbers");
	see_time(model, ts);
	age = (double)(ts - start) / 1e9;
	track = track_of(model, fields);
	unfinished = fields_find(fields, "doubt") ? &track->doubted : &track->open;
	unfinished->count += count;
	if (age < unfinished->oldest)
		return STREAM_PASS;
	unfinished->oldest = age;
	unfinished->overtaken = fields_is(fields, "doubt", "overtaken");
	unfinished->cpu = cpu;
	return STREAM_PASS;
}

static int signal_seen(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = gather_fields(model, record);
	struct signal *signal;
	struct track *track;

	if (!fields)
		return -1;
	signal = signal_read(model, fields);
	if (!signal)
		return gather_wrong(model);
	see_time(model, signal->ts);
	track = model_track(model, signal->chart, signal->key);
	if (track->unit == UNIT_NONE)
		track->unit = signal->unit;
	if (isnan(track->signal_limit)) {
		track->signal_center = signal->center;
		track->signal_limit = signal_limit(signal);
	}
	track->signals++;
	track->chart->signals++;
	if (model_is_dated(model))
		points_add(signal->shift ? &track->levels : &track->marks,
			   &(struct bucket){time_sum(signal->ts, model->clock.wall), 1, signal->value, signal->value});
	moment_bound_pending(model);
	*ARRAY_ADD(&model->pending) = signal;
	model->signals++;
	model->rates += signal->unit == UNIT_SHARE || signal->unit == UNIT_RATE || signal->mean;
	return STREAM_PASS;
}

static int window_seen(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = gather_fields(model, record);
	int64_t from, to;
	char *id, *signals;

	if (!fields)
		return -1;
	if (read_time(fields, "from", &from) != 1 || read_time(fields, "to", &to) != 1)
		return stream_fail(model->stream, "a window record needs from= and to= as numbers");
	id = clean_field(fields, "id");
	if (model->moment && (!model->moment->window || strcmp(model->moment->window, id)) && moment_close(model) < 0) {
		free(id);
		return -1;
	}
	if (!model->moment)
		moment_begin(model, id);
	moment_span(model->moment, from, to);
	model->moment->data_from = from;
	model->moment->complete = !fields_is(fields, "complete", "no");
	signals = clean_field(fields, "signals");
	moment_claim_range(model, signals);
	free(signals);
	free(id);
	return model->story && model->story->culprits.count > 0 ? moment_close(model) : STREAM_PASS;
}

static int all_read(void *context)
{
	struct model *model = context;
	int status;

	if (graph_reader_end(model->reader) < 0 || moment_close(model) < 0)
		return -1;
	model->ranked_streams += model->graphs > model->graphs_before;
	model->graphs_before = model->graphs;
	gather_usage_end(model);
	status = moment_of_rest(model, !stream_was_cut(model->stream));
	model_stream_over(model);
	return status;
}

struct model *model_new(struct stream *stream, moment_teller *teller, void *context)
{
	static const struct handlers handlers = {
		.on = {[KIND_OTHER] = other_seen,   [KIND_STREAM] = stream_seen, [KIND_FORMAT] = other_seen,
		       [KIND_TASK] = task_seen,    [KIND_DEVICE] = other_seen,  [KIND_CHART] = chart_seen,
		       [KIND_TICK] = timed_seen,    [KIND_EVENT] = timed_seen,   [KIND_LOST] = timed_seen,
		       [KIND_SAMPLE] = sample_seen, [KIND_LIMITS] = limits_seen, [KIND_SIGNAL] = signal_seen,
		       [KIND_WINDOW] = window_seen, [KIND_GRAPH] = gather_graph, [KIND_NODE] = gather_graph,
		       [KIND_EDGE] = gather_graph,  [KIND_PATH] = gather_path,   [KIND_BLAME] = gather_blame,
		       [KIND_USAGE] = gather_usage,   [KIND_END] = other_seen,  [KIND_DIFF] = gather_change,
		       [KIND_OPEN] = open_seen,     [KIND_SHED] = gather_shed},
		.idle = NULL,
		.finish = all_read,
	};
	struct model *model = NEW(struct model);

	model->host = memory_format("%s", "");
	model->kernel = memory_format("%s", "");
	model->first = INT64_MAX;
	model->last = INT64_MIN;
	model->over = model->data = model->watched = NO_TIMES;
	model->stream = stream;
	model->events = events_new(stream);
	model->who = who_new();
	model->reader = graph_reader_new(stream, gather_whole_graph, model);
	model->teller = teller;
	model->context = context;
	model->handlers = handlers;
	return model;
}

struct handlers *model_handlers(struct model *model)
{
	return &model->handlers;
}
