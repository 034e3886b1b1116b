/* Passes each record to the part of the model that reads it. */
#include "model/model.h"

#include <stdlib.h>

#include "base/fail.h"

/* The part of the model that each host of the stream has for itself; struct site holds the other things that a host has. */
struct model_host {
	struct model *model;
	size_t number;
	struct moments *moments;
};

/* Every handler begins with this: closes the graph and moment that the record ends, and returns its fields. NULL after fail(). */
static const struct fields *begin(struct model *model, const struct record *record)
{
	model->records++;
	return moments_next(model->moments, record) < 0 ? NULL : stream_fields(model->stream, record);
}

/* Returns a handler's status from that of a part. Adds the place in the input to the part's fail(). */
static int taken(const struct model *model, int status)
{
	return status < 0 ? stream_fail(model->stream, "%s", fail_text()) : STREAM_PASS;
}

static void see_time(struct model *model, int64_t ts)
{
	bool had_wall = model->site->has_wall;

	site_see(model->site, ts);
	if (!had_wall && model->site->has_wall)
		tracks_forget_points(model->tracks);
}

/* Sees the time of a record. The part that takes the record reads it again, and reports errors in it. */
static void see_time_of(struct model *model, const struct fields *fields)
{
	int64_t ts;

	if (time_read(fields, "ts", &ts) == 1)
		see_time(model, ts);
}

static int other_seen(void *context, const struct record *record)
{
	struct model *model = context;

	model->records++;
	return moments_next(model->moments, record);
}

static int timed_seen(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields;
	int64_t ts;
	int found;

	if (record->packed) {
		see_time(model, record->ts);
		return other_seen(context, record);
	}
	if (!(fields = begin(model, record)))
		return -1;
	found = time_read(fields, "ts", &ts);
	if (found > 0)
		see_time(model, ts);
	return taken(model, found < 0 ? -1 : 0);
}

static int stream_seen(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = begin(model, record);
	bool had_wall = model->site->has_wall;
	int status;

	if (!fields)
		return -1;
	status = site_stream(model->site, fields);
	if (!had_wall && model->site->has_wall)
		tracks_forget_points(model->tracks);
	return taken(model, status);
}

static int task_seen(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = begin(model, record);

	return fields ? taken(model, process_table_task(model->site->who, fields)) : -1;
}

static int track_seen(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = begin(model, record);

	if (!fields)
		return -1;
	if (record->kind == KIND_SAMPLE || record->kind == KIND_OPEN)
		see_time_of(model, fields);
	return taken(model, tracks_take(model->tracks, record->kind, fields));
}

/* Records for pictures; ignored unless somebody draws. */
static int drawn_seen(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = model->views ? stream_fields(model->stream, record) : NULL;

	if (!fields)
		return model->views ? -1 : STREAM_PASS;
	return taken(model, views_take(model->views, record->kind, fields));
}

static int moment_seen(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = begin(model, record);

	if (!fields)
		return -1;
	if (record->kind == KIND_SIGNAL)
		see_time_of(model, fields);
	if (moments_take(model->moments, record->kind, fields) < 0)
		return -1;
	if (record->kind == KIND_SIGNAL && drawn_seen(model, record) < 0)
		return -1;
	return record->kind == KIND_SIGNAL || record->kind == KIND_WINDOW ? usual_culprit_take(model->usual, model->site->number, record) : STREAM_PASS;
}

static int graph_seen(void *context, const struct record *record)
{
	struct model *model = context;

	model->records++;
	if (usual_culprit_take(model->usual, model->site->number, record) < 0)
		return -1;
	if (record->kind == KIND_GRAPH && drawn_seen(model, record) < 0)
		return -1;
	return moments_graph(model->moments, record);
}

static int usage_seen(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = begin(model, record);

	return fields ? taken(model, overhead_take(&model->overhead, model->site, record->kind, fields)) : -1;
}

static int traced_seen(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = begin(model, record);

	return fields ? taken(model, site_traced(model->site, fields)) : -1;
}

static int request_seen(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = begin(model, record);

	return fields ? taken(model, logged_requests_take(model->logged, model->site->number, fields)) : -1;
}

static int call_seen(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = begin(model, record);

	return fields ? taken(model, logged_calls_take(model->called, fields)) : -1;
}

static int diff_seen(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = begin(model, record);

	return fields ? taken(model, verdicts_change(model->verdicts, model->site, fields)) : -1;
}

static int run_seen(void *context, const struct record *record)
{
	struct model *model = context;

	if (!begin(model, record))
		return -1;
	return contrast_see(model->contrast, model->stream, record) < 0 ? -1 : STREAM_PASS;
}

static int all_read(void *context)
{
	struct model *model = context;
	int status = moments_stream_over(model->moments);

	if (status == 0)
		status = usual_culprit_over(model->usual, model->site->number, model->site->host ? model->site->host : "");
	overhead_stream_over(&model->overhead);
	tracks_stream_over(model->tracks);
	site_stream_over(model->site);
	logged_requests_stream_over(model->logged);
	return status;
}

/* A `host` record: the records that follow are of this host. */
static int host_seen(void *context, const struct record *record)
{
	const struct model_host *host = context;

	(void)record;
	site_enter(host->model->site, host->number);
	host->model->moments = host->moments;
	return 0;
}

static struct model_host *new_host(struct model *model, size_t number, struct moments *moments)
{
	struct model_host *host = NEW(struct model_host);

	*host = (struct model_host){model, number, moments};
	stream_watch(model->stream, KIND_HOST, host_seen, host);
	return host;
}

/* Adds a host and makes it current. Its handlers have the model as context, too. */
static void *another_host(void *context)
{
	struct model *model = context;
	struct model_host *host = new_host(model, site_add_host(model->site, model->stream), moments_beside(model->first->moments));

	*ARRAY_ADD(&model->hosts) = host;
	host_seen(host, NULL);
	return model;
}

struct model *model_new(struct stream *stream, moment_teller *teller, void *context)
{
	static const struct handlers handlers = {
		.on = {[KIND_OTHER] = other_seen,   [KIND_STREAM] = stream_seen, [KIND_FORMAT] = other_seen,
		       [KIND_TASK] = task_seen,    [KIND_DEVICE] = other_seen,  [KIND_CHART] = track_seen,
		       [KIND_TICK] = timed_seen,    [KIND_EVENT] = timed_seen,   [KIND_LOST] = timed_seen,
		       [KIND_SAMPLE] = track_seen, [KIND_LIMITS] = track_seen, [KIND_SIGNAL] = moment_seen,
		       [KIND_WINDOW] = moment_seen, [KIND_GRAPH] = graph_seen, [KIND_NODE] = graph_seen,
		       [KIND_EDGE] = graph_seen,  [KIND_PATH] = moment_seen,   [KIND_BLAME] = moment_seen,
		       [KIND_USAGE] = usage_seen,   [KIND_END] = other_seen,  [KIND_DIFF] = diff_seen,
		       [KIND_OPEN] = track_seen,     [KIND_SHED] = usage_seen,     [KIND_SUMMARY] = track_seen, [KIND_TRACED] = traced_seen,
		       [KIND_RUN] = run_seen,	   [KIND_FEATURES] = run_seen, [KIND_CONFIG] = run_seen,
		       [KIND_CLUSTER] = run_seen,   [KIND_LABEL] = run_seen,	   [KIND_RULE] = run_seen,   [KIND_SAME] = run_seen,
		       [KIND_OUTSIDE] = run_seen, [KIND_REQUEST] = request_seen, [KIND_CALL] = call_seen,
		       [KIND_VIEW] = drawn_seen,    [KIND_STATE] = drawn_seen,  [KIND_SPAN] = drawn_seen},
		.host = another_host,
		.finish = all_read,
	};
	struct model *model = NEW(struct model);

	model->stream = stream;
	model->site = site_new(stream);
	model->tracks = tracks_new(model->site, stream);
	model->verdicts = verdicts_new();
	model->contrast = contrast_new();
	model->logged = logged_requests_new();
	model->called = logged_calls_new();
	model->usual = usual_culprit_new(stream);
	model->moments = moments_new(stream, model->site, model->tracks, model->verdicts, model->logged, teller, context);
	model->counts = moments_counts(model->moments);
	model->first = new_host(model, 0, model->moments);
	model->context = context;
	model->handlers = handlers;
	return model;
}

struct handlers *model_handlers(struct model *model)
{
	return &model->handlers;
}

void model_give_up(struct model *model)
{
	if (model->hosts.count)
		host_seen(model->first, NULL);
	moments_give_up(model->moments);
	for (size_t i = 0; i < model->hosts.count; i++) {
		host_seen(model->hosts.items[i], NULL);
		moments_give_up(model->moments);
	}
}

void model_free(struct model *model)
{
	if (!model)
		return;
	for (size_t i = 0; i < model->hosts.count; i++) {
		moments_free(model->hosts.items[i]->moments);
		free(model->hosts.items[i]);
	}
	free(model->hosts.items);
	moments_free(model->first->moments);
	free(model->first);
	verdicts_free(model->verdicts);
	contrast_free(model->contrast);
	logged_requests_free(model->logged);
	logged_calls_free(model->called);
	usual_culprit_free(model->usual);
	if (model->views)
		views_free(model->views);
	tracks_free(model->tracks);
	site_free(model->site);
	overhead_free(&model->overhead);
	free(model);
}
