/* run-cluster and run-rules: groups and rules out of runs; what they print is a stream that report reads. */
#include <math.h>
#include <unistd.h>

#include "run/grouping.h"
#include "run/rules.h"
#include "run/run_copy.h"
#include "support/fuzz.h"

static const struct way {
	struct grouping_options group;
	struct rule_options rules;
} ways[] = {
	{{"elapsed", NULL, NULL}, {{.max_depth = 3, .split = {.min_leaf = 2}}, 10}},
	{{"exit", "run", NULL}, {{.max_depth = 3, .paper = true, .split = {.min_leaf = 1}}, 3}},
	{{"elapsed/count.read", "node", NULL}, {{.max_depth = 2, .split = {.min_leaf = 2, .multiway = true, .criterion = CRITERION_RATIO}}, 10}},
	{{"time.read", "run", "j"}, {{.max_depth = 1, .split = {.min_leaf = 0.5, .criterion = CRITERION_GINI}}, 10}},
};

static void group(const char *path, const struct way *way)
{
	char *files[] = {(char *)path};
	struct run_copy *copy = run_copy_open(files, 1);
	struct grouping *grouping;

	run_copy_write(copy, fuzz_output(FUZZ_FIRST), true);
	grouping_want(&way->group, run_copy_table(copy));
	if (run_copy_run(copy) == 0 && (grouping = grouping_make(run_copy_table(copy), &way->group))) {
		grouping_write(grouping, run_copy_output(copy));
		grouping_free(grouping);
	}
	run_copy_close(copy);
}

static void learn(const char *path, const struct way *way)
{
	char *files[] = {(char *)path};
	struct run_copy *copy = run_copy_open(files, 1);
	struct table *table;
	size_t found;

	run_copy_write(copy, fuzz_output(FUZZ_SECOND), true);
	if (run_copy_run(copy) == 0 && (table = table_of_runs(run_copy_table(copy), way->rules.tree.paper ? CALLS_COMMON : CALLS_ALL))) {
		rules_write(table, &way->rules, run_copy_output(copy), &found);
		table_free(table);
		table_write_outside(run_copy_table(copy), run_copy_output(copy));
	}
	run_copy_close(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct way *way = &ways[fuzz_variant(data, size, sizeof(ways) / sizeof(ways[0]))];
	const char *input = fuzz_file(FUZZ_INPUT, data, size);

	learn(input, way); /* labels may be in it */
	fuzz_must(stage_cat(fuzz_path(FUZZ_SECOND), FUZZ_THIRD, true) != 1);
	group(input, way);
	learn(fuzz_path(FUZZ_FIRST), way);
	fuzz_must(stage_report(fuzz_path(FUZZ_SECOND), FUZZ_THIRD, way - ways == 1) != 1);
	return 0;
}
