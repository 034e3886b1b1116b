#include "source/collector.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <tracefs.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/now.h"
#include "base/number.h"
#include "base/open_files.h"
#include "event/predicate.h"
#include "program/helpers.h"
#include "program/stacks.h"
#include "source/clock.h"
#include "source/devices.h"
#include "source/event_writer.h"
#include "source/exceptions.h"
#include "source/execs.h"
#include "source/follow.h"
#include "source/gate.h"
#include "source/guardian.h"
#include "source/instance.h"
#include "source/interference.h"
#include "source/interpreters.h"
#include "source/locks.h"
#include "source/markers.h"
#include "source/merge.h"
#include "source/process.h"
#include "source/program_reader.h"
#include "source/quotas.h"
#include "source/recorder.h"
#include "source/stages.h"
#include "source/swapped.h"
#include "source/stop.h"
#include "source/timers.h"
#include "source/titles.h"

/* Rings hold one second of the busiest load seen, because the reader of the stream may be off the CPU that long. */
enum { BUFFERS = 64 << 20, BUFFER_MIN = 4 << 20 };

enum {
	PERIOD_MS = 50,		    /* between rounds; an event waits for the next, or the one after if it comes right before */
	RUSH_MS = 5,		    /* the shortest pause between rounds that full rings ask for */
	WORTHWHILE = 256,	    /* if a round wrote fewer events, rings ask too often */
	PRIORITY = -20,
	INTERRUPT_GRACE_MS = 1000,  /* for the command to end, which gets a Ctrl-C as well */
	CALL_MS = 200,		    /* for a cchart-filter to call; one that calls later gets all events until then */
};

/* A reader cannot see an event while it is being written, but already sees later events of other CPUs. */
#define SLACK (5 * NSEC_PER_SEC / 1000)

/* A preload holds a marker back for at most 20 ms. If its program keeps the CPU for itself, it sends markers at once. */
#define SLACK_MARKERS (50 * NSEC_PER_SEC / 1000)

struct collector {
	struct selection *selection;
	struct child *child;	/* NULL: no command */
	struct process process; /* the threads whose events are wanted; processes chosen by name become members when tracing begins */
	struct follow follow;
	struct collector_parts parts;
	struct gate *gate; /* NULL: none */
	struct tracefs_instance *instance;
	int hold, keeper_hold; /* open files that keep the instances from being removed (source/instance.h) */
	struct tracefs_instance *keeper; /* has the events that may stay in the kernel; NULL: none do */
	int pipe; /* with a keeper: the same as output */
	int output; /* descriptor that the stream goes to */
	uint64_t buffer;
	struct guardian guardian;
	struct trace_clock clock;
	int64_t wall; /* clock_wall() as the `stream` record has it */
	struct merge merge;
	int streamed; /* number of rings of `instance`, which come first in `merge` */
	struct recorder recorder;
	bool recording; /* the recorder has taken over the keeper's rings */
	struct stream *stream;
	struct event_writer_setup setup;
	struct event_writer *writer; /* from collector_run() on */
	struct program_reader *reader;   /* these three: NULL if the stream does not get the programs of processes, or cannot */
	struct execs *execs;
	struct titles *titles;
	struct stacks *stacks; /* NULL: none are wanted */
	struct sampler_wanted sampled; /* what `stacks` samples */
	int calls_seen; /* number of call events that have stacks */
	struct devices devices;
	struct quotas quotas;
	struct swapped swapped;
	struct stages stages;
	struct pollfd *polled;
	int polled_count;
	bool asked; /* one of `polled` asked for the last round, before its time */
	int32_t self;
	bool foreign; /* in a PID namespace of its own: /proc has other numbers than events */
	int bell;
	bool looked_at_probes;
	collector_say *say;
	const struct collection *collection; /* from collector_run() on */
	struct interference interference;
	bool block;	      /* block events are on */
	bool locks;	      /* events of tries to lock files are on */
	bool switches;	      /* sched_switch is on */
	bool timers;	      /* timer events are on; the stream gets the names of their functions */
	int64_t last_written; /* time of the last write to the stream, by the trace clock */
};

struct collector *collector_new(void)
{
	struct collector *collector = NEW(struct collector);

	*collector = (struct collector){.guardian.pid = -1, .hold = -1, .keeper_hold = -1, .bell = -1, .clock.stats = -1,
					.recorder = {.listening = -1, .call = -1}};
	collector->selection = selection_new();
	return collector;
}

struct selection *collector_selection(struct collector *collector)
{
	return collector->selection;
}

struct tracefs_instance *collector_instance(const struct collector *collector)
{
	return collector->instance;
}

void collector_own(struct collector *collector, const struct collector_parts *parts)
{
	collector->parts = *parts;
}

int collector_fork(struct collector *collector, struct child *child, char *const *argv, bool to_stderr)
{
	collector->child = child;
	return child_fork(child, argv, collector->guardian.pipe, to_stderr);
}

static uint64_t default_size(void)
{
	uint64_t size = BUFFERS / (uint64_t)sysconf(_SC_NPROCESSORS_CONF);

	return size > BUFFER_MIN ? size : BUFFER_MIN;
}

int collector_open(struct collector *collector, const char *clock, uint64_t buffer)
{
	open_files_raise(); /* each ring has two; with stacks, mapped files stay open until a stack needs them */
	collector->buffer = buffer == COLLECTOR_BUFFER_DEFAULT ? default_size() : buffer;
	if (!instance_tracefs() || instance_allowed() < 0)
		return -1;
	collector->bell = stop_watch();
	if (collector->bell < 0)
		return -1;
	instance_remove_stale();
	if (guardian_start(&collector->guardian) < 0)
		return -1;
	collector->instance = instance_create(&collector->hold);
	if (!collector->instance)
		return -1;
	collector->foreign = collector->quotas.foreign = instance_space() != 0;
	collector->self = instance_tid(collector->instance);
	if (clock_set(&collector->clock, collector->instance, clock) < 0)
		return -1;
	return instance_size_rings(collector->instance, collector->buffer);
}

int collector_keep(struct collector *collector, int pipe)
{
	collector->pipe = pipe;
	if (!recorder_suits(pipe) || !selection_can_keep(collector->selection))
		return 0;
	collector->keeper = instance_create_keeper(&collector->keeper_hold);
	if (!collector->keeper || instance_write(collector->keeper, "trace_clock", collector->clock.name) < 0)
		return -1;
	return instance_size_rings(collector->keeper, collector->buffer);
}

int collector_add_stacks(struct collector *collector, const struct sampler_wanted *wanted, struct lookup *lookup)
{
	if (collector->foreign)
		return fail("in this PID namespace threads have other numbers than in events");
	if (collector->clock.id != CLOCK_MONOTONIC && collector->clock.id != CLOCK_MONOTONIC_RAW)
		return fail("stacks need the clock mono or mono_raw, not '%s'", collector->clock.name);
	collector->sampled = *wanted;
	collector->sampled.clock = collector->clock.id;
	collector->stacks = stacks_open(&collector->sampled, lookup);
	return collector->stacks ? 0 : -1;
}

static void describe_machine(struct line *line)
{
	struct utsname name;
	char *boot = file_read("/proc/sys/kernel/random/boot_id", NULL);

	uname(&name);
	line_text(line, "host", name.nodename);
	line_text(line, "kernel", name.release);
	line_text(line, "machine", name.machine);
	line_integer(line, "cpus", sysconf(_SC_NPROCESSORS_ONLN));
	if (boot) {
		boot[strcspn(boot, "\n")] = '\0';
		line_text(line, "boot", boot);
	}
	free(boot);
}

static int write_stream_record(struct collector *collector)
{
	struct line line = {0};
	int status;

	line_begin(&line, "stream");
	line_integer(&line, "version", STREAM_VERSION);
	describe_machine(&line);
	line_text(&line, "clock", collector->clock.name);
	collector->wall = clock_wall(&collector->clock);
	line_time(&line, "wall", collector->wall);
	status = stream_write_line(collector->stream, &line);
	line_free(&line);
	return status;
}

static int open_rings(struct collector *collector)
{
	if (merge_open(&collector->merge, collector->instance) < 0)
		return -1;
	collector->streamed = collector->merge.count;
	return collector->keeper ? merge_open(&collector->merge, collector->keeper) : 0;
}

/* The collector applies the filter itself. The stream must have the event's format already. */
static int filter_here(struct collector *collector, struct selected *selected)
{
	struct events *names = collector->setup.names;

	selected->predicate = predicate_new(names, events_type(names, selected->event), selected->filter);
	return selected->predicate ? 0 : fail_prefix("filter of the event '%s'", selected->event);
}

/* Writes the event's format, and notes what else the event needs. */
static int begin_selected(struct collector *collector, struct selected *selected)
{
	if (!selected->enabled)
		return 0;
	if (!(selected->flags & SELECT_QUIET) && event_writer_format(collector->stream, selected, false) < 0)
		return -1;
	if (selected->flags & SELECT_WHOLE && selected->filter && filter_here(collector, selected) < 0)
		return -1;
	if (selected->layout.lock.inode_at && !collector->locks && locks_format(collector->stream) < 0)
		return -1;
	collector->locks |= selected->layout.lock.inode_at != 0;
	collector->block |= strcmp(selected->system, "block") == 0;
	collector->timers |= strncmp(selected->event, "timer:", strlen("timer:")) == 0;
	collector->switches |= selected->layout.is_switch;
	return 0;
}

/* Called before the first return probe is on. Without a gate, only probes_look() turns probes off, a moment later. */
static int start_gate(struct collector *collector)
{
	struct probes *probes = collector->parts.probes;

	if (!probes || !probes_at_risk(probes))
		return 0;
	collector->gate = gate_new();
	if (!collector->gate || probes_gate(probes, collector->gate, collector->instance) == 0)
		return 0;
	return gate_start(collector->gate);
}

/* A sample precedes the event of its call, because the kernel first calls the handler that was added last to a probe. */
static int see_call(struct collector *collector, struct selected *selected)
{
	int length, status;
	char *id = tracefs_event_file_read(NULL, selected->system, selected->sampled, "id", &length);

	if (!id)
		return fail("cannot read the number of the event '%s'", selected->sampled);
	status = stacks_see_calls(collector->stacks, strtoull(id, NULL, 10));
	free(id);
	selected->sample = collector->calls_seen++;
	return status;
}

static int see_calls(struct collector *collector)
{
	struct selected *selected;

	for (size_t i = 0; collector->stacks && (selected = selection_at(collector->selection, i)); i++)
		if (selected->sampled && see_call(collector, selected) < 0)
			return -1;
	return 0;
}

int collector_prepare(struct collector *collector, struct stream *stream, int output, struct events *names)
{
	struct selected *selected;
	uint64_t throws;

	collector->stream = stream;
	collector->output = output;
	collector->setup = (struct event_writer_setup){
		.stream = stream,
		.selection = collector->selection,
		.process = &collector->process,
		.names = names,
		.stacks = collector->stacks,
		.foreign = collector->foreign,
		.exceptions = collector->parts.exceptions,
		.clock = &collector->clock,
		.ticks = true, .gaps = true,
	};
	if (start_gate(collector) < 0)
		return -1;
	if (selection_enable(collector->selection, collector->instance, collector->keeper) < 0 || open_rings(collector) < 0)
		return -1;
	if (write_stream_record(collector) < 0)
		return -1;
	for (size_t i = 0; (selected = selection_at(collector->selection, i)); i++)
		if (begin_selected(collector, selected) < 0)
			return -1;
	if (collector->switches && quotas_look(&collector->quotas, stream, &collector->clock) < 0)
		return -1;
	if (collector->timers && timers_tell(stream) < 0)
		return -1;
	if (collector->stacks && collector->parts.exceptions && exceptions_throws(collector->parts.exceptions, &throws) &&
	    stacks_see_throws(collector->stacks, throws) < 0)
		return -1;
	if (see_calls(collector) < 0)
		return -1;
	return event_writer_sample_formats(stream, &collector->sampled, collector->calls_seen > 0);
}

static int64_t monotonic_ms(void)
{
	return now_by(CLOCK_MONOTONIC) / 1000000;
}

static void make_polled(struct collector *collector)
{
	int rings = collector->merge.count, samplers = 0, n = 0;

	while (collector->stacks && stacks_descriptor(collector->stacks, samplers) >= 0)
		samplers++;
	free(collector->polled);
	collector->polled = memory_new((size_t)(rings + samplers + MARKERS) + 1, sizeof(struct pollfd));
	collector->polled[n++] = (struct pollfd){.fd = collector->bell, .events = POLLIN};
	for (int i = 0; i < rings; i++)
		collector->polled[n++] = (struct pollfd){.fd = collector->merge.rings[i].fd, .events = POLLIN};
	for (int i = 0; i < samplers; i++)
		collector->polled[n++] = (struct pollfd){.fd = stacks_descriptor(collector->stacks, i), .events = POLLIN};
	for (int kind = 0; collector->parts.markers && kind < MARKERS; kind++)
		collector->polled[n++] = (struct pollfd){.fd = markers_descriptor(collector->parts.markers, kind), .events = POLLIN};
	collector->polled_count = n;
}

/* Writes from when on (key `ts`) or until when (`until`) the kernel keeps context. */
static int write_recorder(struct collector *collector, const char *key, int64_t ts)
{
	struct line line = {0};
	int status;

	line_begin(&line, kind_name(KIND_RECORDER));
	line_time(&line, key, ts);
	status = stream_write_line(collector->stream, &line);
	line_free(&line);
	return status;
}

/*
 * If permitted, the kernel reports each program that begins (execs.h): otherwise programs that end soon stay unknown. Its times are of
 * CLOCK_MONOTONIC. This takes some 20 ms of a CPU, so it comes before the priority is raised.
 */
static int load_programs(struct collector *collector)
{
	if (interpreters_load() < 0)
		return -1;
	if (collector->clock.id == CLOCK_MONOTONIC)
		collector->execs = execs_open();
	return 0;
}

/* Starts the look-up of the programs that processes run. */
static int watch_programs(struct collector *collector)
{
	collector->reader = program_reader_start(&collector->clock);
	if (!collector->reader)
		return -1;
	collector->titles = titles_new(&collector->clock, collector->reader, collector->execs);
	return 0;
}

/* If a reader has called, leaves the keeper's events from `since` on to the recorder. All events before that have been written. */
static int hand_over(struct collector *collector, int64_t since)
{
	struct merge kept;

	if (collector->recording || !recorder_is_called(&collector->recorder, 0))
		return 0;
	if (write_recorder(collector, "ts", since) < 0)
		return -1;
	merge_part(&collector->merge, collector->streamed, &kept);
	collector->recording = true;
	make_polled(collector);
	event_writer_share(collector->writer, collector->switches);
	return recorder_begin(&collector->recorder, &kept, since, &collector->clock, &collector->setup, collector->self, collector->bell);
}

/* Waits until rings fill up, the period or the time that is left is over, or a signal comes. */
static void wait_for_events(struct collector *collector, int64_t deadline)
{
	int64_t begin = monotonic_ms(), left = deadline - begin;
	int period = left < PERIOD_MS ? (int)(left > 0 ? left : 0) : PERIOD_MS;

	if (collector->asked && event_writer_written(collector->writer) < WORTHWHILE) /* some kernels call a nearly empty ring readable */
		period -= poll(collector->polled, 1, RUSH_MS < period ? RUSH_MS : period) == 0 ? RUSH_MS : period;
	collector->asked = period > 0 && poll(collector->polled, (nfds_t)collector->polled_count, period) > 0;
	for (int i = 0; i < collector->polled_count; i++)
		if (collector->polled[i].revents & POLLERR) /* the ring of a CPU that was never online; each round reads it all the same */
			collector->polled[i].fd = -1;
	stop_rest(collector->bell);
}

static int64_t end_of(const struct collector *collector, int64_t deadline)
{
	int64_t grace = monotonic_ms() + INTERRUPT_GRACE_MS;

	if (stop_signal() == SIGINT && collector->child && collector->child->started)
		return grace < deadline ? grace : deadline;
	return stop_signal() ? 0 : deadline;
}

/* 1: nobody reads the stream any more; 0: somebody does; -1 after fail(). */
static int is_left(const struct collector *collector)
{
	return stream_output_closed(collector->stream) ? 1 : recorder_has_left(&collector->recorder);
}

/* How long the stream may stay silent. With a recorder less: its reader must ask for kept events before they are overwritten. */
static int64_t silence(const struct collector *collector)
{
	return collector->recording ? NSEC_PER_SEC / 5 : NSEC_PER_SEC;
}

/* Tells the event writer our own threads, which it leaves out, and writes them to the stream unless events have other numbers than processes. */
static int tell_own(struct collector *collector)
{
	int32_t own[EVENT_WRITER_OWN] = {
		collector->self,
		recorder_tid(&collector->recorder),
		collector->reader ? program_reader_tid(collector->reader) : 0,
	};
	const int32_t helper = collector->guardian.pid;

	helpers_list(own + EVENT_WRITER_OWN - HELPERS_MAX);
	event_writer_own(collector->writer, own);
	if (collector->foreign)
		return 0;
	if (stages_tell(&collector->stages, collector->stream, own, EVENT_WRITER_OWN) < 0 ||
	    stages_tell(&collector->stages, collector->stream, &helper, 1) < 0)
		return -1;
	return stages_look(&collector->stages, collector->stream, collector->output, clock_now(&collector->clock));
}

/* Writes all events before *until, which it sets to a few milliseconds ago (50 with markers), and flushes. */
static int take_round(struct collector *collector, int64_t *until)
{
	int64_t now = clock_now(&collector->clock);
	struct stream *stream = collector->stream;

	if (now == INT64_MIN)
		return -1;
	if (collector->block && devices_look(&collector->devices, stream, now) < 0)
		return -1;
	if (collector->switches && quotas_look(&collector->quotas, stream, &collector->clock) < 0)
		return -1;
	*until = now - (collector->parts.markers ? SLACK_MARKERS : SLACK);
	if (collector->parts.markers && markers_take(collector->parts.markers, stream, false) < 0)
		return -1;
	if (collector->execs)
		execs_take(collector->execs);
	if (tell_own(collector) < 0 || event_writer_round(collector->writer, &collector->merge, *until) < 0)
		return -1;
	if (collector->block && !collector->foreign && swapped_look(&collector->swapped, collector->writer, &collector->clock, *until) < 0)
		return -1;
	if (interference_look(&collector->interference, *until) < 0)
		return -1;
	/* By a tick, a reader that waits for events can tell a quiet machine from a collector that hangs. */
	if (event_writer_written(collector->writer) == 0 && now - collector->last_written >= silence(collector)) {
		if (event_writer_tick(collector->writer, &collector->merge, *until) < 0)
			return -1;
		collector->last_written = now;
	}
	if (event_writer_written(collector->writer) > 0)
		collector->last_written = now;
	return stream_flush(stream);
}

/* Called with tracing off: writes all events that are left, and how many were lost at the very end. */
static int take_last(struct collector *collector)
{
	int64_t now, from;

	if (collector->execs)
		execs_take(collector->execs);
	if (collector->parts.markers && markers_take(collector->parts.markers, collector->stream, true) < 0)
		return -1;
	if (event_writer_round(collector->writer, &collector->merge, INT64_MAX) < 0)
		return -1;
	interference_notice(&collector->interference, "tracing_on");
	now = clock_now(&collector->clock);
	if (collector->parts.cost && cost_doubts(collector->parts.cost, now, &from) && interference_say(&collector->interference, from, now) < 0)
		return -1;
	if (interference_look_last(&collector->interference, clock_now(&collector->clock)) < 0)
		return -1;
	for (int i = 0; i < collector->merge.count; i++) {
		struct ring *ring = &collector->merge.rings[i];
		uint64_t lost = ring_lost_at_end(ring);

		if (lost && event_writer_lost(collector->writer, ring, clock_now(&collector->clock), lost) < 0)
			return -1;
	}
	return 0;
}

/*
 * Turns probes off in a program with return probes that has loaded a library that throws. While they are off, calls have no end, so the
 * data are incomplete.
 */
static int look_at_probes(struct collector *collector, int64_t until)
{
	bool first = !collector->looked_at_probes; /* nobody saw what programs loaded while probes were placed */
	int off = collector->gate && !gate_keep(collector->gate) ? probes_ungate(collector->parts.probes, collector->say) : 0, new = 0;
	const int32_t *mappers;
	size_t count;

	mappers = event_writer_mappers(collector->writer, &count);
	if (collector->parts.probes && (first || count))
		new = probes_look(collector->parts.probes, collector->instance, mappers, first ? 0 : count, collector->say);
	collector->looked_at_probes = true;
	off = new < 0 ? -1 : off + new;
	if (off <= 0)
		return off;
	if (collector->calls_seen && stacks_renew_calls(collector->stacks) < 0)
		return -1;
	interference_notice(&collector->interference, "enable"); /* we wrote these files */
	stream_mark_incomplete(collector->stream);
	return interference_say(&collector->interference, until, clock_now(&collector->clock));
}

/* Probes the programs that began since, if a probe line names them. */
static int look_at_begun(struct collector *collector)
{
	const int32_t *pids;
	size_t count;

	pids = event_writer_began(collector->writer, &count);
	if (!collector->parts.lines || collector->foreign || count == 0)
		return 0;
	if (probe_lines_began(collector->parts.lines, pids, count, collector->instance, collector->stream) < 0)
		return -1;
	interference_notice(&collector->interference, "enable"); /* we wrote these files */
	return 0;
}

/*
 * Sheds events that cost too much; `lost` records then say that calls and waits from before may have ended unseen. 1: the last chart costs
 * too much, so the collection ends; -1 after fail().
 */
static int look_at_cost(struct collector *collector, int64_t until)
{
	struct cost_subject subject;
	int64_t from;

	if (!collector->parts.cost && !collector->collection->look)
		return 0;
	subject = (struct cost_subject){
		.selection = collector->selection,
		.instance = collector->instance,
		.keeper = collector->keeper,
		.stream = collector->stream,
		.clock = &collector->clock,
		.stacks = collector->stacks,
		.traced = merge_traced(&collector->merge) + (collector->recording ? recorder_traced(&collector->recorder) : 0),
		.recording = collector->recording,
	};
	switch (collector->parts.cost ? cost_look(collector->parts.cost, &subject, until)
				      : collector->collection->look(collector->collection->context, &subject, until)) {
	case COST_FINE:
		return collector->parts.cost && cost_doubts(collector->parts.cost, until, &from) ? interference_say(&collector->interference, from, until) : 0;
	case COST_SHED:
		interference_notice(&collector->interference, "enable"); /* we wrote these files */
		return 0;
	case COST_END:
		return 1;
	default:
		return -1;
	}
}

static int collect(struct collector *collector, int64_t deadline)
{
	bool asked = false;
	int64_t until;
	int status;

	for (;;) {
		if (!asked && stop_signal()) {
			asked = true;
			deadline = end_of(collector, deadline);
		}
		if (monotonic_ms() >= deadline || (collector->child && child_has_ended(collector->child)) || follow_is_over(&collector->follow))
			return 0;
		wait_for_events(collector, deadline);
		guardian_keep(&collector->guardian);
		if (take_round(collector, &until) < 0 || look_at_probes(collector, until) < 0 || look_at_begun(collector) < 0 || hand_over(collector, until) < 0)
			return -1;
		status = look_at_cost(collector, until);
		if (status == 0)
			status = is_left(collector);
		if (status != 0)
			return status < 0 ? -1 : 0;
	}
}

static int switch_tracing(struct collector *collector, bool on)
{
	int (*turn)(struct tracefs_instance *) = on ? tracefs_trace_on : tracefs_trace_off;
	int status = turn(collector->instance);

	if (collector->keeper && turn(collector->keeper) < 0)
		status = -1;
	return status < 0 ? fail_errno("cannot turn tracing %s", on ? "on" : "off") : 0;
}

/* Gives a cchart-filter time to call before tracing begins: until it calls, it gets all events. */
static int await_call(struct collector *collector)
{
	struct stream *stream = collector->stream;

	if (!collector->keeper)
		return 0;
	if (recorder_offer(&collector->recorder, collector->selection, stream, collector->pipe) < 0 || stream_flush(stream) < 0)
		return -1;
	recorder_is_called(&collector->recorder, CALL_MS);
	return 0;
}

/* Prepares all that must be there before tracing is on. */
static int begin(struct collector *collector, const struct collection *of)
{
	bool programs = of->programs && !collector->foreign;

	collector->say = of->say;
	collector->collection = of;
	for (size_t i = 0; i < of->name_count; i++)
		process_choose(&collector->process, of->names[i]);
	make_polled(collector);
	if (programs && load_programs(collector) < 0)
		return -1;
	setpriority(PRIO_PROCESS, 0, PRIORITY); /* if permitted; a collector that starves loses events */
	if (of->pid_count + of->name_count && collector->foreign)
		return fail("-p needs the machine's own PID namespace: in this one processes have other numbers than in events");
	if (programs && watch_programs(collector) < 0)
		return -1;
	collector->interference.stream = collector->stream;
	collector->interference.merge = &collector->merge;
	collector->interference.rings = collector->streamed;
	collector->interference.gate = collector->gate;
	if (interference_watch(&collector->interference, collector->instance, collector->keeper, collector->selection) < 0)
		of->say("%s; tracing goes on without", fail_text());
	collector->setup.reader = collector->reader;
	collector->setup.execs = collector->execs;
	collector->setup.titles = collector->titles;
	collector->writer = event_writer_new(&collector->setup);
	collector->follow = (struct follow){
		.of = of,
		.command = collector->child ? collector->child->pid : 0,
		.process = &collector->process,
		.selection = collector->selection,
		.stream = collector->stream,
		.writer = collector->writer,
		.clock = &collector->clock,
		.reader = collector->reader,
		.foreign = collector->foreign,
	};
	return await_call(collector) < 0 || (collector->stacks && stacks_start(collector->stacks) < 0) ? -1 : 0;
}

static uint64_t lost_stacks(const struct collector *collector)
{
	return collector->stacks ? stacks_lost(collector->stacks) : 0;
}

/* Called with tracing off: writes the rest. */
static int finish(struct collector *collector)
{
	int status = collector->stacks ? stacks_stop(collector->stacks) : 0;

	if (status == 0 && !stream_output_closed(collector->stream))
		status = take_last(collector);
	if (lost_stacks(collector))
		stream_mark_incomplete(collector->stream);
	if (status < 0 || !collector->recording)
		return status;
	stream_report_traced(collector->stream, merge_traced(&collector->merge) + recorder_traced(&collector->recorder));
	return write_recorder(collector, "until", clock_now(&collector->clock));
}

int collector_run(struct collector *collector, const struct collection *collection)
{
	struct within *within = NULL;
	int64_t deadline = INT64_MAX, begun;
	int status;

	if (begin(collector, collection) < 0)
		return -1;
	within = follow_look(&collector->follow);
	begun = clock_now(&collector->clock);
	if (switch_tracing(collector, true) < 0) {
		within_free(within);
		return -1;
	}
	interference_begin(&collector->interference, begun);
	status = hand_over(collector, begun);
	if (status == 0)
		status = follow_begin(&collector->follow, within, begun);
	within_free(within);
	if (status == 0 && collector->child && collector->child->pid > 0 && !stop_signal())
		status = child_go(collector->child);
	if (collection->duration >= 0)
		deadline = monotonic_ms() + collection->duration / 1000000;
	if (status == 0)
		status = collect(collector, deadline);
	interference_notice(&collector->interference, NULL);
	if (status == 0)
		status = switch_tracing(collector, false);
	if (status == 0)
		status = finish(collector);
	else if (lost_stacks(collector))
		stream_mark_incomplete(collector->stream);
	return status;
}

struct collector_outcome collector_outcome(const struct collector *collector)
{
	return (struct collector_outcome){
		.lost_stacks = lost_stacks(collector),
		.lost_markers = collector->parts.markers ? markers_lost(collector->parts.markers) : 0,
		.meddled = interference_file(&collector->interference),
		.wall_moved = clock_wall(&collector->clock) - collector->wall,
	};
}

int collector_close(struct collector *collector, bool wait)
{
	const struct selected *selected;
	bool reads; /* the reader's thread waits for a process: what it uses stays until our process ends */
	int removed = 0;

	if (collector->child)
		child_dismiss(collector->child);
	recorder_end(&collector->recorder, wait);
	merge_close(&collector->merge);
	gate_end(collector->gate);
	reads = !program_reader_end(collector->reader);
	if (!reads) {
		titles_free(collector->titles);
		execs_close(collector->execs);
		clock_close(&collector->clock);
	}
	for (size_t i = 0; (selected = selection_at(collector->selection, i)); i++)
		predicate_free(selected->predicate);
	event_writer_free(collector->writer);
	stacks_free(collector->stacks);
	devices_free(&collector->devices);
	quotas_free(&collector->quotas);
	swapped_free(&collector->swapped);
	stages_free(&collector->stages);
	process_free(&collector->process);
	free(collector->polled);
	interference_end(&collector->interference);
	cost_free(collector->parts.cost);
	probes_free(collector->parts.probes);
	exceptions_free(collector->parts.exceptions);
	markers_close(collector->parts.markers);
	selection_free(collector->selection);
	probe_lines_free(collector->parts.lines);
	if (collector->keeper)
		tracefs_instance_free(collector->keeper);
	if (collector->instance)
		tracefs_instance_free(collector->instance);
	if (collector->keeper_hold >= 0)
		close(collector->keeper_hold);
	if (collector->hold >= 0)
		close(collector->hold);
	if (collector->guardian.pid > 0) {
		removed = instance_remove(getpid());
		if (guardian_end(&collector->guardian)) /* it tries for longer, and has removed all */
			removed = 0;
	}
	if (!reads)
		free(collector);
	return removed;
}
