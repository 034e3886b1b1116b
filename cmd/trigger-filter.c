/*
 * trigger-filter: evaluates triggers, and passes the moments at which they fire, with what came before them.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/confine.h"
#include "base/fail.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "base/priority.h"
#include "trigger/runner.h"
#include "trigger/watch.h"
#include "window/filter.h"

static struct option_list names, charts;
static struct window_size size = {WINDOW_SIZE_USUAL, .alone = true};
static int64_t rest = 60 * NSEC_PER_SEC;
static const char *command;
static bool check, text;

static const struct option_entry options[] = {
	{OPTION_LIST, 'T', "trigger", &names, "TRIGGER", "what to wait for: a file, or a shipped trigger"},
	{OPTION_LIST, 'c', "chart", &charts, "CHART", "what a request is; the default is what the stream was collected for"},
	{OPTION_DURATION, 0, "rest", &rest, "TIME", "a trigger fires no sooner than this after it has ended (1m)"},
	{OPTION_STRING, 0, "exec", &command, "COMMAND", "run this by sh -c at each firing"},
	{OPTION_FLAG, 0, "check", &check, NULL, "only read the triggers; say what is wrong with them"},
	{OPTION_DURATION, 0, "before", &size.before, "TIME", "context before a firing (1s)"},
	{OPTION_DURATION, 0, "after", &size.after, "TIME", "context after it (10ms)"},
	OPTIONS_ROOM(size),
	OPTION_TEXT(&text),
	{0},
};

static volatile sig_atomic_t relearn_wanted, asked, reload_wanted;
static struct trigger_list triggers;
static char **chart_names;

static void ask(int signal)
{
	(void)signal;
	asked = 1;
}

static void want_reload(int signal)
{
	(void)signal;
	reload_wanted = 1;
}

static void run_command(void *context, const struct watch_firing *firing)
{
	runner_tell(context, firing);
}

/* Checks that triggers name only charts given by -c, if there are any. -1 after fail(). */
static int check_charts(const struct trigger_list *list)
{
	return charts.count ? trigger_check(list, (const char *const *)chart_names, charts.count) : 0;
}

/* Checks triggers that were read anew. -1 after fail(). */
static int check_triggers(void *watch, const struct trigger_list *list)
{
	return check_charts(list) < 0 ? -1 : watch_check(watch, list);
}

/* Reads the triggers, and checks the charts that they name. */
static void read_triggers(void)
{
	struct chart *chart;

	chart_names = memory_new((size_t)charts.count + 1, sizeof(*chart_names));
	if (!names.count)
		die_usage("which trigger? name one by -T");
	for (int i = 0; i < names.count; i++)
		if (trigger_load(&triggers, names.items[i]) < 0)
			die("%s", fail_text());
	for (int i = 0; i < charts.count; i++) {
		chart = chart_load(charts.items[i]);
		if (!chart)
			die("%s", fail_text());
		chart_names[i] = memory_text(chart->name, strlen(chart->name));
		chart_free(chart);
	}
	if (check_charts(&triggers) < 0)
		die("%s", fail_text());
}

/* Reads the files of the triggers anew. */
static void reload(void *context, struct watch *watch)
{
	struct trigger_list now = trigger_reload(&triggers, check_triggers, watch, warn);

	(void)context;
	if (watch_replace(watch, &now) < 0)
		warn("%s", fail_text());
	trigger_list_free(&triggers);
	triggers = now;
}

/* This command judges no values, but a filter needs a policy. */
static struct policy some_policy(void)
{
	struct policy policy = POLICY_OPEN;

	policy.method = method_find("pot");
	if (policy_alarms(&policy, "1/h") < 0 || policy_check(&policy) < 0)
		die("%s", fail_text());
	return policy;
}

static void forget_triggers(void)
{
	trigger_list_free(&triggers);
	for (int i = 0; i < charts.count; i++)
		free(chart_names[i]);
	free(chart_names);
}

static void take_signals(void)
{
	interrupt_defer();
	sigaction(SIGUSR1, &(struct sigaction){.sa_handler = ask, .sa_flags = SA_RESTART}, NULL);
	sigaction(SIGHUP, &(struct sigaction){.sa_handler = want_reload, .sa_flags = SA_RESTART}, NULL);
}

int main(int argc, char **argv)
{
	int first = command_line(argc, argv, options, "[FILE...]", "pass the moments of a stream at which triggers fire, with their context");
	struct policy policy = some_policy();
	struct filter_options how = {.policy = &policy, .size = size, .relearn = &relearn_wanted, .asked = &asked,
				     .charts = charts.items, .chart_count = charts.count};
	struct watch_options watching = {.rest = rest, .own_charts = charts.count > 0, .reload = &reload_wanted, .reloaded = reload};
	struct runner *runner = NULL;
	struct stream *stream;
	struct filter *filter;
	struct watch *watch;
	int status;

	/* open */
	if (!(size.share >= 0 && size.share <= 1))
		die_usage("--keep is a share from 0 to 1");
	read_triggers();
	if (check) {
		forget_triggers();
		return EXIT_DONE;
	}
	if (command && !(runner = runner_new(command)))
		die("%s", fail_text());
	if (runner) {
		watching.fired = run_command;
		how.one_host = "--exec tells a command the numbers of one host's threads";
	}
	watching.context = runner;
	take_signals();
	priority_lower(PRIORITY_BATCH);
	stream = stream_open(argv + first, argc - first);
	if (!stream)
		die("%s", fail_text());
	stream_output(stream, STDOUT_FILENO, text);
	stream_report_usage(stream, "trigger-filter");
	watch = watch_new(stream, &triggers, &watching);
	how.watch = watch_of_filter(watch);
	filter = filter_new(stream, &how);
	watch_filter(watch, filter);
	status = filter_add_charts(filter) < 0 ? stream_abandon(stream) : EXIT_DONE;
	confine(CONFINE_SOCKET, NULL, argv + first, argc - first);

	/* run */
	if (status == EXIT_DONE)
		status = filter_finish(filter);
	if (status != EXIT_DONE && *fail_text())
		warn("%s", fail_text());
	if (status != EXIT_FAILED) {
		filter_complaints(filter, warn);
		watch_complaints(watch, warn);
	}
	if (runner_end(runner) > 0)
		warn("--exec: a command was not run for each firing, because those before it ran too long");

	/* close */
	filter_free(filter);
	watch_free(watch);
	forget_triggers();
	return status;
}
