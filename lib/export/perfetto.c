/* A native trace of the Perfetto viewer: what ftrace gave, and what tailblame found, as tracks, counters and arrows. */
#include "export/perfetto.h"
#include "report/fit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

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

/* What a record gives where it stands in the stream; the rest is told when its moment is complete. */
static int wrong(struct perfetto *perfetto)
{
	if (ferror(perfetto->export->out)) /* no record is to blame */
		return -1;
	return stream_fail(perfetto->export->stream, "%s", fail_text());
}

static void add_text(struct bytes *file, uint32_t field, const char *text)
{
	if (*text)
		proto_text(file, field, text);
}

/* The kernel's release, for the numbers of thread states changed over the years; ours are the newer where none is told. */
static int tell_system(struct perfetto *perfetto, const char *kernel, const char *machine)
{
	struct bytes *file = &perfetto->file;
	size_t info, uts;

	perfetto->has_system = true;
	packet_begin(perfetto, TS_NONE);
	info = proto_begin(file, PACKET_SYSTEM_INFO);
	uts = proto_begin(file, INFO_UTSNAME);
	proto_text(file, UTS_SYSNAME, "Linux");
	proto_text(file, UTS_VERSION, "");
	proto_text(file, UTS_RELEASE, *kernel ? kernel : "4.14.0 or later");
	add_text(file, UTS_MACHINE, machine);
	proto_end(file, uts);
	proto_end(file, info);
	return packet_end(perfetto);
}

static int stream_seen(void *context, const struct record *record)
{
	struct perfetto *perfetto = context;
	const struct fields *fields = stream_fields(perfetto->export->stream, record);
	char *kernel, *machine;
	int status;

	if (!fields)
		return -1;
	perfetto->dated = false;
	kernel_gap(perfetto->kernel, TS_NONE);
	kernel = fit_field(fields, "kernel");
	machine = fit_field(fields, "machine");
	status = tell_system(perfetto, kernel, machine);
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

/* Both clocks at the first event: the viewer then knows the hour. */
static int tell_date(struct perfetto *perfetto, int64_t ts)
{
	int64_t wall = perfetto->model->site->clock.wall;
	size_t mark;

	perfetto->dated = true;
	if (!perfetto->model->site->clock.has_wall || ts < 0 || wall < 0)
		return 0;
	packet_begin(perfetto, ts);
	mark = proto_begin(&perfetto->file, PACKET_CLOCK_SNAPSHOT);
	add_clock(&perfetto->file, CLOCK_IS_BOOTTIME, ts);
	add_clock(&perfetto->file, CLOCK_IS_REALTIME, time_sum(ts, wall));
	proto_end(&perfetto->file, mark);
	return packet_end(perfetto);
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

/* Which process a thread belongs to; its name alone the scheduler's events tell too. */
static int task_seen(void *context, const struct record *record)
{
	struct perfetto *perfetto = context;
	const struct fields *fields = stream_fields(perfetto->export->stream, record);
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
	packet_begin(perfetto, ts);
	mark = proto_begin(&perfetto->file, PACKET_PROCESS_TREE);
	program = fit_field(fields, "program");
	if (tid == tgid || *program)
		add_process(&perfetto->file, tgid, *program ? program : comm);
	free(program);
	if (tid != tgid)
		add_thread(&perfetto->file, tid, tgid, comm);
	proto_end(&perfetto->file, mark);
	return packet_end(perfetto);
}

static int event_seen(void *context, const struct record *record)
{
	struct perfetto *perfetto = context;
	struct event event;

	if (events_read(perfetto->model->site->events, record, &event) < 0 ||
	    (!perfetto->has_system && tell_system(perfetto, "", "") < 0) ||
	    (!perfetto->dated && tell_date(perfetto, event.ts) < 0))
		return -1;
	if (kernel_event(perfetto->kernel, &event) == 0)
		return 0;
	return wrong(perfetto);
}

/* Gaps of different CPUs overlap, so each has a track. */
static int export_gap(struct perfetto *perfetto, int64_t from, int64_t ts, const char *name)
{
	uint64_t track;

	if (!perfetto->lost)
		perfetto->lost = packet_track(perfetto, packet_root(perfetto), "lost events", RANK_FIRST);
	if (from < 0 || from > ts)
		return packet_event_end(perfetto,
					packet_event(perfetto, perfetto->lost, ts, EVENT_INSTANT, name));
	track = packet_track(perfetto, perfetto->root, "lost events", RANK_FIRST);
	if (packet_event_end(perfetto, packet_event(perfetto, track, from, EVENT_BEGIN, name)) < 0)
		return -1;
	return packet_slice_end(perfetto, track, ts);
}

static int lost_seen(void *context, const struct record *record)
{
	struct perfetto *perfetto = context;
	const struct fields *fields = stream_fields(perfetto->export->stream, record);
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
	if (cpu <= UINT16_MAX && kernel_lost(perfetto->kernel, (uint32_t)cpu) < 0)
		return -1;
	return has_ts && packet_has_place(perfetto, ts) ? export_gap(perfetto, from, ts, name) : 0;
}

/* Control charts: what is done with a kind's fields. */
static int chart_record(struct perfetto *perfetto, const struct record *record,
			int (*take)(struct charts *charts, const struct fields *fields))
{
	const struct fields *fields = stream_fields(perfetto->export->stream, record);

	if (!fields)
		return -1;
	if (take(perfetto->charts, fields) == 0)
		return 0;
	return wrong(perfetto);
}

/* Between windows nothing was kept. */
static int window_seen(void *context, const struct record *record)
{
	struct perfetto *perfetto = context;
	const struct fields *fields = stream_fields(perfetto->export->stream, record);
	int64_t to = TS_NONE;

	if (!fields)
		return -1;
	if (time_read(fields, "to", &to) < 0)
		return wrong(perfetto);
	kernel_gap(perfetto->kernel, to);
	return 0;
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

static int moment_told(void *context, const struct moment *moment)
{
	return moment_export(((struct export *)context)->state, moment);
}

static int begin(struct export *export, struct handlers *handlers)
{
	struct perfetto *perfetto = NEW(struct perfetto);

	perfetto->export = export;
	perfetto->told_until = TS_NONE;
	perfetto->model = model_new(export->stream, moment_told, export);
	perfetto->kernel = kernel_new(perfetto);
	perfetto->charts = charts_new(perfetto);
	export->state = perfetto;
	export->context = perfetto->model;
	*handlers = *model_handlers(perfetto->model);
	stream_watch(export->stream, KIND_STREAM, stream_seen, perfetto);
	stream_watch(export->stream, KIND_TASK, task_seen, perfetto);
	stream_watch(export->stream, KIND_EVENT, event_seen, perfetto);
	stream_watch(export->stream, KIND_LOST, lost_seen, perfetto);
	stream_watch(export->stream, KIND_WINDOW, window_seen, perfetto);
	stream_watch(export->stream, KIND_SAMPLE, sample_seen, perfetto);
	stream_watch(export->stream, KIND_LIMITS, limits_seen, perfetto);
	stream_watch(export->stream, KIND_SIGNAL, signal_seen, perfetto);
	return 0;
}

static int end(struct export *export)
{
	return kernel_flush(((struct perfetto *)export->state)->kernel);
}

static void free_state(struct export *export)
{
	struct perfetto *perfetto = export->state;

	kernel_free(perfetto->kernel);
	charts_free(perfetto->charts);
	model_free(perfetto->model);
	bytes_free(&perfetto->file);
	free(perfetto);
}

const struct export_format export_perfetto = {
	.name = "perfetto", .binary = true, .begin = begin, .end = end, .free = free_state};
