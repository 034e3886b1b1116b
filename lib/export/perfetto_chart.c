#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "export/perfetto.h"
#include "report/words.h"

enum { SERIES_MAX = 1024, EVENT_VALUE = 30, EVENT_DOUBLE_VALUE = 44 };

/* A chart's key: its values, and its limits once they are known. */
struct series {
	char *name;                         /* "block 7:0" */
	bool interval;                      /* the values are times */
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
	char *chart = clean_field(fields, "chart"), *key = clean_field(fields, "key"), device[64], *name;

	if (*key)
		name = memory_format("%s %s", chart, model_device_name(perfetto->model, key, device, sizeof(device)));
	else
		name = memory_format("%s", chart);
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
		charts->root = packet_track(perfetto, 0, "control charts", TRACK_SLICES);
	if (!series->group)
		series->group = packet_track(perfetto, charts->root, series->name, TRACK_SLICES);
	return packet_track(perfetto, series->group, name, series->interval ? TRACK_COUNTER_NS : TRACK_COUNTER);
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
	if (series->interval && fabs(value) < 1e9)
		proto_signed(file, EVENT_VALUE, (int64_t)llround(value * 1e9));
	else
		proto_double(file, EVENT_DOUBLE_VALUE, series->interval ? value * 1e9 : value);
	return packet_event_end(charts->perfetto, mark);
}

static int count_limits(struct charts *charts, struct series *series, int64_t ts)
{
	if (count(charts, series, &series->center, "center", ts, series->last_center) < 0)
		return -1;
	return count(charts, series, &series->ucl, "upper limit", ts, series->last_ucl);
}

/* A value whose start is known is a time. 1: as it should be; 0: to be passed over; -1 after fail(). */
static int read_value(const struct fields *fields, int64_t *ts, int64_t *start, double *value)
{
	int has_ts = read_time(fields, "ts", ts), has_start = read_time(fields, "start", start);

	if (has_ts < 0 || has_start < 0 || fields_double(fields, "value", value) < 0)
		return -1;
	if (!has_start)
		*start = TS_NONE;
	return has_ts && *ts >= 0;
}

int charts_sample(struct charts *charts, const struct fields *fields)
{
	struct series *series;
	int64_t ts, start;
	double value = NAN;
	bool first;
	int status = read_value(fields, &ts, &start, &value);

	if (status <= 0 || !(series = series_of(charts, fields)))
		return status;
	first = !series->value;
	if (first)
		series->interval = start != TS_NONE;
	status = count(charts, series, &series->value, "value", ts, value);
	return status < 0 || !first ? status : count_limits(charts, series, ts);
}

int charts_limits(struct charts *charts, const struct fields *fields)
{
	struct series *series;
	int64_t ts;
	double center = NAN, ucl = NAN;

	if (read_time(fields, "ts", &ts) < 0 || fields_double(fields, "center", &center) < 0 ||
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

/* Signals overlap, so each has a track; the viewer shows those of one name as one. */
int charts_signal(struct charts *charts, const struct fields *fields)
{
	struct perfetto *perfetto = charts->perfetto;
	struct signal *signal = signal_read(perfetto->model, fields);
	char *words, *limits;
	uint64_t track;
	size_t mark;
	int status = 0;

	if (!signal)
		return -1;
	if (signal->start >= 0 && signal->ts >= signal->start) {
		if (!charts->signals)
			charts->signals = packet_track(perfetto, 0, "abnormal values", TRACK_SLICES);
		track = packet_track(perfetto, charts->signals, signal->chart, TRACK_SLICES);
		words = words_signal(perfetto->model, signal);
		limits = words_limits(signal->unit, signal->center, signal->ucl);
		mark = packet_event(perfetto, track, signal->start, EVENT_BEGIN, words);
		packet_note(perfetto, "signal", signal->id);
		packet_note(perfetto, "limits", limits ? limits : "");
		packet_note(perfetto, "rules", signal->rules);
		for (size_t i = 0; i < signal->shown.count; i++)
			packet_note(perfetto, signal->shown.items[i].key, signal->shown.items[i].value);
		status = packet_event_end(perfetto, mark) < 0 ? -1 : packet_slice_end(perfetto, track, signal->ts);
		free(words);
		free(limits);
	}
	signal_free(signal);
	return status;
}
