/*
 * run-cluster: group the runs of a program by performance.
 */
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/confine.h"
#include "base/fail.h"
#include "base/interrupt.h"
#include "run/grouping.h"
#include "run/run_copy.h"

static struct grouping_options how = {.metric = "elapsed"};
static bool as_text;

static const char *unit_name(size_t index)
{
	static const char *const names[] = {"run", "node"};

	return index < 2 ? names[index] : NULL;
}

static const struct option_entry options[] = {
	{OPTION_STRING, 'm', "metric", &how.metric, "METRIC", "elapsed (the default), exit, a feature, or one by another: A/B"},
	{OPTION_STRING, 'u', "unit", &how.unit, "UNIT", "group these: run or node (default: runs, then nodes)", .names = unit_name},
	{OPTION_STRING, 'j', "job", &how.job, "NAME", "only the runs of this job"},
	OPTION_TEXT(&as_text),
	{0},
};

/* Groups the runs, once all are read. */
static void cluster(const struct run_copy *copy)
{
	struct grouping *grouping = grouping_make(run_copy_table(copy), &how);
	const char *why;

	if (!grouping)
		die("%s", fail_text());
	if (grouping_left(grouping, &why) > 0) {
		warn("%s", why);
		stream_mark_incomplete(run_copy_output(copy));
	}
	if (grouping_write(grouping, run_copy_output(copy)) < 0)
		die("%s", fail_text());
	grouping_free(grouping);
}

int main(int argc, char **argv)
{
	int first = command_line(argc, argv, options, "[FILE...]", "group the runs of a program by performance");
	struct run_copy *copy;
	int status;

	if (how.unit && listing_find("unit", how.unit, unit_name) < 0)
		die_usage("%s", fail_text());
	if (!*how.metric)
		die_usage("--metric needs a name");

	/* open */
	copy = run_copy_open(argv + first, argc - first);
	if (!copy)
		die("%s", fail_text());
	run_copy_write(copy, STDOUT_FILENO, as_text);
	run_copy_drop(copy, KIND_CLUSTER);
	run_copy_drop(copy, KIND_LABEL);
	grouping_want(&how, run_copy_table(copy));
	interrupt_defer();
	confine(CONFINE_NOTHING_ELSE, NULL, argv + first, argc - first);

	/* read, group */
	if (run_copy_run(copy) < 0)
		die("%s", fail_text());
	cluster(copy);

	/* close */
	status = run_copy_close(copy);
	if (status && *fail_text())
		warn("%s", fail_text());
	return status;
}
