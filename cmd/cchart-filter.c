/* cchart-filter: measures latencies, charts them, passes the abnormal moments with what came before them. */

#include <signal.h>
#include <stdint.h>
#include <unistd.h>

#include "base/command.h"
#include "base/confine.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "base/priority.h"
#include "window/filter.h"

static struct option_list charts, fixed;
static const char *asked_method = "pot", *scale_name, *sides_name, *rules_list, *false_alarms = "1/h", *relearn, *limits_file,
		  *save_limits_file;
static struct window_size size = {WINDOW_SIZE_USUAL};
static struct policy policy = POLICY_OPEN;
static const char *passed;
static bool text;

static const char *pass_name(size_t index)
{
	static const char *const names[] = {"windows", "all"};

	return index < sizeof(names) / sizeof(names[0]) ? names[index] : NULL;
}

static const struct option_entry options[] = {
	{OPTION_LIST, 'c', "chart", &charts, "CHART", "what to measure: a shipped chart, a file, or func:BINARY:FUNCTION"},
	{OPTION_STRING, 0, "method", &asked_method, "METHOD", .names = method_name},
	{OPTION_STRING, 0, "false-alarms", &false_alarms, "RATE", "of pot: 6/m, 1/h (default), 2/d, or a probability per value"},
	{OPTION_STRING, 0, "rules", &rules_list, "LIST", "Nelson's rules to judge by, such as 1,2,5 (1)"},
	{OPTION_STRING, 0, "sides", &sides_name, "SIDES", "upper, lower or both; the default is the method's"},
	{OPTION_STRING, 0, "scale", &scale_name, "SCALE", "log or linear; the default is the method's"},
	{OPTION_NUMBER, 0, "sigma", &policy.sigma, "K", "limits are K sigma from the centre (3)"},
	{OPTION_COUNT, 0, "subgroup", &policy.subgroup, "N", "values of a subgroup (5)"},
	{OPTION_NUMBER, 0, "weight", &policy.weight, "W", "of the newest value of ewma (0.2)"},
	{OPTION_DURATION, 0, "before", &size.before, "TIME", "context before what is abnormal (1s)"},
	{OPTION_DURATION, 0, "after", &size.after, "TIME", "context after it (10ms)"},
	OPTIONS_ROOM(size),
	{OPTION_STRING, 0, "pass", &passed, "WHAT", "events pass, besides signals and windows (windows)", pass_name},
	{OPTION_COUNT, 0, "baseline", &policy.baseline, "N", "values to learn limits from (100); of means and rates, points (20)"},
	{OPTION_DURATION, 0, "interval", &policy.interval, "TIME", "what charts of rates count in (the chart's own: 1s)"},
	{OPTION_STRING, 0, "relearn", &relearn, "TIME", "learn a change of level that lasts this long (pot: 10s), or 200v: values; 0: never"},
	{OPTION_DURATION, 0, "recompute", &policy.recompute, "TIME", "learn all limits anew every so often"},
	{OPTION_FLAG, 0, "once", &policy.once, NULL, "of abnormal values in a row of a chart and key, signal the first"},
	{OPTION_LIST, 0, "limit", &fixed, "[CHART=]TIME", "a longer value is abnormal, from the first on, whatever was learnt"},
	{OPTION_FLAG, 0, "only-limit", &policy.only_fixed, NULL, "signal what is longer than --limit, and nothing else"},
	{OPTION_STRING, 0, "limits", &limits_file, "FILE", "limits from an earlier time, instead of learning"},
	{OPTION_STRING, 0, "save-limits", &save_limits_file, "FILE", "write the limits there at the end"},
	{OPTION_NUMBER, 0, "min-ratio", &policy.min_ratio, "R", "an abnormal value is at least R times the centre (latencies: 2); 0: off"},
	{OPTION_FLAG, 0, "idle", &policy.idle, NULL, "judge sleeps and waits for work, too"},
	OPTION_TEXT(&text),
	{0},
};

static volatile sig_atomic_t relearn_wanted, asked;

static void want_relearning(int signal)
{
	(void)signal;
	relearn_wanted = 1;
}

static void ask(int signal)
{
	(void)signal;
	asked = 1;
}

static struct limits_book *open_policy(void)
{
	struct limits_book *book = limits_file ? limits_book_read(limits_file) : limits_book_new();
	int which = 0;

	for (int i = 0; i < fixed.count; i++)
		if (policy_fix(&policy, fixed.items[i]) < 0)
			die_usage("%s", fail_text());
	policy.method = method_find(asked_method);
	if (!policy.method || (scale_name && policy_scale(&policy, scale_name) < 0) ||
	    (sides_name && policy_sides(&policy, sides_name) < 0) ||
	    (rules_list && policy_rules(&policy, rules_list) < 0) || (relearn && policy_relearn(&policy, relearn) < 0) ||
	    policy_alarms(&policy, false_alarms) < 0 || policy_check(&policy) < 0)
		die_usage("%s", fail_text());
	if (policy.method->plots->rates && charts.count > 0)
		die_usage("method %s charts rates that come as samples, not the latencies of -c; a chart of rates has its own method", asked_method);
	if (policy.only_fixed && !fixed.count)
		die_usage("--only-limit needs --limit");
	if (passed && (which = listing_find("choice of what passes", passed, pass_name)) < 0)
		die_usage("%s", fail_text());
	size.all = which == 1;
	if (!(size.share >= 0 && size.share <= 1))
		die_usage("--keep is a share from 0 to 1");
	if (!book || (limits_file && limits_book_check(book, &policy, limits_file) < 0))
		die("%s", fail_text());
	policy.known = book;
	return book;
}

int main(int argc, char **argv)
{
	int first = command_line(argc, argv, options, "[FILE...]", "pass the abnormal moments of a stream, with their context");
	struct limits_book *book = open_policy();
	struct filter_options how = {.policy = &policy, .size = size, .relearn = &relearn_wanted, .asked = &asked,
				     .charts = charts.items, .chart_count = charts.count};
	struct file_draft *saved = NULL;
	struct stream *stream;
	struct filter *filter;
	int status;

	/* open */
	if (save_limits_file && !(saved = file_draft(save_limits_file)))
		die("%s", fail_text());
	interrupt_defer();
	priority_lower(PRIORITY_BATCH);
	sigaction(SIGUSR1, &(struct sigaction){.sa_handler = ask, .sa_flags = SA_RESTART}, NULL);
	sigaction(SIGHUP, &(struct sigaction){.sa_handler = want_relearning, .sa_flags = SA_RESTART}, NULL);
	stream = stream_open(argv + first, argc - first);
	if (!stream)
		die("%s", fail_text());
	stream_output(stream, STDOUT_FILENO, text);
	stream_report_usage(stream, "cchart-filter");
	if (limits_file || save_limits_file)
		how.one_host = "limits in a file are those of one";
	filter = filter_new(stream, &how);
	status = filter_add_charts(filter) < 0 ? stream_abandon(stream) : EXIT_DONE;
	confine(CONFINE_SOCKET | (saved ? CONFINE_RENAME : 0), save_limits_file, argv + first, argc - first);

	/* run */
	if (status == EXIT_DONE)
		status = filter_finish(filter);
	if (status != EXIT_DONE && *fail_text())
		warn("%s", fail_text());
	if (status != EXIT_FAILED) {
		filter_complaints(filter, warn);
		if (saved && filter_save(filter, book, saved) < 0)
			die("%s", fail_text());
	}

	/* close */
	filter_free(filter);
	limits_book_free(book);
	return status;
}
