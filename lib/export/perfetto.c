/* A native trace of the Perfetto viewer: the kernel's events, and tailblame's findings as tracks, counters and arrows. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "export/perfetto_calls.h"
#include "export/perfetto_kernel.h"
#include "export/perfetto_lines.h"
#include "export/perfetto_packet.h"
#include "model/display.h"
#include "model/label.h"
#include "model/model.h"

/* The state of each host; the viewer calls a host a machine. */
struct machine {
	struct perfetto *perfetto;
	uint32_t number;   /* 0: the first */
	bool has_system;   /* the kernel's release was written */
	bool dated;	   /* the wall clock of this stream was written */
	struct kernel *kernel;
	struct call_slices *calls;
};

struct perfetto {
	struct packets packets;
	struct model *model; /* what the tracks show */
	void *(*another)(void *model); /* the model's own handler of a further host */
	uint64_t flows;
	unsigned stories; /* exported so far */
	ARRAY(struct machine *) machines;
	struct charts *charts;
	struct time_lines *lines;
	uint64_t lost;	    /* the track of lost events; 0: not made yet */
	int64_t told_until; /* the end of the moment on the root's own track */
};

/* Control charts: samples and limits as counters, signals as slices. */

enum { SERIES_MAX = 1024, EVENT_VALUE = 30, EVENT_DOUBLE_VALUE = 44 };

/* One key of a chart: its values, and its limits once they are known. */
struct series {
	char *name;                         /* "block of loop0" */
	enum unit unit;                     /* of the values */
	uint64_t group, value, center, ucl; /* tracks; 0: not made yet */
	double last_center, last_ucl;       /* NAN: unknown */
	UT_hash_handle hh;
};

struct charts {
	struct perfetto *perfetto;
	struct series *series; /* by name */
	uint64_t root, signals;
};

static struct charts *charts_new(struct perfetto *perfetto)
{
	struct charts *charts = NEW(struct charts);

	charts->perfetto = perfetto;
	return charts;
}

static void charts_free(struct charts *charts)
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
	char *chart = display_field(fields, "chart"), *key = display_field(fields, "key");
	char *name = label_chart(perfetto->model->site, chart, key), *whole;

	free(chart);
	free(key);
	if (!perfetto->model->site->is_of_several)
		return name;
	whole = memory_format("%s on %s", name, perfetto->model->site->host);
	free(name);
	return whole;
}

/* NULL: there are too many. */
static struct series *series_of(struct charts *charts, const struct fields *fields)
{
	char *name = series_name(charts->perfetto, fields);
	struct series *series;

	HASH_FIND_STR(charts->series, name, series);
	if (series || HASH_COUNT(charts->series) >= SERIES_MAX) {
		if (!series)
			export_leave_out(charts->perfetto->packets.export, "there are too many charts and keys");
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
		charts->root = packet_track(&perfetto->packets, packet_root(&perfetto->packets), "control charts", RANK_CHARTS);
	if (!series->group)
		series->group = packet_track(&perfetto->packets, charts->root, series->name, RANK_IN_TURN);
	return packet_counter(&perfetto->packets, series->group, name, series->unit);
}

static int count(struct charts *charts, struct series *series, uint64_t *track, const char *name, int64_t ts,
		 double value)
{
	struct bytes *file = &charts->perfetto->packets.file;
	size_t mark;

	if (isnan(value))
		return 0;
	if (!*track)
		*track = new_track(charts, series, name);
	mark = packet_event(&charts->perfetto->packets, *track, ts, EVENT_COUNTER, NULL);
	value *= series->unit == UNIT_SECONDS ? 1e9 : series->unit == UNIT_SHARE ? 100 : 1;
	if (series->unit == UNIT_SECONDS && fabs(value) < 1e18)
		proto_signed(file, EVENT_VALUE, (int64_t)llround(value));
	else
		proto_double(file, EVENT_DOUBLE_VALUE, value);
	return packet_event_end(&charts->perfetto->packets, mark);
}

static int count_limits(struct charts *charts, struct series *series, int64_t ts)
{
	if (count(charts, series, &series->center, "center", ts, series->last_center) < 0)
		return -1;
	return count(charts, series, &series->ucl, "upper limit", ts, series->last_ucl);
}

/* Writes a value of the series; with the first value, also the limits that are known. */
static int count_value(struct charts *charts, struct series *series, enum unit unit, int64_t ts, double value)
{
	bool first = !series->value;

	if (first)
		series->unit = unit;
	if (count(charts, series, &series->value, "value", ts, value) < 0)
		return -1;
	return first ? count_limits(charts, series, ts) : 0;
}

static int charts_sample(struct charts *charts, const struct fields *fields)
{
	struct series *series;
	int64_t ts, start;
	double value = NAN;
	int has_ts = time_read(fields, "ts", &ts), has_start = time_read(fields, "start", &start);

	if (has_ts < 0 || has_start < 0 || fields_double(fields, "value", &value) < 0)
		return -1;
	if (!has_ts || !packet_has_place(&charts->perfetto->packets, ts) || !(series = series_of(charts, fields)))
		return 0;
	return count_value(charts, series, unit_read(fields, has_start), ts, value);
}

static int charts_limits(struct charts *charts, const struct fields *fields)
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
	/* Before the first value, the series' unit is unknown. */
	return series->value && ts >= 0 ? count_limits(charts, series, ts) : 0;
}

/* Signals overlap, so each gets a track of its own. */
static int export_signal(struct charts *charts, const struct signal *signal)
{
	struct perfetto *perfetto = charts->perfetto;
	char *words = signal_words(perfetto->model->site, signal);
	char *limits = value_limits(signal->unit, signal->center, signal_limit(signal));
	uint64_t track;
	size_t mark;
	int status;

	if (!charts->signals)
		charts->signals = packet_track(&perfetto->packets, packet_root(&perfetto->packets), "abnormal values", RANK_LAST);
	track = packet_track(&perfetto->packets, charts->signals, signal->chart, RANK_IN_TURN);
	mark = packet_event(&perfetto->packets, track, signal->start, EVENT_BEGIN, words);
	packet_note(&perfetto->packets, "signal", signal->id);
	packet_note(&perfetto->packets, "limits", limits ? limits : "");
	packet_note(&perfetto->packets, "rules", signal->rules);
	for (size_t i = 0; i < signal->shown.count; i++)
		packet_note(&perfetto->packets, signal->shown.items[i].key, signal->shown.items[i].value);
	status = packet_event_end(&perfetto->packets, mark) < 0 ? -1 : packet_slice_end(&perfetto->packets, track, signal->ts);
	free(words);
	free(limits);
	return status;
}

/* Exports a signal; also counts its value, unless the signal is a changed level. */
static int charts_signal(struct charts *charts, const struct fields *fields)
{
	struct signal *signal = signal_read(charts->perfetto->model->site, fields);
	struct series *series;
	int status = 0;

	if (!signal)
		return -1;
	if (packet_has_place(&charts->perfetto->packets, signal->start)) {
		series = signal->shift ? NULL : series_of(charts, fields);
		if (series)
			status = count_value(charts, series, signal->unit, signal->ts, signal->value);
		if (status == 0)
			status = export_signal(charts, signal);
	}
	signal_free(signal);
	return status;
}

/* A moment with its paths and who is to blame. */

/* A row of a path: the track of a thread or device on the path. */
struct row {
	char *name;
	uint64_t track;
	UT_hash_handle hh;
};

static uint64_t row_track(struct perfetto *perfetto, struct row **rows, uint64_t parent, const char *name)
{
	struct row *row;

	HASH_FIND_STR(*rows, name, row);
	if (!row) {
		row = NEW(struct row);
		row->name = memory_text(name, strlen(name));
		row->track = packet_track(&perfetto->packets, parent, *name ? name : "unknown", RANK_IN_TURN);
		HASH_ADD_KEYPTR(hh, *rows, row->name, strlen(row->name), row);
	}
	return row->track;
}

static void free_rows(struct row *rows)
{
	struct row *row, *next;

	HASH_ITER(hh, rows, row, next)
	{
		HASH_DEL(rows, row);
		free(row->name);
		free(row);
	}
}

/* An arrow leads from each piece of the path to the next, which it made wait. */
static int export_path(struct perfetto *perfetto, const struct story *story, uint64_t parent)
{
	struct row *rows = NULL;
	int status = 0;

	for (size_t i = 0; i < story->pieces.count && status == 0; i++) {
		const struct story_piece *piece = &story->pieces.items[i];
		uint64_t track;
		size_t mark;

		if (piece->from < 0 || piece->to < piece->from)
			continue;
		track = row_track(perfetto, &rows, parent, piece->row);
		mark = packet_event(&perfetto->packets, track, piece->from, EVENT_BEGIN, piece->part->words);
		packet_note(&perfetto->packets, "meanwhile", piece->part->meanwhile ? piece->part->meanwhile : "");
		if (i > 0)
			packet_flow(&perfetto->packets, perfetto->flows, true);
		if (i + 1 < story->pieces.count)
			packet_flow(&perfetto->packets, ++perfetto->flows, false);
		status = packet_event_end(&perfetto->packets, mark) < 0 ? -1 : packet_slice_end(&perfetto->packets, track, piece->to);
	}
	free_rows(rows);
	return status;
}

/* "13 %, 137 ms: crowd: read of loop0 in service". */
static char *verdict(const struct culprit *culprit)
{
	char *score = culprit_score(culprit), *share, *words;

	if (isnan(culprit->share) || culprit->timeless) {
		words = memory_format("%s: %s", score, culprit->fuller);
	} else {
		share = value_words(UNIT_SHARE, culprit->share);
		words = memory_format("%s, %s: %s", share, score, culprit->fuller);
		free(share);
	}
	free(score);
	return words;
}

static int export_culprit(struct perfetto *perfetto, const struct story *story, const struct culprit *culprit,
			  uint64_t parent)
{
	char *name = memory_format("blame %u. %s", (unsigned)culprit->rank, culprit->fuller);
	char *words = verdict(culprit);
	uint64_t track = packet_track(&perfetto->packets, parent, name, RANK_IN_TURN);
	size_t mark = packet_event(&perfetto->packets, track, story->from, EVENT_BEGIN, words);
	int status;

	packet_note_number(&perfetto->packets, "score, seconds", culprit->score);
	packet_note_number(&perfetto->packets, "share", culprit->share);
	packet_note_number(&perfetto->packets, "instances", (double)culprit->instances);
	packet_note(&perfetto->packets, "on the path", culprit->on_path ? "yes" : "no");
	packet_note(&perfetto->packets, "algorithm", culprit->algorithm);
	status = packet_event_end(&perfetto->packets, mark) < 0 ? -1 : packet_slice_end(&perfetto->packets, track, story->to);
	free(name);
	free(words);
	return status;
}

/* A track for the whole story; below it tracks for its path and its culprits. */
static int export_story(struct perfetto *perfetto, const struct story *story)
{
	char *words = story_words(perfetto->model->site, story);
	char *name = memory_format("%u. %s", ++perfetto->stories, words);
	uint64_t track = packet_track(&perfetto->packets, packet_root(&perfetto->packets), name, RANK_IN_TURN);
	bool timed = story->from >= 0 && story->to >= story->from;
	int status = 0;

	if (timed) {
		status = packet_event_end(&perfetto->packets,
					  packet_event(&perfetto->packets, track, story->from, EVENT_BEGIN, words));
		if (status == 0)
			status = packet_slice_end(&perfetto->packets, track, story->to);
	}
	if (status == 0)
		status = export_path(perfetto, story, track);
	for (size_t i = 0; timed && status == 0 && i < story->culprits.count; i++)
		status = export_culprit(perfetto, story, &story->culprits.items[i], track);
	free(name);
	free(words);
	return status;
}

/* A moment stands on the root track, which is visible before the user unfolds anything. If it overlaps another, it gets a track of its own. */
static int export_window(struct perfetto *perfetto, const struct moment *moment)
{
	char *words = moment_words(perfetto->model->site, moment), *gap = moment_gap(moment);
	uint64_t track = packet_root(&perfetto->packets);
	size_t mark;
	int status;

	if (moment->from < perfetto->told_until)
		track = packet_track(&perfetto->packets, 0, ROOT_NAME, RANK_IN_TURN);
	else
		perfetto->told_until = moment->to;
	mark = packet_event(&perfetto->packets, track, moment->from, EVENT_BEGIN, words);
	packet_note(&perfetto->packets, "window", moment->window ? moment->window : "");
	packet_note_number(&perfetto->packets, "signals", (double)moment->signals);
	packet_note(&perfetto->packets, "complete", gap ? gap : "yes");
	status = packet_event_end(&perfetto->packets, mark) < 0 ? -1 : packet_slice_end(&perfetto->packets, track, moment->to);
	free(words);
	free(gap);
	return status;
}

static int moment_export(struct perfetto *perfetto, const struct moment *moment)
{
	if (moment->to >= moment->from && packet_has_place(&perfetto->packets, moment->from) && export_window(perfetto, moment) < 0)
		return -1;
	for (size_t i = 0; i < moment->stories.count; i++)
		if (export_story(perfetto, moment->stories.items[i]) < 0)
			return -1;
	return 0;
}

/* The records of the stream. */

enum {
	PACKET_PROCESS_TREE = 2,
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_SYSTEM_INFO = 45,
};
enum {
	SNAPSHOT_CLOCK = 1,
	CLOCK_ID = 1,
	CLOCK_TIME = 2,
	CLOCK_IS_REALTIME = 1,
	CLOCK_IS_BOOTTIME = 6
};                                          /* clock_snapshot.proto */
enum { TREE_PROCESS = 1, TREE_THREAD = 2 }; /* ps/process_tree.proto */
enum { PROCESS_PID = 1, PROCESS_CMDLINE = 3 };
enum { THREAD_TID = 1, THREAD_NAME_FIELD = 2, THREAD_TGID = 3 };
enum {
	INFO_UTSNAME = 1,
	UTS_SYSNAME = 1,
	UTS_VERSION = 2,
	UTS_RELEASE = 3,
	UTS_MACHINE = 4
}; /* common/system_info.proto */

/* Fails with the place of the record in the stream, unless the output has failed. Returns -1. */
static int wrong(struct perfetto *perfetto)
{
	if (ferror(perfetto->packets.export->out)) /* the output failed, not the record */
		return -1;
	return stream_fail(perfetto->packets.export->stream, "%s", fail_text());
}

static void add_text(struct bytes *file, uint32_t field, const char *text)
{
	if (*text)
		proto_text(file, field, text);
}

/* Begins a packet of this host. */
static void begin_of(const struct machine *machine, int64_t ts)
{
	machine->perfetto->packets.machine = machine->number;
	packet_begin(&machine->perfetto->packets, ts);
	machine->perfetto->packets.machine = 0;
}

/*
 * Writes the kernel's release, because the numbers of thread states changed over the years. If the stream names no release, its numbers are taken
 * for the newer ones.
 */
static int tell_system(struct machine *of, const char *kernel, const char *machine)
{
	struct perfetto *perfetto = of->perfetto;
	struct bytes *file = &perfetto->packets.file;
	size_t info, uts;

	of->has_system = true;
	begin_of(of, TS_NONE);
	info = proto_begin(file, PACKET_SYSTEM_INFO);
	uts = proto_begin(file, INFO_UTSNAME);
	proto_text(file, UTS_SYSNAME, "Linux");
	proto_text(file, UTS_VERSION, "");
	proto_text(file, UTS_RELEASE, *kernel ? kernel : "4.14.0 or later");
	add_text(file, UTS_MACHINE, machine);
	proto_end(file, uts);
	proto_end(file, info);
	return packet_end(&perfetto->packets);
}

static int stream_seen(void *context, const struct record *record)
{
	struct machine *of = context;
	const struct fields *fields = stream_fields(of->perfetto->packets.export->stream, record);
	char *kernel, *machine;
	int status;

	if (!fields)
		return -1;
	of->dated = false;
	kernel_gap(of->kernel, TS_NONE);
	kernel = display_field(fields, "kernel");
	machine = display_field(fields, "machine");
	status = tell_system(of, kernel, machine);
	free(kernel);
	free(machine);
	return status;
}

static void add_clock(struct bytes *file, uint64_t id, int64_t time)
{
	size_t mark = proto_begin(file, SNAPSHOT_CLOCK);

	proto_unsigned(file, CLOCK_ID, id);
	proto_unsigned(file, CLOCK_TIME, (uint64_t)time);
	proto_end(file, mark);
}

/* Writes both clocks' times at the first event, so that the viewer can show the wall clock. */
static int tell_date(struct machine *machine, int64_t ts)
{
	struct perfetto *perfetto = machine->perfetto;
	int64_t wall = perfetto->model->site->clock.wall;
	size_t mark;

	machine->dated = true;
	if (!perfetto->model->site->clock.has_wall || ts < 0 || wall < 0)
		return 0;
	begin_of(machine, ts);
	mark = proto_begin(&perfetto->packets.file, PACKET_CLOCK_SNAPSHOT);
	add_clock(&perfetto->packets.file, CLOCK_IS_BOOTTIME, ts);
	add_clock(&perfetto->packets.file, CLOCK_IS_REALTIME, time_sum(ts, wall));
	proto_end(&perfetto->packets.file, mark);
	return packet_end(&perfetto->packets);
}

static void add_process(struct bytes *file, int64_t pid, const char *comm)
{
	size_t mark = proto_begin(file, TREE_PROCESS);

	proto_signed(file, PROCESS_PID, pid);
	proto_text(file, PROCESS_CMDLINE, comm);
	proto_end(file, mark);
}

static void add_thread(struct bytes *file, int64_t tid, int64_t tgid, const char *comm)
{
	size_t mark = proto_begin(file, TREE_THREAD);

	proto_signed(file, THREAD_TID, tid);
	proto_text(file, THREAD_NAME_FIELD, comm);
	proto_signed(file, THREAD_TGID, tgid);
	proto_end(file, mark);
}

/* Writes which process a thread belongs to. Without a process, the record tells only a name, which the scheduler's events tell too. */
static int task_seen(void *context, const struct record *record)
{
	const struct machine *machine = context;
	struct perfetto *perfetto = machine->perfetto;
	const struct fields *fields = stream_fields(perfetto->packets.export->stream, record);
	int64_t ts = 0, tid = 0, tgid = 0;
	char comm[16] = "", *program;
	size_t mark;

	if (!fields)
		return -1;
	if (time_read(fields, "ts", &ts) < 0 || fields_integer(fields, "tid", &tid) < 0 ||
	    fields_integer(fields, "tgid", &tgid) < 0)
		return wrong(perfetto);
	if (tgid <= 0 || tgid > INT32_MAX || ts < 0)
		return 0;
	fields_text(fields, "comm", comm, sizeof(comm));
	begin_of(machine, ts);
	mark = proto_begin(&perfetto->packets.file, PACKET_PROCESS_TREE);
	program = display_field(fields, "program");
	if (tid == tgid || *program)
		add_process(&perfetto->packets.file, tgid, *program ? program : comm);
	free(program);
	if (tid != tgid)
		add_thread(&perfetto->packets.file, tid, tgid, comm);
	proto_end(&perfetto->packets.file, mark);
	return packet_end(&perfetto->packets);
}

static int event_seen(void *context, const struct record *record)
{
	struct machine *machine = context;
	struct event event;

	if (events_read(machine->perfetto->model->site->events, record, &event) < 0 ||
	    (!machine->has_system && tell_system(machine, "", "") < 0) ||
	    (!machine->dated && tell_date(machine, event.ts) < 0))
		return -1;
	if (kernel_event(machine->kernel, &event) == 0 && call_slices_event(machine->calls, &event) == 0)
		return 0;
	return wrong(machine->perfetto);
}

static int chart_seen(void *context, const struct record *record)
{
	const struct machine *machine = context;
	const struct fields *fields = stream_fields(machine->perfetto->packets.export->stream, record);

	return fields ? call_slices_chart(machine->calls, fields) : -1;
}

/* Gaps of different CPUs overlap, so each gets a track of its own. */
static int export_gap(struct perfetto *perfetto, int64_t from, int64_t ts, const char *name)
{
	uint64_t track;

	if (!perfetto->lost)
		perfetto->lost = packet_track(&perfetto->packets, packet_root(&perfetto->packets), "lost events", RANK_FIRST);
	if (from < 0 || from > ts)
		return packet_event_end(&perfetto->packets,
					packet_event(&perfetto->packets, perfetto->lost, ts, EVENT_INSTANT, name));
	track = packet_track(&perfetto->packets, perfetto->packets.root, "lost events", RANK_FIRST);
	if (packet_event_end(&perfetto->packets, packet_event(&perfetto->packets, track, from, EVENT_BEGIN, name)) < 0)
		return -1;
	return packet_slice_end(&perfetto->packets, track, ts);
}

static int lost_seen(void *context, const struct record *record)
{
	const struct machine *machine = context;
	struct perfetto *perfetto = machine->perfetto;
	const struct fields *fields = stream_fields(perfetto->packets.export->stream, record);
	int64_t ts = 0, from = TS_NONE;
	uint64_t cpu = 0, count = 0;
	char name[96] = "the stream is damaged: unknown events lost";
	int has_ts;

	if (!fields)
		return -1;
	has_ts = time_read(fields, "ts", &ts);
	if (has_ts < 0 || time_read(fields, "from", &from) < 0 ||
	    fields_unsigned(fields, "cpu", &cpu) < 0 || fields_unsigned(fields, "count", &count) < 0)
		return wrong(perfetto);
	if (!record_tells_damage(record))
		snprintf(name, sizeof(name), "%" PRIu64 " events of CPU %" PRIu64 " lost", count, cpu);
	if ((cpu <= UINT16_MAX && kernel_lost(machine->kernel, (uint32_t)cpu) < 0) || call_slices_cut(machine->calls) < 0)
		return -1;
	return has_ts && packet_has_place(&perfetto->packets, ts) ? export_gap(perfetto, from, ts, name) : 0;
}

/* Gives the fields of a record to the control charts. */
static int chart_record(const struct machine *machine, const struct record *record,
			int (*take)(struct charts *charts, const struct fields *fields))
{
	struct perfetto *perfetto = machine->perfetto;
	const struct fields *fields = stream_fields(perfetto->packets.export->stream, record);

	if (!fields)
		return -1;
	if (take(perfetto->charts, fields) == 0)
		return 0;
	return wrong(perfetto);
}

/* Between windows no events were kept. */
static int window_seen(void *context, const struct record *record)
{
	const struct machine *machine = context;
	struct perfetto *perfetto = machine->perfetto;
	const struct fields *fields = stream_fields(perfetto->packets.export->stream, record);
	int64_t to = TS_NONE;

	if (!fields)
		return -1;
	if (time_read(fields, "to", &to) < 0)
		return wrong(perfetto);
	kernel_gap(machine->kernel, to);
	return call_slices_cut(machine->calls);
}

static int sample_seen(void *context, const struct record *record)
{
	return chart_record(context, record, charts_sample);
}

static int limits_seen(void *context, const struct record *record)
{
	return chart_record(context, record, charts_limits);
}

static int signal_seen(void *context, const struct record *record)
{
	return chart_record(context, record, charts_signal);
}

static int line_record(const struct machine *machine, const struct record *record,
		       int (*take)(struct time_lines *lines, const struct fields *fields))
{
	const struct fields *fields = stream_fields(machine->perfetto->packets.export->stream, record);

	if (!fields)
		return -1;
	return take(machine->perfetto->lines, fields) < 0 ? wrong(machine->perfetto) : 0;
}

static int state_seen(void *context, const struct record *record)
{
	return line_record(context, record, time_lines_state);
}

static int span_seen(void *context, const struct record *record)
{
	return line_record(context, record, time_lines_span);
}

static int graph_seen(void *context, const struct record *record)
{
	const struct machine *machine = context;

	(void)record;
	time_lines_tree_over(machine->perfetto->lines);
	return 0;
}

static int moment_told(void *context, const struct moment *moment)
{
	return moment_export(((struct export *)context)->state, moment);
}

/* Adds a host. Its handlers are attached to the stream, beside those of the model for this host. */
static void add_machine(struct perfetto *perfetto)
{
	struct stream *stream = perfetto->packets.export->stream;
	struct machine *machine = NEW(struct machine);

	machine->perfetto = perfetto;
	machine->number = (uint32_t)perfetto->machines.count;
	machine->kernel = kernel_new(&perfetto->packets, perfetto->model->site->events, machine->number);
	machine->calls = call_slices_new(&perfetto->packets, perfetto->model->site->events, machine->number);
	*ARRAY_ADD(&perfetto->machines) = machine;
	stream_watch(stream, KIND_STREAM, stream_seen, machine);
	stream_watch(stream, KIND_TASK, task_seen, machine);
	stream_watch(stream, KIND_CHART, chart_seen, machine);
	stream_watch(stream, KIND_EVENT, event_seen, machine);
	stream_watch(stream, KIND_LOST, lost_seen, machine);
	stream_watch(stream, KIND_WINDOW, window_seen, machine);
	stream_watch(stream, KIND_SAMPLE, sample_seen, machine);
	stream_watch(stream, KIND_LIMITS, limits_seen, machine);
	stream_watch(stream, KIND_SIGNAL, signal_seen, machine);
	stream_watch(stream, KIND_STATE, state_seen, machine);
	stream_watch(stream, KIND_SPAN, span_seen, machine);
	stream_watch(stream, KIND_GRAPH, graph_seen, machine);
}

static void *another_host(void *context)
{
	struct model *model = context;
	const struct export *export = model->context;
	struct perfetto *perfetto = export->state;

	if (!perfetto->another(model))
		return NULL;
	add_machine(perfetto);
	return model;
}

static int begin(struct export *export, struct handlers *handlers)
{
	struct perfetto *perfetto = NEW(struct perfetto);

	perfetto->packets.export = export;
	perfetto->told_until = TS_NONE;
	perfetto->model = model_new(export->stream, moment_told, export);
	perfetto->charts = charts_new(perfetto);
	perfetto->lines = time_lines_new(&perfetto->packets);
	export->state = perfetto;
	export->context = perfetto->model;
	*handlers = *model_handlers(perfetto->model);
	perfetto->another = handlers->host;
	handlers->host = another_host;
	add_machine(perfetto);
	return 0;
}

static int end(struct export *export)
{
	const struct perfetto *perfetto = export->state;
	int status = time_lines_end(perfetto->lines);

	for (size_t i = 0; i < perfetto->machines.count && status == 0; i++) {
		status = call_slices_cut(perfetto->machines.items[i]->calls);
		if (status == 0)
			status = kernel_flush(perfetto->machines.items[i]->kernel);
	}
	return status;
}

static void free_state(struct export *export)
{
	struct perfetto *perfetto = export->state;

	for (size_t i = 0; i < perfetto->machines.count; i++) {
		kernel_free(perfetto->machines.items[i]->kernel);
		call_slices_free(perfetto->machines.items[i]->calls);
		free(perfetto->machines.items[i]);
	}
	free(perfetto->machines.items);
	charts_free(perfetto->charts);
	time_lines_free(perfetto->lines);
	model_free(perfetto->model);
	bytes_free(&perfetto->packets.file);
	free(perfetto);
}

const struct export_format export_perfetto = {
	.name = "perfetto", .binary = true, .begin = begin, .end = end, .free = free_state};
