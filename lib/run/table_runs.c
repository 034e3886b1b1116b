/*
 * Makes a table of the good and the bad runs of a stream: decides which values are absent, which keys are settings, how much of the
 * difference in time each feature explains, and which calls are common.
 */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "run/table.h"

/*
 * calls_of: the system calls that a feature is about, from its name: count.read, next.read-write.
 */

/* Parts of the feature's name. */
struct calls_of {
	const char *first, *second; /* second NULL: one call */
	size_t first_length, second_length;
	bool gap; /* the feature is about two calls: next or gap */
};

/* False: the feature is about no call, such as time.outside and facts. */
static bool calls_of_feature(const char *name, struct calls_of *calls)
{
	static const char *const kinds[] = {"count.", "errors.", "time.", "result.", "arg.", "sum.", "rate.", "next.", "gap."};
	const char *rest = NULL, *dash;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !rest; i++)
		if (!strncmp(name, kinds[i], strlen(kinds[i])))
			rest = name + strlen(kinds[i]);
	if (!rest || !strcmp(name, "time.outside"))
		return false;
	dash = *name == 'n' || *name == 'g' ? strchr(rest, '-') : NULL;
	*calls = (struct calls_of){.first = rest, .first_length = dash ? (size_t)(dash - rest) : strlen(rest), .gap = dash};
	if (dash) {
		calls->second = dash + 1;
		calls->second_length = strlen(dash + 1);
	}
	return true;
}

enum { GOOD, BAD, CLASSES };

/* The runs that are labelled good or bad. */
struct chosen {
	const struct run_table *runs;
	size_t count;
	uint32_t *rows;	     /* index of each in the run table */
	int *at;	     /* for each run of the run table: its row here; -1: none */
	int *class_of, *unit_of;
	size_t class_counts[CLASSES];
	int units;
	double slower;	     /* mean elapsed of bad runs minus that of good ones; NAN: bad runs are not slower */
};

/* Fails for runs of several jobs: they differ by more than what makes a run slow. Returns 0; -1 after fail(). */
static int check_jobs(const struct chosen *chosen)
{
	const char *first = chosen->count ? chosen->runs->rows.items[chosen->rows[0]]->job : NULL;

	for (size_t i = 1; i < chosen->count; i++) {
		const char *job = chosen->runs->rows.items[chosen->rows[i]]->job;

		if (strcmp(job, first) != 0)
			return fail("runs of several jobs have a class, such as '%s' and '%s'", first, job);
	}
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp((*(struct run_column *const *)a)->name, (*(struct run_column *const *)b)->name);
}

static void set_units(struct chosen *chosen)
{
	int *of_node = memory_new(chosen->runs->nodes.count + 1, sizeof(*of_node));

	for (size_t i = 0; i < chosen->runs->nodes.count; i++)
		of_node[i] = -1;
	for (size_t i = 0; i < chosen->count; i++) {
		int node = chosen->runs->rows.items[chosen->rows[i]]->node;

		if (node == RUN_UNKNOWN_NODE)
			chosen->unit_of[i] = chosen->units++;
		else if (of_node[node] < 0)
			chosen->unit_of[i] = of_node[node] = chosen->units++;
		else
			chosen->unit_of[i] = of_node[node];
	}
	free(of_node);
}

static void set_slower(struct chosen *chosen)
{
	double sums[CLASSES] = {0};

	for (size_t i = 0; i < chosen->count; i++)
		sums[chosen->class_of[i]] += chosen->runs->rows.items[chosen->rows[i]]->elapsed;
	chosen->slower = sums[BAD] / (double)chosen->class_counts[BAD] - sums[GOOD] / (double)chosen->class_counts[GOOD];
	if (!(chosen->slower > 0))
		chosen->slower = NAN;
}

static struct chosen choose(const struct run_table *runs)
{
	struct chosen chosen = {.runs = runs};

	chosen.rows = memory_new(runs->rows.count + 1, sizeof(*chosen.rows));
	chosen.at = memory_new(runs->rows.count + 1, sizeof(*chosen.at));
	chosen.class_of = memory_new(runs->rows.count + 1, sizeof(*chosen.class_of));
	chosen.unit_of = memory_new(runs->rows.count + 1, sizeof(*chosen.unit_of));
	for (size_t i = 0; i < runs->rows.count; i++) {
		const char *label = runs->rows.items[i]->label;
		int class = !label ? -1 : !strcmp(label, "good") ? GOOD : !strcmp(label, "bad") ? BAD : -1;

		chosen.at[i] = class < 0 ? -1 : (int)chosen.count;
		if (class < 0)
			continue;
		chosen.rows[chosen.count] = (uint32_t)i;
		chosen.class_of[chosen.count++] = class;
		chosen.class_counts[class]++;
	}
	set_units(&chosen);
	set_slower(&chosen);
	return chosen;
}

static void free_chosen(struct chosen *chosen)
{
	free(chosen->rows);
	free(chosen->at);
	free(chosen->class_of);
	free(chosen->unit_of);
}

/* A number for each chosen run; `otherwise` where the column has none. NULL after fail(): a run has two. */
static double *numbers_of(const struct chosen *chosen, const struct run_column *column, double otherwise)
{
	double *numbers = memory_new(chosen->count + 1, sizeof(*numbers));
	bool *set = memory_new(chosen->count + 1, sizeof(*set));

	for (size_t i = 0; i < chosen->count; i++)
		numbers[i] = otherwise;
	for (size_t i = 0; column && i < column->cells.count; i++) {
		const struct run_cell *cell = &column->cells.items[i];
		int row = chosen->at[cell->row];

		if (row < 0)
			continue;
		if (set[row]) {
			fail("'%s' comes twice for the run '%s'", column->name, chosen->runs->rows.items[cell->row]->id);
			free(numbers);
			numbers = NULL;
			break;
		}
		set[row] = true;
		numbers[row] = cell->number;
	}
	free(set);
	return numbers;
}

static bool has_words(const struct run_column *column)
{
	for (size_t i = 0; i < column->cells.count; i++)
		if (isnan(column->cells.items[i].number))
			return true;
	return false;
}

/* The text of a cell, as it was spelled if that was kept. */
static char *spelled(const struct run_cell *cell)
{
	char text[NUMBER_ROOM];

	if (cell->text)
		return memory_text(cell->text, strlen(cell->text));
	return memory_text(text, number_spell_double(text, cell->number));
}

/* The column's text for each chosen run, NULL where it has none. Returns NULL after fail(). */
static char **texts_of(const struct chosen *chosen, const struct run_column *column)
{
	char **texts = memory_new(chosen->count + 1, sizeof(*texts));
	int twice = -1;

	for (size_t i = 0; i < column->cells.count; i++) {
		int row = chosen->at[column->cells.items[i].row];

		if (row >= 0 && texts[row])
			twice = row;
		else if (row >= 0)
			texts[row] = spelled(&column->cells.items[i]);
	}
	if (twice < 0)
		return texts;
	fail("'%s' comes twice for the run '%s'", column->name, chosen->runs->rows.items[chosen->rows[twice]]->id);
	for (size_t i = 0; i < chosen->count; i++)
		free(texts[i]);
	free(texts);
	return NULL;
}

/* Tells whether the setting, or the file that has it, could not be read on the machine of the run. */
static bool is_unread(const struct chosen *chosen, const char *name, uint32_t row)
{
	for (size_t i = 0; i < chosen->runs->unread.count; i++) {
		const struct run_unread *unread = &chosen->runs->unread.items[i];
		size_t length = strlen(unread->file);

		if (unread->row == row && !strncmp(name, unread->file, length) && (name[length] == '/' || !name[length]))
			return true;
	}
	return false;
}

/* In a run that has other settings but lacks this one, the setting is absent, unless its file could not be read. */
static void set_absent(const struct chosen *chosen, const char *name, char **texts)
{
	for (size_t i = 0; i < chosen->count; i++)
		if (!texts[i] && chosen->runs->rows.items[chosen->rows[i]]->has_config && !is_unread(chosen, name, chosen->rows[i]))
			texts[i] = memory_text("absent", strlen("absent"));
}

/* Sets the setting's value on each node, NULL: unknown. False: the value changes within a node. */
static bool value_of_nodes(const struct chosen *chosen, char *const *texts, const char **of_unit)
{
	for (size_t i = 0; i < chosen->count; i++) {
		const char **value = &of_unit[chosen->unit_of[i]];

		if (texts[i] && *value && strcmp(*value, texts[i]))
			return false;
		if (texts[i])
			*value = texts[i];
	}
	return true;
}

static int compare_texts(const void *a, const void *b)
{
	const char *left = *(const char *const *)a, *right = *(const char *const *)b;

	return !left || !right ? !left - !right : strcmp(left, right);
}

/* Tells whether two nodes have the same value. */
static bool repeats(const char **of_unit, size_t units)
{
	qsort(of_unit, units, sizeof(*of_unit), compare_texts);
	for (size_t i = 1; i < units; i++)
		if (of_unit[i] && !strcmp(of_unit[i], of_unit[i - 1]))
			return true;
	return false;
}

/* A key is no setting if its value changes within a node, or if it has words and no two nodes share a value, as with uuids. */
static bool is_setting(const struct chosen *chosen, const struct run_column *column, char *const *texts)
{
	const char **of_unit = memory_new((size_t)chosen->units + 1, sizeof(*of_unit));
	bool is = value_of_nodes(chosen, texts, of_unit) && (!has_words(column) || repeats(of_unit, (size_t)chosen->units));

	free(of_unit);
	return is;
}

/* The difference between the means of bad and good runs, as a share of the difference between their mean elapsed times. */
static double share_of_slowness(const struct chosen *chosen, const double *seconds)
{
	double sums[CLASSES] = {0};

	for (size_t i = 0; i < chosen->count; i++)
		sums[chosen->class_of[i]] += seconds[i];
	return (sums[BAD] / (double)chosen->class_counts[BAD] - sums[GOOD] / (double)chosen->class_counts[GOOD]) / chosen->slower;
}

/* The share of slowness that time.CALL explains or, for a pair of calls, the whole time between them: gap.PAIR times next.PAIR. */
static double explains(const struct chosen *chosen, const char *name)
{
	struct calls_of calls;
	bool outside = !strcmp(name, "time.outside"), about = calls_of_feature(name, &calls);
	char *timed = !about ? memory_text("time.outside", 12)
			     : calls.gap ? memory_format("gap.%s", calls.first)
					 : memory_format("time.%.*s", (int)calls.first_length, calls.first);
	char *often = about && calls.gap ? memory_format("next.%s", calls.first) : NULL;
	double *seconds = NULL, *times = NULL, share = NAN;

	if ((about || outside) && !isnan(chosen->slower)) {
		seconds = numbers_of(chosen, run_table_feature(chosen->runs, timed), 0);
		times = often && seconds ? numbers_of(chosen, run_table_feature(chosen->runs, often), 0) : NULL;
		for (size_t i = 0; times && i < chosen->count; i++)
			seconds[i] *= times[i];
		share = seconds ? share_of_slowness(chosen, seconds) : NAN;
	}
	free(seconds);
	free(times);
	free(timed);
	free(often);
	return share;
}

/* Makes a feature of a column. Returns 1; 0: the column is no feature; -1 after fail(). */
static int make_feature(const struct chosen *chosen, const struct run_column *column, struct feature *feature)
{
	char **texts;
	double *numbers;

	*feature = (struct feature){.config = column->config, .explains = NAN};
	if (!column->config && !has_words(column)) {
		numbers = numbers_of(chosen, column, run_table_is_zero(column->name) ? 0 : NAN);
		if (!numbers)
			return -1;
		feature_set_numbers(feature, numbers, NULL, chosen->count);
	} else {
		texts = texts_of(chosen, column);
		if (!texts)
			return -1;
		if (column->config)
			set_absent(chosen, column->name, texts);
		if (column->config && !is_setting(chosen, column, texts)) {
			for (size_t i = 0; i < chosen->count; i++)
				free(texts[i]);
			free(texts);
			return 0;
		}
		feature_set(feature, texts, chosen->count);
	}
	feature->name = memory_text(column->name, strlen(column->name));
	if (!column->config)
		feature->explains = explains(chosen, column->name);
	return 1;
}

/* The number of nodes on which a run of the class (CLASSES: of any class) made the call. */
static size_t nodes_that_called(const struct chosen *chosen, const double *counts, int class)
{
	bool *did = memory_new((size_t)chosen->units + 1, sizeof(*did));
	size_t nodes = 0;

	for (size_t i = 0; i < chosen->count; i++)
		if (counts[i] > 0 && (class == CLASSES || chosen->class_of[i] == class) && !did[chosen->unit_of[i]]) {
			did[chosen->unit_of[i]] = true;
			nodes++;
		}
	free(did);
	return nodes;
}

/* Tells whether each node made the call in at least one of its runs. */
static bool is_common(const struct chosen *chosen, const char *call, size_t length)
{
	char *name = memory_format("count.%.*s", (int)length, call);
	double *counts = numbers_of(chosen, run_table_feature(chosen->runs, name), 0);
	bool common = counts && nodes_that_called(chosen, counts, CLASSES) == (size_t)chosen->units;

	free(counts);
	free(name);
	return common;
}

static bool is_wanted(const struct chosen *chosen, const struct run_column *column, enum table_calls which)
{
	struct calls_of calls;

	if (which == CALLS_ALL || column->config || !calls_of_feature(column->name, &calls))
		return true;
	return is_common(chosen, calls.first, calls.first_length) &&
	       (!calls.second || is_common(chosen, calls.second, calls.second_length));
}

static int add_columns(struct table *table, const struct chosen *chosen, const struct run_column *columns, enum table_calls which)
{
	int status = 0;

	for (const struct run_column *column = columns; column && status >= 0; column = column->hh.next) {
		if (!is_wanted(chosen, column, which))
			continue;
		status = make_feature(chosen, column, &table->feature[table->features]);
		table->features += status > 0;
	}
	return status < 0 ? -1 : 0;
}

static int compare_features(const void *a, const void *b)
{
	const struct feature *left = a, *right = b;

	return strcmp(left->name, right->name);
}

static void fill(struct table *table, struct chosen *chosen)
{
	static const char *const names[CLASSES] = {"good", "bad"};

	table->rows = chosen->count;
	table->classes = CLASSES;
	table->class_names = memory_new(CLASSES, sizeof(*table->class_names));
	table->class_counts = memory_new(CLASSES, sizeof(*table->class_counts));
	for (int i = 0; i < CLASSES; i++) {
		table->class_names[i] = memory_text(names[i], strlen(names[i]));
		table->class_counts[i] = chosen->class_counts[i];
	}
	table->class_of = chosen->class_of;
	table->unit_of = chosen->unit_of;
	table->units = chosen->units;
	chosen->class_of = chosen->unit_of = NULL;
}

struct table *table_of_runs(const struct run_table *runs, enum table_calls which)
{
	struct chosen chosen = choose(runs);
	struct table *table = NULL;

	if (chosen.class_counts[GOOD] == 0 || chosen.class_counts[BAD] == 0) {
		fail(runs->rows.count == 0 ? "there are no runs"
		     : chosen.count == 0   ? "no run has a class; run-cluster gives them"
					   : "all runs are %s, so there is nothing to tell apart",
		     chosen.class_counts[GOOD] ? "good" : "bad");
	} else if (check_jobs(&chosen) == 0) {
		table = NEW(struct table);
		table->feature = memory_new(HASH_COUNT(runs->columns) + HASH_COUNT(runs->settings) + 1, sizeof(*table->feature));
		if (add_columns(table, &chosen, runs->columns, which) < 0 || add_columns(table, &chosen, runs->settings, which) < 0) {
			table_free(table);
			table = NULL;
		}
	}
	if (table) {
		qsort(table->feature, table->features, sizeof(*table->feature), compare_features);
		fill(table, &chosen);
	}
	free_chosen(&chosen);
	return table;
}

static int write_call(const struct chosen *chosen, const struct run_column *column, struct stream *stream)
{
	double *counts = numbers_of(chosen, column, 0), share, means[CLASSES] = {0};
	size_t runs[CLASSES] = {0};
	struct line line = {0};
	int status = 0;

	if (!counts)
		return -1;
	for (size_t i = 0; i < chosen->count; i++) {
		runs[chosen->class_of[i]] += counts[i] > 0;
		means[chosen->class_of[i]] += counts[i] / (double)chosen->class_counts[chosen->class_of[i]];
	}
	if (nodes_that_called(chosen, counts, CLASSES) < (size_t)chosen->units && runs[GOOD] + runs[BAD]) {
		line_begin(&line, "outside");
		line_text(&line, "call", column->name + strlen("count."));
		line_unsigned(&line, "runs_good", runs[GOOD]);
		line_unsigned(&line, "runs_bad", runs[BAD]);
		line_unsigned(&line, "nodes_good", nodes_that_called(chosen, counts, GOOD));
		line_unsigned(&line, "nodes_bad", nodes_that_called(chosen, counts, BAD));
		line_double(&line, "mean_good", means[GOOD]);
		line_double(&line, "mean_bad", means[BAD]);
		share = explains(chosen, column->name);
		if (!isnan(share))
			line_double(&line, "explains", share);
		status = stream_write_line(stream, &line);
		line_free(&line);
	}
	free(counts);
	return status;
}

int table_write_outside(const struct run_table *runs, struct stream *stream)
{
	struct chosen chosen = choose(runs);
	struct run_column **sorted = memory_new(HASH_COUNT(runs->columns) + 1, sizeof(*sorted));
	size_t count = 0;
	int status = 0;

	for (struct run_column *column = runs->columns; column; column = column->hh.next)
		if (!strncmp(column->name, "count.", 6))
			sorted[count++] = column;
	qsort(sorted, count, sizeof(*sorted), compare_names);
	for (size_t i = 0; i < count && status == 0; i++)
		status = write_call(&chosen, sorted[i], stream);
	free(sorted);
	free_chosen(&chosen);
	return status;
}
