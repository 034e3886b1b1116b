#include "source/collector.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/number.h"
#include "base/open_files.h"
#include "event/predicate.h"
#include "source/execs.h"
#include "source/instance.h"
#include "source/interpreters.h"
#include "source/round.h"
#include "program/stacks.h"
#include "source/stop.h"
#include "source/titles.h"
#include "source/traced.h"
#include "source/within.h"

#define PAGE_SIZE_FILE "buffer_subbuf_size_kb"
#define PAGE_KB_TEXT "16"
enum { PAGE_KB = 16, PAGES_MIN = 16 };

/* A second of the busiest loads seen, in which whoever reads the stream may be kept off the CPU. */
enum { BUFFERS = 64 << 20, BUFFER_MIN = 4 << 20 };

enum {
	PERIOD_MS = 50,		    /* between rounds; an event waits for one, or for two if it comes right before it */
	RUSH_MS = 5,		    /* the least pause between rounds that rings ask for */
	WORTHWHILE = 256,	    /* events of a round, below which rings ask too often */
	PRIORITY = -20,
	INTERRUPT_GRACE_MS = 1000,  /* for the command that a Ctrl-C reached as well */
	CALL_MS = 200,		    /* for a cchart-filter to call; if it comes later, it had all events until then */
};

/*
 * A ring is read page by page. Pages of 16 KiB cost a quarter less than those of 4 KiB, and larger ones no less.
 * Small rings keep small pages, and so do kernels before 6.8, which have no others.
 */
static int size_rings(struct tracefs_instance *instance, uint64_t size)
{
	if (size >= (uint64_t)PAGES_MIN * PAGE_KB * 1024 && tracefs_file_exists(instance, PAGE_SIZE_FILE) &&
	    instance_write(instance, PAGE_SIZE_FILE, PAGE_KB_TEXT) < 0)
		return -1;
	if (tracefs_instance_set_buffer_size(instance, (size + 1023) / 1024, -1) < 0)
		return fail_errno("cannot make rings of %llu bytes for each CPU", (unsigned long long)size);
	return 0;
}

static uint64_t default_size(void)
{
	uint64_t size = BUFFERS / (uint64_t)sysconf(_SC_NPROCESSORS_CONF);

	return size > BUFFER_MIN ? size : BUFFER_MIN;
}

int collector_open(struct collector *collector, const char *clock, uint64_t buffer)
{
	*collector = (struct collector){.guardian.pid = -1, .hold = -1, .keeper_hold = -1, .bell = -1, .clock.stats = -1,
					.recorder = {.listening = -1, .call = -1}};
	collector->scribe.wishes = &collector->wishes;
	collector->scribe.process = &collector->process;
	open_files_raise(); /* each ring has two; with stacks, what is mapped stays open until it matters */
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
	collector->foreign = collector->scribe.threads.foreign = collector->quotas.foreign = instance_space() != 0;
	collector->self = collector->scribe.own[0] = instance_tid(collector->instance);
	if (clock_set(&collector->clock, collector->instance, clock) < 0)
		return -1;
	return size_rings(collector->instance, collector->buffer);
}

int collector_keep(struct collector *collector, int pipe)
{
	collector->pipe = pipe;
	if (!wishes_can_keep(&collector->wishes))
		return 0;
	collector->keeper = instance_create_keeper(&collector->keeper_hold);
	if (!collector->keeper || instance_write(collector->keeper, "trace_clock", collector->clock.name) < 0)
		return -1;
	return size_rings(collector->keeper, collector->buffer);
}

int collector_add_stacks(struct collector *collector, struct lookup *lookup)
{
	if (collector->foreign)
		return fail("in this PID namespace threads have other numbers than in events");
	if (collector->clock.id != CLOCK_MONOTONIC && collector->clock.id != CLOCK_MONOTONIC_RAW)
		return fail("stacks need the clock mono or mono_raw, not '%s'", collector->clock.name);
	collector->stacks = collector->scribe.stacks = stacks_open(collector->clock.id, lookup);
	collector->lookup = collector->recorder.lookup = lookup;
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
	status = stream_write_line(collector->scribe.stream, &line);
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

/* The stream has the event's format by now. */
static int filter_here(struct collector *collector, struct wish *wish)
{
	struct events *names = collector->scribe.names;

	wish->predicate = predicate_new(names, events_type(names, wish->event), wish->filter);
	return wish->predicate ? 0 : fail_prefix("filter of the event '%s'", wish->event);
}

/* Whether others meddle is worth to know, but nothing to fail for. */
static void watch_others(struct collector *collector)
{
	collector->meddling = meddling_watch();
	if (!collector->meddling)
		return;
	if (meddling_add(collector->meddling, collector->instance, &collector->wishes, false) == 0 &&
	    (!collector->keeper || meddling_add(collector->meddling, collector->keeper, &collector->wishes, true) == 0))
		return;
	meddling_end(collector->meddling);
	collector->meddling = NULL;
}

int collector_prepare(struct collector *collector, struct stream *stream, struct events *names)
{
	collector->scribe.stream = stream;
	collector->scribe.names = names;
	if (wishes_enable(&collector->wishes, collector->instance, collector->keeper) < 0 || open_rings(collector) < 0)
		return -1;
	if (write_stream_record(collector) < 0)
		return -1;
	for (size_t i = 0; i < collector->wishes.list.count; i++) {
		struct wish *wish = collector->wishes.list.items[i];

		if (wish->enabled && !(wish->flags & WISH_QUIET) && scribe_format(stream, wish, false) < 0)
			return -1;
		if (wish->enabled && wish->flags & WISH_WHOLE && wish->filter && filter_here(collector, wish) < 0)
			return -1;
		collector->block |= wish->enabled && wish->is_block;
		collector->timers |= wish->enabled && wish->is_timer;
		collector->switches |= wish->enabled && wish->is_switch;
	}
	if (collector->switches && quotas_look(&collector->quotas, stream, &collector->clock) < 0)
		return -1;
	watch_others(collector);
	return collector->stacks ? scribe_stack_formats(stream) : 0;
}

bool collector_watches(const struct collector *collector)
{
	return collector->meddling != NULL;
}

const char *collector_meddled(const struct collector *collector)
{
	return collector->meddled;
}

static int64_t monotonic_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void make_polled(struct collector *collector)
{
	int rings = collector->merge.count, samplers = collector->stacks ? stacks_descriptors(collector->stacks) : 0, n = 0;

	free(collector->polled);
	collector->polled = memory_new((size_t)(rings + samplers) + 1, sizeof(struct pollfd));
	collector->polled[n++] = (struct pollfd){.fd = collector->bell, .events = POLLIN};
	for (int i = 0; i < rings; i++)
		collector->polled[n++] = (struct pollfd){.fd = collector->merge.rings[i].fd, .events = POLLIN};
	for (int i = 0; i < samplers; i++)
		collector->polled[n++] = (struct pollfd){.fd = stacks_descriptor(collector->stacks, i), .events = POLLIN};
	collector->polled_count = n;
}

static int say_recording(struct collector *collector, const char *key, int64_t ts)
{
	struct line line = {0};
	int status;

	line_begin(&line, kind_name(KIND_RECORDER));
	line_time(&line, key, ts);
	status = stream_write_line(collector->scribe.stream, &line);
	line_free(&line);
	return status;
}

/*
 * What processes run: programs that begin are seen by the kernel, if it may, for only then are those known that end soon. Its times are
 * those of one clock.
 */
static int watch_programs(struct collector *collector)
{
	struct threads *threads = &collector->scribe.threads;

	if (!collector->programs || collector->foreign)
		return 0;
	if (interpreters_load() < 0)
		return -1;
	if (collector->clock.id == CLOCK_MONOTONIC)
		threads->execs = execs_open();
	threads->asker = asker_start(&collector->clock);
	if (!threads->asker)
		return -1;
	threads->titles = titles_new(&collector->clock, threads->asker, threads->execs);
	return 0;
}

/* All before `since` has been written. What comes is left to the recorder if somebody has called. */
static int hand_over(struct collector *collector, int64_t since)
{
	struct merge kept;

	if (collector->recording || !recorder_is_called(&collector->recorder, 0))
		return 0;
	if (say_recording(collector, "ts", since) < 0)
		return -1;
	merge_part(&collector->merge, collector->streamed, &kept);
	collector->recording = true;
	make_polled(collector);
	collector->scribe.unswitched = collector->switches;
	collector->scribe.stacks = NULL; /* they are the recorder's */
	collector->recorder.scribe.stacks = collector->stacks;
	collector->recorder.scribe.threads.asker = collector->scribe.threads.asker;
	collector->recorder.scribe.threads.execs = collector->scribe.threads.execs;
	collector->recorder.scribe.threads.foreign = collector->foreign;
	return recorder_begin(&collector->recorder, &kept, since, &collector->clock, &collector->wishes, collector->self,
			      collector->bell);
}

/* Until rings fill up, the period or the time that is left is over, or a signal comes. */
static void wait_for_events(struct collector *collector, int64_t deadline)
{
	int64_t begin = monotonic_ms(), left = deadline - begin;
	int period = left < PERIOD_MS ? (int)(left > 0 ? left : 0) : PERIOD_MS;

	if (collector->scribe.events < WORTHWHILE) /* some kernels call a ring readable that holds next to nothing */
		period -= poll(collector->polled, 1, RUSH_MS < period ? RUSH_MS : period) == 0 ? RUSH_MS : period;
	if (period > 0)
		poll(collector->polled, (nfds_t)collector->polled_count, period);
	for (int i = 0; i < collector->polled_count; i++)
		if (collector->polled[i].revents & POLLERR) /* of a CPU that was never on; each round looks at its ring all the same */
			collector->polled[i].fd = -1;
	stop_rest(collector->bell);
}

static int64_t end_of(const struct collector *collector, int64_t deadline)
{
	int64_t grace = monotonic_ms() + INTERRUPT_GRACE_MS;

	if (stop_signal() == SIGINT && collector->child.started)
		return grace < deadline ? grace : deadline;
	return stop_signal() ? 0 : deadline;
}

/* 1: nobody reads the stream any more; 0: somebody does; -1 after fail(). */
static int is_left(const struct collector *collector)
{
	return stream_output_closed(collector->scribe.stream) ? 1 : recorder_has_left(&collector->recorder);
}

/* A program whose functions have return probes may have loaded a library that throws. While the probes are off, calls have no end. */
static int look_at_probes(struct collector *collector, int64_t until)
{
	struct scribe *scribe = &collector->scribe;
	bool first = !collector->looked_at_probes; /* what was loaded while probes were placed was not seen */
	int off;

	if (!collector->probes || (!first && scribe->mappers.count == 0))
		return 0;
	off = probes_look(collector->probes, collector->instance, scribe->mappers.items, first ? 0 : scribe->mappers.count, collector->say);
	collector->looked_at_probes = true;
	scribe->mappers.count = 0;
	if (off <= 0)
		return off;
	round_notice(collector, "enable"); /* it was us */
	stream_mark_incomplete(scribe->stream);
	return round_doubt(collector, until, clock_now(&collector->clock));
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
		if (monotonic_ms() >= deadline || child_has_ended(&collector->child))
			return 0;
		wait_for_events(collector, deadline);
		guardian_keep(&collector->guardian);
		if (round_take(collector, &until) < 0 || look_at_probes(collector, until) < 0 || hand_over(collector, until) < 0)
			return -1;
		status = collector->cost ? cost_look(collector, until) : 0;
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

/* Gives a cchart-filter time to call, so that it is spared what it would be sent meanwhile. */
static int await_call(struct collector *collector)
{
	struct stream *stream = collector->scribe.stream;

	if (!collector->keeper)
		return 0;
	if (recorder_offer(&collector->recorder, &collector->wishes, stream, collector->pipe) < 0 || stream_flush(stream) < 0)
		return -1;
	recorder_is_called(&collector->recorder, CALL_MS);
	return 0;
}

uint64_t collector_lost_stacks(const struct collector *collector)
{
	return collector->stacks ? stacks_lost(collector->stacks) : 0;
}

int64_t collector_wall_moved(const struct collector *collector)
{
	return clock_wall(&collector->clock) - collector->wall;
}

static bool read_program(void *context, struct program *program, int32_t pid)
{
	struct collector *collector = context;
	int64_t read;

	return collector->scribe.threads.asker && asker_ask(collector->scribe.threads.asker, program, &read, pid, pid);
}

/* The event by which a system call begins, if it is streamed; else NULL. */
static const struct wish *enter_event(const struct collector *collector)
{
	for (size_t i = 0; i < collector->wishes.list.count; i++) {
		const struct wish *wish = collector->wishes.list.items[i];

		if (strcmp(wish->event, "raw_syscalls:sys_enter") == 0)
			return wish->enabled && !wish->kept ? wish : NULL;
	}
	return NULL;
}

/* Of the processes that were asked for. NULL: of none. */
static struct within *look_within(struct collector *collector, const int32_t *pids, int count)
{
	const struct process *asked = &collector->process;
	struct process process = {0};
	struct within *within;

	if (!enter_event(collector) || (count == 0 && asked->names.count == 0))
		return NULL;
	process_select(&process);
	for (size_t i = 0; i < asked->names.count; i++)
		process_choose(&process, asked->names.items[i]);
	for (int i = 0; i < count; i++)
		if (pids[i] != COLLECTOR_COMMAND)
			process_follow(&process, pids[i]); /* if it is gone by now, that is said when they are followed */
	process_follow_chosen(&process, read_program, collector);
	within = within_look(&process);
	process_free(&process);
	return within;
}

/* Tracing is on, so that no fork is missed. */
static int follow(struct collector *collector, const int32_t *pids, int count)
{
	for (int i = 0; i < count; i++)
		if (process_follow(&collector->process, pids[i] == COLLECTOR_COMMAND ? collector->child.pid : pids[i]) < 0)
			return -1;
	if (process_follow_chosen(&collector->process, read_program, collector) == 0 && collector->process.names.count)
		collector->say("no process is called '%s' yet; those that begin are traced", collector->process.names.items[0]);
	return traced_write_all(&collector->process, collector->scribe.stream);
}

int collector_run(struct collector *collector, int64_t duration, const int32_t *pids, int count, collector_say *say)
{
	struct within *within = NULL;
	int64_t deadline = INT64_MAX;
	int status = 0;

	collector->say = say;
	make_polled(collector);
	setpriority(PRIO_PROCESS, 0, PRIORITY); /* where it may; a collector that starves loses events */
	if ((count || collector->process.names.count) && collector->foreign)
		return fail("-p needs the machine's own PID namespace: in this one processes have other numbers than in events");
	if (watch_programs(collector) < 0 || await_call(collector) < 0 || (collector->stacks && stacks_start(collector->stacks) < 0))
		return -1;
	within = look_within(collector, pids, count);
	collector->told = clock_now(&collector->clock);
	if (switch_tracing(collector, true) < 0) {
		within_free(within);
		return -1;
	}
	round_notice(collector, "tracing_on");
	if (hand_over(collector, collector->told) < 0)
		status = -1;
	if (status == 0)
		status = follow(collector, pids, count);
	if (status == 0 && within)
		status = within_tell(within, &collector->scribe, enter_event(collector), collector->told);
	within_free(within);
	if (status == 0 && collector->child.pid > 0 && !stop_signal())
		status = child_go(&collector->child);
	if (duration >= 0)
		deadline = monotonic_ms() + duration / 1000000;
	if (status == 0)
		status = collect(collector, deadline);
	round_notice(collector, NULL);
	if (status == 0)
		status = switch_tracing(collector, false);
	if (status == 0 && collector->stacks)
		status = stacks_stop(collector->stacks);
	if (status == 0 && !stream_output_closed(collector->scribe.stream))
		status = round_last(collector);
	if (collector_lost_stacks(collector))
		stream_mark_incomplete(collector->scribe.stream);
	if (status == 0 && collector->recording) {
		stream_report_traced(collector->scribe.stream,
				     merge_traced(&collector->merge) + recorder_traced(&collector->recorder));
		status = say_recording(collector, "until", clock_now(&collector->clock));
	}
	return status;
}

int collector_close(struct collector *collector, bool wait)
{
	int removed = 0;

	child_dismiss(&collector->child);
	recorder_end(&collector->recorder, wait);
	merge_close(&collector->merge);
	if (asker_end(collector->scribe.threads.asker))
		titles_free(collector->scribe.threads.titles);
	execs_close(collector->scribe.threads.execs);
	clock_close(&collector->clock);
	for (size_t i = 0; i < collector->wishes.list.count; i++)
		predicate_free(collector->wishes.list.items[i]->predicate);
	wishes_free(&collector->wishes);
	scribe_free(&collector->scribe);
	stacks_free(collector->stacks);
	devices_free(&collector->devices);
	quotas_free(&collector->quotas);
	stages_free(&collector->stages);
	process_free(&collector->process);
	free(collector->polled);
	meddling_end(collector->meddling);
	free(collector->meddled);
	cost_free(collector->cost);
	probes_free(collector->probes);
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
		if (guardian_end(&collector->guardian)) /* it had more patience */
			removed = 0;
	}
	return removed;
}
