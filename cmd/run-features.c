/*
 * run-features: turn the system calls of each run of a program into features.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/confine.h"
#include "base/fail.h"
#include "base/interrupt.h"
#include "base/listing.h"
#include "base/memory.h"
#include "base/priority.h"
#include "event/event.h"
#include "run/access_log.h"
#include "run/job.h"
#include "run/machine_facts.h"
#include "run/run_build.h"

static const char *job_file, *node, *log_format, *pairs = "all", *facts_when = "auto";
static bool keep, no_children, light, live, as_text;

static const char *const pair_kinds[] = {"all", "same"}, *const whens[] = {"auto", "always", "never"};

static const char *pair_kind(size_t index)
{
	return index < 2 ? pair_kinds[index] : NULL;
}

static const char *when(size_t index)
{
	return index < 3 ? whens[index] : NULL;
}

static const struct option_entry options[] = {
	{OPTION_STRING, 'j', "job", &job_file, "JOB", "the job file: program, names of calls, settings to record"},
	{OPTION_STRING, 0, "node", &node, "NAME", "the name of the machine (default: the stream's host)"},
	{OPTION_STRING, 0, "pairs", &pairs, "PAIRS", .names = pair_kind},
	{OPTION_STRING, 0, "facts", &facts_when, "WHEN", .names = when},
	{OPTION_STRING, 'l', "log", &log_format, "FORMAT", "read access logs of a server: nginx, apache, or a format of one's own"},
	{OPTION_FLAG, 0, "no-children", &no_children, NULL, "only threads of the program's name were traced"},
	{OPTION_FLAG, 0, "light", &light, NULL, "runs by begin and end of processes, without their calls"},
	{OPTION_FLAG, 0, "live", &live, NULL, "the stream goes on: a tick behind each run, and none that is not over"},
	{OPTION_FLAG, 'k', "keep", &keep, NULL, "keep the events"},
	OPTION_TEXT(&as_text),
	{0},
};

/* The parts that make the runs of one host of the stream. */
struct maker {
	struct stream *stream;
	const struct run_options *how;
	struct events *events;
	struct run_builder *builder;
	struct maker *next; /* the maker of another host */
};

static int write_known(void *context, const char *run, struct stream *stream, bool from_here, const struct run_times *times)
{
	struct machine_facts *machine = context;

	return machine && (from_here || !strcmp(facts_when, "always")) ? machine_facts_write(machine, run, stream, times) : 0;
}

static bool is_dropped(enum kind kind)
{
	switch (kind) {
	case KIND_EVENT:
	case KIND_FORMAT:
	case KIND_TASK:
	case KIND_DEVICE:
	case KIND_TICK:
	case KIND_GAP:
	case KIND_STACK:
	case KIND_FILE:
	case KIND_QUOTA:
	case KIND_TIMER:
	case KIND_TRACED:
	case KIND_STAGE:
		return !keep;
	default:
		return false;
	}
}

static int record_seen(void *context, const struct record *record)
{
	const struct maker *maker = context;

	if (run_builder_record(maker->builder, record) < 0)
		return -1;
	return is_dropped(record->kind) ? STREAM_DROP : STREAM_PASS;
}

static int stream_over(void *context)
{
	const struct maker *maker = context;

	return run_builder_finish(maker->builder);
}

/* Makes a maker and attaches it to the stream. `next`: the makers of other hosts. */
static struct maker *maker_new(struct stream *stream, const struct run_options *how, struct maker *next)
{
	struct maker *maker = NEW(struct maker);

	*maker = (struct maker){.stream = stream, .how = how, .events = events_new(stream), .next = next};
	maker->builder = run_builder_new(stream, maker->events, how);
	return maker;
}

static void *another_maker(void *context)
{
	struct maker *first = context;

	if (first->how->node) {
		stream_fail(first->stream, "it is of several hosts; --node names one");
		return NULL;
	}
	return first->next = maker_new(first->stream, first->how, first->next);
}

static void maker_free(struct maker *maker)
{
	if (maker->next)
		maker_free(maker->next);
	run_builder_free(maker->builder);
	events_free(maker->events);
	free(maker);
}

static void check(void)
{
	if (listing_find("kind of pairs", pairs, pair_kind) < 0 || listing_find("time for facts", facts_when, when) < 0)
		die_usage("%s", fail_text());
}

static void complain(const struct maker *maker, const struct job *job)
{
	uint64_t events = 0, count = 0, incomplete = 0;
	bool unnamed = false;

	for (; maker; maker = maker->next) {
		events += run_builder_events(maker->builder);
		count += run_builder_count(maker->builder);
		incomplete += run_builder_incomplete(maker->builder);
		unnamed |= run_builder_unnamed(maker->builder);
	}
	if (events == 0)
		warn("there are no system calls: collect raw_syscalls");
	else if (unnamed)
		warn("a stream does not name its machine, so that its calls have no names; trace-import --machine names it");
	else if (count == 0 && job->programs.count == 0)
		warn("no process executed a program; name it in a job file (-j)");
	else if (count == 0)
		warn("no process ran '%s'", job->programs.items[0]);
	if (incomplete > 0)
		warn("events were lost within %llu of %llu runs; these say complete=no", (unsigned long long)incomplete, (unsigned long long)count);
}

static void tell(const char *text)
{
	warn("%s", text);
}

/* Reads this machine's settings and facts, before the command reads any input of others. NULL: none are wanted. */
static struct machine_facts *read_machine(const struct job *job)
{
	struct machine_facts *machine = strcmp(facts_when, "never") ? machine_facts_new(job, live, tell) : NULL;

	if (!machine && strcmp(facts_when, "never"))
		die("%s", fail_text());
	return machine;
}

static int read_logs(char *const *files, int files_count, const struct job *job)
{
	static char *const standard[] = {"-"};
	struct access_log *format = access_log_format(log_format);
	struct stream *output = stream_create();
	struct access_log_count count = {0};
	int status = 0;

	if (!format)
		die_usage("%s", fail_text());
	stream_output(output, STDOUT_FILENO, as_text);
	confine(CONFINE_NOTHING_ELSE, NULL, files, files_count);
	for (int i = 0; i < (files_count ? files_count : 1) && status == 0; i++)
		status = access_log_read(format, (files_count ? files : standard)[i], *job->name ? job->name : "requests", output, &count);
	if (status < 0)
		die("%s", fail_text());
	if (count.strange) {
		warn("%llu of %llu lines do not fit the format, the first is %s:%llu", count.strange, count.lines, count.first_file, count.first);
		stream_mark_incomplete(output);
	}
	access_log_free(format);
	status = stream_close(output);
	if (status == EXIT_FAILED)
		warn("%s", fail_text());
	return status;
}

int main(int argc, char **argv)
{
	int first = command_line(argc, argv, options, "[FILE...]", "turn the system calls of each run of a program into features");
	struct run_options how = {.node = node, .same_pairs = !strcmp(pairs, "same"), .childless = no_children, .light = light, .live = live,
				  .more = write_known};
	struct handlers handlers = {.finish = stream_over, .host = another_maker};
	struct stream *stream;
	struct maker *maker;
	int status;

	check();
	how.job = job_load(job_file);
	if (!how.job)
		die("%s", fail_text());

	if (log_format) {
		status = read_logs(argv + first, argc - first, how.job);
		job_free(how.job);
		return status;
	}

	/* open */
	stream = stream_open(argv + first, argc - first);
	if (!stream)
		die("%s", fail_text());
	stream_output(stream, STDOUT_FILENO, as_text);
	interrupt_defer();
	priority_lower(PRIORITY_BATCH);
	how.context = read_machine(how.job);
	maker = maker_new(stream, &how, NULL);
	confine(CONFINE_NOTHING_ELSE, NULL, argv + first, argc - first);

	/* count */
	for (int kind = 0; kind < KINDS; kind++)
		handlers.on[kind] = record_seen;
	status = stream_finish(stream, &handlers, maker);
	if (status && *fail_text())
		warn("%s", fail_text());
	complain(maker, how.job);

	/* close */
	maker_free(maker);
	machine_facts_free(how.context);
	job_free(how.job);
	return status;
}
