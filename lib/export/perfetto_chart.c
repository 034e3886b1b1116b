#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "export/perfetto.h"
#include "report/fit.h"

enum { SERIES_MAX = 1024, EVENT_VALUE = 30, EVENT_DOUBLE_VALUE = 44 };

/* A chart's key: its values, and its limits once they are known. */
struct series {
	char *name;                         /* "block of loop0" */
	enum unit unit;                     /* of the values */
	uint64_t group, value, center, ucl; /* tracks; 0: not made yet */
	double last_center, last_ucl;       /* NAN: none came */
	UT_hash_handle hh;
};

struct charts {
	struct perfetto *perfetto;
	struct series *series; /* by name */
	uint64_t root, signals;
};

struct charts *charts_new(struct perfetto *perfetto)
{
	struct charts *charts = NEW(struct charts);

	charts->perfetto = perfetto;
	return charts;
}

void charts_free(struct charts *charts)
{
	struct series *series, *next;

	HASH_ITER(hh, charts->series, series, next)
	{
		HASH_DEL(charts->series, series);
		free(series->name);
		free(series);
	}
	free(charts);
}

static char *series_name(const struct perfetto *perfetto, const struct fields *fields)
{
	char *chart = fit_field(fields, "chart"), *key = fit_field(fields, "key");
	char *name = site_chart(perfetto->model->site, chart, key);

	free(chart);
	free(key);
	return name;
}

/* NULL: there are too many. */
static struct series *series_of(struct charts *charts, const struct fields *fields)
{
	char *name = series_name(charts->perfetto, fields);
	struct series *series;

	HASH_FIND_STR(charts->series, name, series);
	if (series || HASH_COUNT(charts->series) >= SERIES_MAX) {
		if (!series)
			export_leave_out(charts->perfetto->export, "there are too many charts and keys");
		free(name);
		return series;
	}
	series = NEW(struct series);
	series->name = name;
	series->last_center = series->last_ucl = NAN;
	HASH_ADD_KEYPTR(hh, charts->series, series->name, strlen(series->name), series);
	return series;
}

static uint64_t new_track(struct charts *charts, struct series *series, const char *name)
{
	struct perfetto *perfetto = charts->perfetto;

	if (!charts->root)
		charts->root = packet_track(perfetto, packet_root(perfetto), "control charts", RANK_CHARTS);
	if (!series->group)
		series->group = packet_track(perfetto, charts->root, series->name, RANK_IN_TURN);
	return packet_counter(perfetto, series->group, name, series->unit);
}

static int count(struct charts *charts, struct series *series, uint64_t *track, const char *name, int64_t ts,
		 double value)
{
	struct bytes *file = &charts->perfetto->file;
	size_t mark;

	if (isnan(value))
		return 0;
	if (!*track)
		*track = new_track(charts, series, name);
	mark = packet_event(charts->perfetto, *track, ts, EVENT_COUNTER, NULL);
	value *= series->unit == UNIT_SECONDS ? 1e9 : series->unit == UNIT_SHARE ? 100 : 1;
	if (series->unit == UNIT_SECONDS && fabs(value) < 1e18)
		proto_signed(file, EVENT_VALUE, (int64_t)llround(value));
	else
		proto_double(file, EVENT_DOUBLE_VALUE, value);
	return packet_event_end(charts->perfetto, mark);
}

static int count_limits(struct charts *charts, struct series *series, int64_t ts)
{
	if (count(charts, series, &series->center, "center", ts, series->last_center) < 0)
		return -1;
	return count(charts, series, &series->ucl, "upper limit", ts, series->last_ucl);
}

/* A value of the series; what is known of its limits goes with the first. */
static int count_value(struct charts *charts, struct series *series, enum unit unit, int64_t ts, double value)
{
	bool first = !series->value;

	if (first)
		series->unit = unit;
	if (count(charts, series, &series->value, "value", ts, value) < 0)
		return -1;
	return first ? count_limits(charts, series, ts) : 0;
}

int charts_sample(struct charts *charts, const struct fields *fields)
{
	struct series *series;
	int64_t ts, start;
	double value = NAN;
	int has_ts = time_read(fields, "ts", &ts), has_start = time_read(fields, "start", &start);

	if (has_ts < 0 || has_start < 0 || fields_double(fields, "value", &value) < 0)
		return -1;
	if (!has_ts || !packet_has_place(charts->perfetto, ts) || !(series = series_of(charts, fields)))
		return 0;
	return count_value(charts, series, unit_read(fields, has_start), ts, value);
}

int charts_limits(struct charts *charts, const struct fields *fields)
{
	struct series *series;
	int64_t ts = TS_NONE;
	double center = NAN, ucl = NAN;

	if (time_read(fields, "ts", &ts) < 0 || fields_double(fields, "center", &center) < 0 ||
	    fields_double(fields, "ucl", &ucl) < 0)
		return -1;
	series = series_of(charts, fields);
	if (!series)
		return 0;
	series->last_center = center;
	series->last_ucl = ucl;
	/* Before the first value it is not known what is counted. */
	return series->value && ts >= 0 ? count_limits(charts, series, ts) : 0;
}

/* Signals overlap, so each has a track. */
static int export_signal(struct charts *charts, const struct signal *signal)
{
	struct perfetto *perfetto = charts->perfetto;
	char *words = signal_words(perfetto->model->site, signal);
	char *limits = value_limits(signal->unit, signal->center, signal_limit(signal));
	uint64_t track;
	size_t mark;
	int status;

	if (!charts->signals)
		charts->signals = packet_track(perfetto, packet_root(perfetto), "abnormal values", RANK_LAST);
	track = packet_track(perfetto, charts->signals, signal->chart, RANK_IN_TURN);
	mark = packet_event(perfetto, track, signal->start, EVENT_BEGIN, words);
	packet_note(perfetto, "signal", signal->id);
	packet_note(perfetto, "limits", limits ? limits : "");
	packet_note(perfetto, "rules", signal->rules);
	for (size_t i = 0; i < signal->shown.count; i++)
		packet_note(perfetto, signal->shown.items[i].key, signal->shown.items[i].value);
	status = packet_event_end(perfetto, mark) < 0 ? -1 : packet_slice_end(perfetto, track, signal->ts);
	free(words);
	free(limits);
	return status;
}

/* A changed level is no value of its own. */
int charts_signal(struct charts *charts, const struct fields *fields)
{
	struct signal *signal = signal_read(charts->perfetto->model->site, fields);
	struct series *series;
	int status = 0;

	if (!signal)
		return -1;
	if (packet_has_place(charts->perfetto, signal->start)) {
		series = signal->shift ? NULL : series_of(charts, fields);
		if (series)
			status = count_value(charts, series, signal->unit, signal->ts, signal->value);
		if (status == 0)
			status = export_signal(charts, signal);
	}
	signal_free(signal);
	return status;
}
