/*
 * trace-collect: stream kernel events, live, from a private tracing instance.
 */
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/command.h"
#include "base/confine.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/number.h"
#include "chart/chart.h"
#include "chart/coroutines.h"
#include "chart/event_selection.h"
#include "chart/handoffs.h"
#include "chart/requests.h"
#include "event/event.h"
#include "program/counters.h"
#include "program/lookup.h"
#include "program/lookup_program.h"
#include "program/opener.h"
#include "program/sampler.h"
#include "program/symbol.h"
#include "source/collector.h"
#include "source/disk_ring.h"
#include "source/exceptions.h"
#include "source/instance.h"
#include "source/markers.h"
#include "source/probe.h"
#include "source/process.h"
#include "source/recorder.h"
#include "source/stop.h"

static struct option_list charts, functions, events, states, processes, thrown, handoff_files, known_files, watches;
static ARRAY(int32_t) pids;
static ARRAY(const char *) called; /* names of processes */
static int64_t duration = -1;
static double max_cost;
static struct cost *cost; /* NULL: the cost of tracing is not bounded */
static uint64_t buffer = COLLECTOR_BUFFER_DEFAULT;

/* SAMPLE_HZ is no round number, so that samples do not keep step with periodic work. SAMPLE_HZ_MOST bounds the cost. */
enum { SAMPLE_HZ = 199, SAMPLE_HZ_MOST = 10000 };
#define SAMPLE_NOT_SAID UINT64_MAX
static uint64_t sample = SAMPLE_NOT_SAID;
static const char *clock_name = "mono", *output, *counter_list;
static struct counters counters;
static struct flags watched; /* the variables that `watches` names */
static uint64_t ring;
static struct disk_ring *disk_ring; /* of --ring; NULL: none */
static bool as_text, with_async, no_recorder, no_programs, with_stacks, slow_probes, sweep, only_list;
static struct lookup *lookup, *stacks_lookup; /* two: the recorder's thread may ask the second for stacks, and a lookup serves one thread */
static struct requests_found requests; /* their charts are the last of those that the user named */
static struct handoffs handoffs;
static struct semantics known; /* of --semantics: their events are collected */
static struct coroutines coroutines;
static int named; /* number of charts that the user named or that handoffs need; they come first */
static const char NODE[] = "node"; /* the source of exceptions that a preload reports */
static const char *default_charts[] = {"block"};

static const struct option_entry options[] = {
	{OPTION_LIST, 'c', "chart", &charts, "CHART", "collect what this chart needs (default: block, without -e, -s, --exceptions, --handoffs)"},
	{OPTION_LIST, 'f', "functions", &functions, "BINARY:GLOB", "the chart func:BINARY:FUNCTION of each that matches"},
	{OPTION_LIST, 'e', "event", &events, "SYSTEM:EVENT[/FILTER]", "collect this event; * ? [] match many"},
	{OPTION_LIST, 's', "states", &states, "FILE", "collect the events of this state file; see tailblame-states(5)"},
	{OPTION_LIST, 0, "handoffs", &handoff_files, "FILE", "join calls by what one hands over to the other (tailblame-semantics(5))"},
	{OPTION_LIST, 0, "semantics", &known_files, "NAME", "collect the events of a library: asyncio, glib, libevent, libuv, qt, or a FILE (tailblame-semantics(5))"},
	{OPTION_LIST, 0, "exceptions", &thrown, "SOURCE", "what is thrown, and where, as exception records: c++[:BINARY], python[:BINARY], node, return:BINARY:FUNCTION:COND, syscall"},
	{OPTION_FLAG, 0, "async", &with_async, NULL, "also tasks of asyncio and promises of Node.js, of programs with a preload (tailblame-collect(7))"},
	{OPTION_DURATION, 'd', "duration", &duration, "DURATION", "end after this time"},
	{OPTION_SIZE, 'b', "buffer", &buffer, "SIZE", "ring buffer of each CPU (default: 64M over all, 4M at least)"},
	{OPTION_STRING, 'C', "clock", &clock_name, "CLOCK", "trace clock (default mono)"},
	{OPTION_LIST, 'p', "pid", &processes, "PID|NAME[,...]", "only these processes (command: COMMAND) and their children"},
	{OPTION_FLAG, 0, "stack", &with_stacks, NULL, "also where threads sleep, wake others and run, by function"},
	{OPTION_STRING, 0, "counters", &counter_list, "LIST", "with --stack: what runs counted, as page-faults or SYSTEM:EVENT"},
	{OPTION_COUNT, 0, "sample", &sample, "HZ", "with --stack: samples of what runs, a second and CPU (default 199)"},
	{OPTION_LIST, 0, "watch", &watches, "PID:SYMBOL[+OFFSET][:LENGTH][:w|rw]", "also who writes, or reads, too, this variable of a process"},
	{OPTION_SHARE, 0, "max-cost", &max_cost, "SHARE", "trace less if tracing costs more than this share of all CPUs, such as 5%"},
	{OPTION_SIZE, 0, "ring", &ring, "SIZE", "with -o: keep the newest SIZE on disk, and store it at the end, and on SIGUSR1 as FILE.1"},
	{OPTION_STRING, 'o', "output", &output, "FILE", "write to a file instead of standard output"},
	{OPTION_FLAG, 0, "no-recorder", &no_recorder, NULL, "stream all events, even if the reader would ask for context"},
	{OPTION_FLAG, 0, "no-programs", &no_programs, NULL, "leave out what processes run, and their control groups"},
	{OPTION_FLAG, 0, "slow-probes", &slow_probes, NULL, "trace functions of state files even if each call then costs 12 us more"},
	{OPTION_FLAG, 0, "list", &only_list, NULL, "only list the charts that -f stands for, and end"},
	{OPTION_FLAG, 0, "sweep", &sweep, NULL, "only remove what killed collectors left in the kernel, and end"},
	OPTION_TEXT(&as_text),
	{0},
};

/* Adds a chart for each function that matches BINARY:GLOB. */
static int add_functions(const char *wanted)
{
	const char *colon = symbol_colon(wanted);
	struct symbol_names names = {0};
	int status;
	char *binary, *path;

	if (!colon)
		return fail("functions are chosen as BINARY:GLOB, not '%s'", wanted);
	binary = memory_text(wanted, (size_t)(colon - wanted));
	path = symbol_binary(binary);
	status = path ? lookup_matching(lookup, path, colon + 1, &names) : -1;
	charts.items = memory_grow(charts.items, (size_t)charts.count + names.count + 1, sizeof(*charts.items));
	for (size_t i = 0; i < names.count; i++) {
		charts.items[charts.count++] = memory_format("func:%s:%s", binary, names.items[i]);
		free(names.items[i]);
	}
	free(names.items);
	free(path);
	free(binary);
	return status;
}

/* Tells whether some processes were chosen. */
static bool is_selective(void)
{
	return pids.count || called.count;
}

/* Replaces the chart `requests` by the charts of requests of the chosen processes' programs. */
static int add_requests(const char *command)
{
	struct requests_of of = {.pids = pids.items, .pid_count = pids.count, .names = called.items, .name_count = called.count};
	bool of_command = false;
	int kept = 0;

	for (int i = 0; i < charts.count; i++)
		if (strcmp(charts.items[i], "requests") != 0)
			charts.items[kept++] = charts.items[i];
	if (kept == charts.count)
		return 0;
	if (!is_selective() && !command)
		die_usage("option -c: whose requests? name processes by -p");
	for (size_t i = 0; i < pids.count; i++)
		of_command |= pids.items[i] == COLLECTOR_COMMAND;
	of.command = of_command || !is_selective() ? command : NULL;
	charts.count = kept;
	if (requests_find(&of, lookup, warn, &requests) < 0)
		return -1;
	charts.items = memory_grow(charts.items, (size_t)kept + requests.charts.count, sizeof(*charts.items));
	for (size_t i = 0; i < requests.charts.count; i++)
		charts.items[charts.count++] = requests.charts.items[i]->name;
	return 0;
}

/*
 * The kernel places probes one by one and, if each function has an event of its own (--max-cost), removes them one by one. From this many
 * probes on, a message tells the terminal, so that the wait does not look like a hang.
 */
enum { PROBES_TOLD = 2000, PROBES_TOLD_ALONE = 100 };

static void say_placing(void)
{
	int count = 0;

	for (int i = 0; i < charts.count; i++)
		count += strncmp(charts.items[i], "func:", strlen("func:")) == 0;
	count *= 2; /* one at its entry, one at its return */
	if (count >= (max_cost > 0 ? PROBES_TOLD_ALONE : PROBES_TOLD) && isatty(STDERR_FILENO))
		warn("placing probes in %d functions", count / 2);
}

static void say_removing(const struct selection *selection)
{
	int probes = 0;

	for (size_t i = 0; i < selection_count(selection); i++)
		probes += selection_at(selection, i)->origin != NULL;
	if (max_cost > 0 && probes >= PROBES_TOLD_ALONE && isatty(STDERR_FILENO))
		warn("removing %d probes", probes);
}

/* SYSTEM:EVENT or SYSTEM:EVENT/FILTER */
static int want_event(struct selection *selection, const char *wanted)
{
	const char *slash = strchr(wanted, '/');
	char *event = memory_text(wanted, slash ? (size_t)(slash - wanted) : strlen(wanted));
	unsigned flags = is_selective() ? SELECT_REQUIRED | SELECT_STREAMED : SELECT_REQUIRED;
	int status = selection_add(selection, event, slash && slash[1] ? slash + 1 : NULL, NULL, flags);

	free(event);
	return status;
}

/* Stacks need the events at which threads go to sleep or wake others. */
static int want_stacks(struct selection *selection)
{
	unsigned flags = SELECT_REQUIRED | SELECT_CONTEXT;

	return selection_add(selection, "sched:sched_switch", NULL, NULL, flags) < 0
		   ? -1
		   : selection_add(selection, "sched:sched_waking", NULL, NULL, flags);
}

/* Notes in a function's chart the build of its program, because each build has its own limits. */
static void note_build(struct chart *chart)
{
	unsigned char id[CODE_BUILD_ID];
	char *path = symbol_binary(chart->binary), text[2 * CODE_BUILD_ID + 1];
	struct opener_file file = {.place = -1};
	size_t size = path && opener_find(path, &file) == 0 ? lookup_build_id(lookup, &file, path, id) : 0;

	for (size_t i = 0; i < size; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
	if (size > 0)
		chart_set_build(chart, text);
	if (file.place >= 0)
		close(file.place);
	free(path);
}

/* Tells whether one of the loaded charts measures the same function. */
static bool has_function(struct chart *const *loaded, int count, const struct chart *chart)
{
	char *path = NULL, *other;
	bool found = false;

	for (int i = 0; i < count && !found; i++) {
		if (!loaded[i]->binary || strcmp(loaded[i]->name, chart->name) != 0)
			continue;
		path = path ? path : symbol_binary(chart->binary);
		other = symbol_binary(loaded[i]->binary);
		found = path && other && strcmp(path, other) == 0;
		free(other);
	}
	free(path);
	return found;
}

/* The charts of requests are loaded already; they are the last ones before `by_name`. */
static struct chart *load(int i, int by_name)
{
	int first = by_name - (int)requests.charts.count;

	return i >= first && i < by_name ? requests.charts.items[i - first] : chart_load(charts.items[i]);
}

/* Leaves out a function that a pattern chose if it cannot be probed or has a chart already. A chart that the user named must work. */
static int want_charts(struct selection *selection, struct probes *probes, struct chart **loaded, int by_name)
{
	int kept = 0, status;

	for (int i = 0; i < charts.count; i++) {
		if (stop_signal())
			return fail("stopped before tracing began");
		loaded[kept] = load(i, by_name);
		if (loaded[kept] && i >= named && has_function(loaded, kept < named ? kept : named, loaded[kept])) {
			chart_free(loaded[kept]);
			continue;
		}
		status = loaded[kept] ? event_selection_add_chart(selection, probes, cost, loaded[kept]) : -1;
		if (status < 0 || (status == PROBES_LEFT_OUT && i < named))
			return -1;
		if (status == PROBES_LEFT_OUT)
			chart_free(loaded[kept]);
		else if (loaded[kept++]->binary)
			note_build(loaded[kept - 1]);
	}
	if (kept == 0 && charts.count)
		return -1; /* after fail(): no function can be probed */
	charts.count = kept;
	return probes_finish(probes);
}

static int want_all_states(struct selection *selection, struct probe_lines *lines)
{
	for (int i = 0; i < states.count; i++)
		if (event_selection_add_states(selection, lines, states.items[i]) < 0)
			return -1;
	return probe_lines_place(lines);
}

static int want_exceptions(struct selection *selection, struct probes *probes, struct exceptions *exceptions)
{
	for (int i = 0; i < thrown.count; i++)
		if (strcmp(thrown.items[i], NODE) != 0 && exceptions_add(exceptions, probes, selection, thrown.items[i]) < 0)
			return -1;
	return 0;
}

static bool is_event(const struct rule_event *event, const char *name)
{
	return event->name && strcmp(event->name, name) == 0;
}

/* Tells whether one of the first `before` rules names this event. */
static bool was_wanted(const char *name, size_t before)
{
	for (size_t i = 0; i < before; i++)
		if (is_event(&known.rules.items[i].from, name) || is_event(&known.rules.items[i].to, name))
			return true;
	return false;
}

/* Selects an event of a rule: a function's entry, its return, or any other event. */
static int want_rule_event(struct selection *selection, struct probes *probes, size_t rule, const struct rule_event *event)
{
	struct chart *chart;
	int status;

	if (!event->name || known.rules.items[rule].kind == RULE_HANDOFF || rule_event_is_of_task(event) || was_wanted(event->name, rule))
		return 0;
	if (!event->chart)
		return want_event(selection, event->name);
	chart = chart_load(event->chart);
	if (!chart)
		return -1;
	if (strcmp(event->name, chart_event_name(chart, CHART_START)) == 0)
		status = probes_entry(probes, chart->binary, chart->function, chart->arguments, event->name);
	else
		status = probes_function(probes, chart->binary, chart->function, chart->arguments, NULL, event->name);
	chart_free(chart);
	return status == 0 ? 0 : -1;
}

/* A program may lack events of shipped rules; that is a failure only if no rule has its events. Events of the user's rules are required. */
static int want_known(struct selection *selection, struct probes *probes)
{
	size_t placed = 0;

	for (size_t i = 0; i < known.rules.count; i++) {
		const struct rule *rule = &known.rules.items[i];
		int status = want_rule_event(selection, probes, i, &rule->from);

		if (status == 0)
			status = want_rule_event(selection, probes, i, &rule->to);
		if (status < 0 && !rule->shipped)
			return -1;
		placed += status == 0;
	}
	return placed || !known.rules.count ? probes_finish(probes) : -1;
}

static int want_all(struct selection *selection, struct probes *probes, struct probe_lines *lines, struct exceptions *exceptions, struct chart **loaded, int by_name)
{
	int status = is_selective() ? want_event(selection, "sched:sched_process_fork") : 0; /* to follow its children */

	if (status == 0)
		status = want_charts(selection, probes, loaded, by_name);
	if (status == 0)
		status = want_known(selection, probes);
	for (int i = 0; i < events.count && status == 0; i++)
		status = want_event(selection, events.items[i]);
	if (status == 0)
		status = want_all_states(selection, lines);
	if (status == 0)
		probes_tell(probes, warn);
	if (status == 0)
		status = want_exceptions(selection, probes, exceptions);
	if (status == 0 && with_stacks)
		status = want_stacks(selection);
	if (status == 0 && (probes_at_risk(probes) || probe_lines_wanted(lines)))
		selection_add_maps(selection);
	return status < 0 ? -1 : selection_add_lives(selection);
}

static int read_known(void)
{
	for (int i = 0; i < known_files.count; i++)
		if (semantics_read(&known, known_files.items[i]) < 0)
			return -1;
	for (size_t i = 0; i < known.rules.count; i++)
		with_async |= rule_event_is_of_task(&known.rules.items[i].from) || rule_event_is_of_task(&known.rules.items[i].to);
	for (int i = 0; i < handoff_files.count; i++)
		if (handoffs_read(&handoffs, handoff_files.items[i]) < 0)
			return -1;
	named = charts.count + handoffs_name(&handoffs, &charts);
	return 0;
}

/* Writes the `chart` records. The user named the first `by_name` charts, so their values are requests. */
static int write_charts(struct stream *stream, struct chart **loaded, int by_name)
{
	struct line line = {0};
	int status = 0;

	for (int i = 0; status == 0 && i < charts.count; i++) {
		line_begin(&line, "chart");
		line_text(&line, "name", loaded[i]->name);
		line_text(&line, "definition", loaded[i]->definition);
		if (i < by_name)
			line_text(&line, "asked", "yes");
		status = stream_write_line(stream, &line);
	}
	line_free(&line);
	return status;
}

/* The file is written in place, so that the events so far stay there if the collector is killed. */
static int open_output(int *fd)
{
	*fd = output ? file_record(output) : STDOUT_FILENO;
	return *fd < 0 ? -1 : 0;
}

/* Drops the file's old contents. Called after the events are enabled, so that a wrong filter does not cost them. */
static int cut_output(int fd)
{
	struct stat file;

	if (!output || ring || fstat(fd, &file) < 0 || !S_ISREG(file.st_mode) || fcntl(fd, F_GETFL) & O_APPEND)
		return 0;
	return ftruncate(fd, lseek(fd, 0, SEEK_CUR)) < 0 ? fail_errno("cannot write '%s'", output) : 0;
}

static int find_processes(void)
{
	struct process found = {0};
	int status = 0;

	for (size_t i = 0; status == 0 && i < pids.count; i++)
		status = pids.items[i] == COLLECTOR_COMMAND ? 0 : process_follow(&found, pids.items[i]);
	process_free(&found);
	return status;
}

static void ring_asked(int number)
{
	(void)number;
	disk_ring_ask();
}

/* The file of --ring has no name until it is stored. If standard output is a pipe, its reader gets the stream, too. */
static int open_ring(int *fd)
{
	sigaction(SIGUSR1, &(struct sigaction){.sa_handler = ring_asked, .sa_flags = (int)SA_RESTART}, NULL);
	disk_ring = disk_ring_open(output, ring);
	if (!disk_ring)
		return -1;
	if (recorder_suits(STDOUT_FILENO))
		disk_ring_pass(disk_ring, STDOUT_FILENO);
	*fd = recorder_suits(STDOUT_FILENO) ? STDOUT_FILENO : disk_ring_fd(disk_ring);
	return 0;
}

static int open_stream(struct stream **stream, struct events **names, int *fd)
{
	if ((ring ? open_ring(fd) : open_output(fd)) < 0)
		return -1;
	*stream = stream_create();
	stream_output(*stream, *fd, as_text);
	if (disk_ring)
		stream_output_to(*stream, disk_ring_sink, disk_ring);
	*names = events_new(*stream);
	stream_report_usage(*stream, "trace-collect");
	return 0;
}

/* With a chart, the reader of the pipe may be a cchart-filter, which asks for the context that it needs. */
static int keep_context(struct collector *collector)
{
	if (no_recorder || as_text || output || charts.count == 0)
		return 0;
	return collector_keep(collector, STDOUT_FILENO);
}

/* Warns only root: other users have few rights to lose. */
static void say_rights(void)
{
	int kept = lookup_start(stacks_lookup);

	if (kept > 0 && geteuid() == 0)
		warn("the process that reads programs keeps rights that it does not need: %s", confine_has_text((unsigned)kept));
}

/* A hit that coincided with a timer tick reached the kernel without its cause and killed the program: 5 of 105 with some 10,000 hits each. */
static void say_virtual(void)
{
	enum { HYPERVISOR = 1u << 31 };
	unsigned a = 0, b = 0, c = 0, d = 0;

#if defined(__x86_64__)
	__get_cpuid(1, &a, &b, &c, &d);
#endif
	if (c & HYPERVISOR)
		warn("on this virtual machine a hit may end the watched program by SIGTRAP, if its hypervisor loses the cause of the hit");
}

/* Called before tracing, so that a variable that cannot be watched is refused at once. */
static int find_flags(void)
{
	for (int i = 0; i < watches.count; i++)
		if (flags_add(&watched, watches.items[i], lookup) < 0)
			return fail_prefix("cannot watch '%s'", watches.items[i]);
	return 0;
}

/*
 * Goes on without stacks if the kernel gives none; with --stack the exit status then says that data are missing. If counters or watched
 * variables were asked for, that is a failure. -1 after fail().
 */
static int add_stacks(struct collector *collector, struct stream *stream, const struct exceptions *exceptions)
{
	struct sampler_wanted wanted = {.waits = with_stacks, .hz = with_stacks ? (uint32_t)sample : 0, .counters = &counters, .flags = watches.count ? &watched : NULL,
					.say = warn};
	uint64_t throws;

	if (!with_stacks && !watches.count && !(exceptions && exceptions_throws(exceptions, &throws)))
		return 0;
	if (with_stacks)
		counters_add_yields(&counters);
	if (find_flags() < 0 || (counter_list && counters_add(&counters, counter_list) < 0))
		return -1;
	if (collector_add_stacks(collector, &wanted, stacks_lookup) == 0) {
		say_rights();
		if (watches.count)
			say_virtual();
		return 0;
	}
	if (watches.count)
		return -1;
	if (counter_list)
		return fail_prefix("no counters");
	warn("no stacks%s: %s", with_stacks ? "" : " of what is thrown", fail_text());
	if (with_stacks)
		stream_mark_incomplete(stream);
	return 0;
}

/* COMMAND writes to our standard output only if the stream does not: with -o, unless --ring feeds a pipe there. Else to standard error. */
static int fork_command(struct collector *collector, struct child *child, char **command)
{
	return *command ? collector_fork(collector, child, command, !output || (ring && recorder_suits(STDOUT_FILENO))) : 0;
}

/* Readers compute the hour of an event from the trace clock, which does not step with the wall clock and stands still while the machine sleeps. */
static void say_moved(int64_t moved)
{
	double seconds = (double)moved / 1e9;

	if (seconds > 1 || seconds < -1)
		warn("the wall clock was set, or the machine slept: at the end, hours in the stream are %.0f s %s",
		     seconds < 0 ? -seconds : seconds, seconds < 0 ? "ahead" : "behind");
}

/* Without -o it says nothing of lost events: the report at the end of the pipe does. */
static void say_outcome(const struct collector *collector, uint64_t lost)
{
	struct collector_outcome outcome = collector_outcome(collector);

	if (lost && output)
		warn("%llu events were lost; larger rings (--buffer) lose fewer", (unsigned long long)lost);
	if (outcome.lost_stacks)
		warn("%llu stacks were lost", (unsigned long long)outcome.lost_stacks);
	for (size_t i = 0; i < watched.list.count; i++)
		if (watched.list.items[i].off)
			warn("'%s' was hit more than %d times a second, and was watched no longer", watched.list.items[i].name, FLAG_HITS_MOST);
	if (outcome.lost_markers)
		warn("%llu markers of tasks were dropped", (unsigned long long)outcome.lost_markers);
	if (outcome.meddled)
		warn("somebody else changed '%s' while it was traced: events may be missing", outcome.meddled);
	if (cost && cost_complaint(cost))
		warn("%s", cost_complaint(cost));
	say_moved(outcome.wall_moved);
}

/* Preloads stamp markers by the clock mono and with the PIDs of their namespace; events must have the same. -1 after fail(). */
static int open_markers(struct markers **markers)
{
	bool wanted[MARKERS] = {[MARKERS_OF_TASKS] = with_async, [MARKERS_OF_THROWS] = false};

	for (int i = 0; i < thrown.count; i++)
		wanted[MARKERS_OF_THROWS] |= strcmp(thrown.items[i], NODE) == 0;
	if (!wanted[MARKERS_OF_TASKS] && !wanted[MARKERS_OF_THROWS])
		return 0;
	if (strcmp(clock_name, "mono") != 0)
		return fail("what programs tell needs the clock mono, not '%s'", clock_name);
	if (instance_space() != 0)
		return fail("what programs tell: in this PID namespace processes have other numbers than in events");
	*markers = markers_open(wanted);
	return *markers ? 0 : -1;
}

/* The user named the first `by_name` charts. Returns the exit status; -1 after fail(): the stream then has no `end`, so readers see the cut. */
static int collect(struct collector *collector, struct child *child, char **command, int by_name)
{
	static struct chart **loaded;
	static struct stream *stream;
	static struct events *names;
	static struct probes *probes;
	static struct probe_lines *lines;
	struct exceptions *exceptions = thrown.count ? exceptions_new(lookup) : NULL;
	struct markers *markers = NULL;
	struct selection *selection = collector_selection(collector);
	const struct collection collection = {
		.duration = duration,
		.pids = pids.items,
		.pid_count = pids.count,
		.names = called.items,
		.name_count = called.count,
		.programs = !no_programs,
		.say = warn,
	};
	uint64_t lost;
	int status, fd;

	loaded = memory_new((size_t)charts.count + 1, sizeof(*loaded));
	if (collector_open(collector, clock_name, buffer) < 0)
		return -1;
	if (open_markers(&markers) < 0)
		return -1;
	cost = max_cost > 0 ? cost_new(max_cost) : NULL;
	probes = probes_new(selection, lookup, cost);
	lines = probe_lines_new(probes, selection, slow_probes, warn);
	collector_own(collector, &(struct collector_parts){.cost = cost, .probes = probes, .lines = lines, .exceptions = exceptions, .markers = markers});
	if (want_all(selection, probes, lines, exceptions, loaded, by_name) < 0 || keep_context(collector) < 0 ||
	    fork_command(collector, child, command) < 0 || open_stream(&stream, &names, &fd) < 0)
		return -1;
	if (add_stacks(collector, stream, exceptions) < 0)
		return -1;
	if (collector_prepare(collector, stream, fd, names) < 0 || (disk_ring && disk_ring_offer(disk_ring, stream) < 0))
		return -1;
	if (find_processes() < 0 || cut_output(fd) < 0 ||
	    write_charts(stream, loaded, by_name) < 0 || handoffs_write(&handoffs, stream) < 0 || coroutines_write(&coroutines, stream) < 0 || collector_run(collector, &collection) < 0)
		return -1;
	lost = stream_lost(stream);
	status = stream_close(stream);
	if (disk_ring && disk_ring_close(disk_ring) < 0)
		status = EXIT_FAILED;
	say_outcome(collector, lost);
	events_free(names);
	for (int i = 0; i < charts.count; i++)
		chart_free(loaded[i]);
	free(loaded);
	return status;
}

static int32_t read_pid(const char *text, bool has_command)
{
	uint64_t pid;

	if (strcmp(text, "command") == 0) {
		if (!has_command)
			die_usage("option -p: no COMMAND is given that it could be");
		return COLLECTOR_COMMAND;
	}
	if (number_count(text, strlen(text), &pid) < 0)
		die_usage("option -p: %s", fail_text());
	if (pid == 0 || pid >= PROCESS_TIDS)
		die_usage("option -p: there is no process %s", text);
	return (int32_t)pid;
}

/* Numbers are PIDs; anything else is a name. */
static void add_processes(const char *list, bool has_command)
{
	for (const char *at = list;; at++) {
		size_t length = strcspn(at, ",");
		char *text = memory_text(at, length);

		if (length == 0)
			die_usage("option -p: a process is a number or a name, not ''");
		if (text[strspn(text, "0123456789")] && strcmp(text, "command") != 0) {
			*ARRAY_ADD(&called) = text;
		} else {
			*ARRAY_ADD(&pids) = read_pid(text, has_command);
			free(text);
		}
		at += length;
		if (!*at)
			return;
	}
}

static void read_sample(void)
{
	if (sample == SAMPLE_NOT_SAID)
		sample = SAMPLE_HZ;
	else if (!with_stacks)
		die_usage("option --sample: samples are stacks; give --stack too");
	if (counter_list && !with_stacks)
		die_usage("option --counters: what runs is counted where stacks are seen; give --stack too");
	if (sample > SAMPLE_HZ_MOST)
		die_usage("option --sample: at most %d samples a second", SAMPLE_HZ_MOST);
}

static int sweep_only(void)
{
	if (!instance_tracefs() || instance_allowed() < 0)
		die("%s", fail_text());
	instance_remove_stale();
	markers_sweep();
	return EXIT_DONE;
}

static int list_functions(void)
{
	charts.count = 0;
	if (!functions.count)
		die_usage("option --list: which functions? -f says");
	for (int i = 0; i < functions.count; i++)
		if (add_functions(functions.items[i]) < 0)
			die("%s", fail_text());
	for (int i = 0; i < charts.count; i++)
		puts(charts.items[i]);
	if (fflush(stdout) != 0 && errno != EPIPE)
		die("cannot write the list: %s", strerror(errno));
	return EXIT_DONE;
}

int main(int argc, char **argv)
{
	struct collector *collector;
	struct child child = {0};
	int by_name, first = command_line(argc, argv, options, "[-- COMMAND [ARG...]]", "stream kernel events"), status;
	const char *complaint;

	if (sweep)
		return sweep_only();
	for (int i = 0; i < processes.count; i++)
		add_processes(processes.items[i], first < argc);
	if (buffer == 0)
		die_usage("option -b: a ring needs some room");
	if (ring && (!output || as_text || ring < DISK_RING_LEAST))
		die_usage("option --ring: it is of 1M at least, in binary, and -o says where");
	read_sample();
	lookup = lookup_new(stop_signal);
	stacks_lookup = lookup_new(stop_signal);
	if (only_list)
		return list_functions();
	if (charts.count + functions.count + events.count + states.count + thrown.count + handoff_files.count + known_files.count + watches.count == 0)
		charts = (struct option_list){.items = default_charts, .count = 1};

	if (add_requests(first < argc ? argv[first] : NULL) < 0)
		die("%s", fail_text());
	by_name = charts.count;
	if (read_known() < 0)
		die("%s", fail_text());
	for (int i = 0; i < functions.count; i++)
		if (add_functions(functions.items[i]) < 0)
			die("%s", fail_text());
	coroutines_name(&coroutines, lookup, &charts);
	if (coroutines.nameless)
		warn("coroutines without debugging information are not followed where they go on");
	say_placing();
	collector = collector_new();
	status = collect(collector, &child, argv + first, by_name);
	if (status < 0 || (status == EXIT_FAILED && *fail_text()))
		warn("%s", fail_text());
	say_removing(collector_selection(collector));
	if (collector_close(collector, status >= 0) < 0)
		warn("%s; it stays until the next start of %s", fail_text(), command_name());

	flags_free(&watched);
	lookup_free(lookup);
	lookup_free(stacks_lookup);
	free(pids.items);
	for (size_t i = 0; i < called.count; i++)
		free((char *)called.items[i]);
	free(called.items);
	handoffs_free(&handoffs);
	semantics_free(&known);
	coroutines_free(&coroutines);
	complaint = child_complaint(&child);
	if (complaint && (status >= 0 || child.started)) /* else the collector's own failure matters */
		warn("'%s' %s", argv[first], complaint);
	return status < 0 ? EXIT_FAILED : status;
}
