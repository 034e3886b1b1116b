/*
 * run-rules: find what tells slow runs of a program from fast ones.
 */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/confine.h"
#include "base/fail.h"
#include "base/interrupt.h"
#include "run/rules.h"
#include "run/run_copy.h"
#include "run/run_sample.h"

static uint64_t count = 10, max_depth = 3, max_runs = 10000, seed = 1;
static double min_leaf = 2;
static const char *calls = "all", *criterion = "gain", *class_column;
static bool paper, csv, multiway, as_text;

static const char *calls_name(size_t index)
{
	static const char *const names[] = {"all", "common"};

	return index < 2 ? names[index] : NULL;
}

static const char *criterion_name(size_t index)
{
	static const char *const names[] = {[CRITERION_GAIN] = "gain", [CRITERION_RATIO] = "ratio", [CRITERION_GINI] = "gini"};

	return index < 3 ? names[index] : NULL;
}

static const struct option_entry options[] = {
	{OPTION_COUNT, 'n', "count", &count, "N", "print at most N rules (default 10)"},
	{OPTION_STRING, 0, "calls", &calls, "CALLS", .names = calls_name},
	{OPTION_STRING, 0, "criterion", &criterion, "CRITERION", .names = criterion_name},
	{OPTION_FLAG, 0, "multiway", &multiway, NULL, "a branch for each value that is no number"},
	{OPTION_NUMBER, 0, "min-leaf", &min_leaf, "N", "each of two branches has N runs (default 2, or the smaller class)"},
	{OPTION_COUNT, 0, "max-depth", &max_depth, "N", "at most N conditions on a path (default 3)"},
	{OPTION_COUNT, 0, "max-runs", &max_runs, "N", "learn from N runs at most, by class and node (default 10000)"},
	{OPTION_COUNT, 0, "seed", &seed, "N", "with --max-runs: choose other runs (default 1)"},
	{OPTION_FLAG, 0, "paper", &paper, NULL, "as in the paper: only the root goes, and trees grow as they can"},
	{OPTION_FLAG, 0, "csv", &csv, NULL, "read a table of comma-separated values"},
	{OPTION_STRING, 0, "class", &class_column, "COLUMN", "with --csv: the column that has the class"},
	OPTION_TEXT(&as_text),
	{0},
};

/* The index of a word in a list; ends the program if it is not there. */
static int chosen(listing_name *name, const char *what, const char *word)
{
	int index = listing_find(what, word, name);

	if (index < 0)
		die_usage("%s", fail_text());
	return index;
}

static struct rule_options read_options(void)
{
	struct rule_options how = {.count = count};

	if (count == 0 || max_runs < 2 || max_depth == 0 || max_depth > UINT_MAX || !(min_leaf > 0))
		die_usage("-n, --max-depth and --min-leaf must be above 0, --max-runs above 1");
	if (csv != (class_column != NULL))
		die_usage("--csv and --class belong together");
	how.tree.max_depth = (unsigned)max_depth;
	how.tree.paper = paper;
	how.tree.split.min_leaf = min_leaf;
	how.tree.split.multiway = multiway;
	how.tree.split.criterion = (enum criterion)chosen(criterion_name, "criterion", criterion);
	return how;
}

static void learn(const struct table *table, const struct rule_options *how, struct stream *output)
{
	size_t found;

	if (rules_write(table, how, output, &found) < 0)
		die("%s", fail_text());
	if (found == 0)
		warn("no feature tells the classes apart");
}

static int learn_csv(const char *file, const struct rule_options *how)
{
	struct table *table = table_of_csv(file, class_column);
	struct stream *output;
	int status;

	if (!table)
		die("%s", fail_text());
	output = stream_create();
	stream_output(output, STDOUT_FILENO, as_text);
	learn(table, how, output);
	table_free(table);
	status = stream_close(output);
	if (status == EXIT_FAILED)
		warn("%s", fail_text());
	return status;
}

static bool has_label(const struct run_table *runs)
{
	for (size_t i = 0; i < runs->rows.count; i++)
		if (runs->rows.items[i]->label)
			return true;
	return false;
}

static void learn_runs(const struct run_copy *copy, enum table_calls which, const struct rule_options *how)
{
	struct run_table *runs = run_copy_table(copy);
	struct table *table;
	size_t all;

	if (runs->grouped && !has_label(runs)) {
		warn("the runs form no groups, so there is nothing to tell apart");
		return;
	}
	all = run_sample(runs, SIZE_MAX, seed);
	if (all > max_runs)
		warn("learns from %zu of %zu runs, by class and node; --max-runs says how many", run_sample(runs, max_runs, seed), all);
	table = table_of_runs(runs, which);
	if (!table)
		die("%s", fail_text());
	learn(table, how, run_copy_output(copy));
	table_free(table);
	if (table_write_outside(runs, run_copy_output(copy)) < 0)
		die("%s", fail_text());
}

int main(int argc, char **argv)
{
	int first = command_line(argc, argv, options, "[FILE...]", "find what tells slow runs of a program from fast ones");
	struct rule_options how = read_options();
	enum table_calls which = (enum table_calls)chosen(calls_name, "choice of calls", calls);
	struct run_copy *copy;
	int status;

	if (csv && argc - first > 1)
		die_usage("--csv reads one file");
	interrupt_defer();
	confine(CONFINE_NOTHING_ELSE, NULL, argv + first, argc - first);
	if (csv)
		return learn_csv(argc > first ? argv[first] : "-", &how);

	/* open */
	copy = run_copy_open(argv + first, argc - first);
	if (!copy)
		die("%s", fail_text());
	run_copy_write(copy, STDOUT_FILENO, as_text);
	for (enum kind kind = KIND_RULE; kind <= KIND_OUTSIDE; kind++)
		run_copy_drop(copy, kind);

	/* read, learn */
	if (run_copy_run(copy) < 0)
		die("%s", fail_text());
	learn_runs(copy, which, &how);

	/* close */
	status = run_copy_close(copy);
	if (status && *fail_text())
		warn("%s", fail_text());
	return status;
}
