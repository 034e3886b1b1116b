#include "run/grouping.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

/*
 * kmeans: exact k-means of numbers on a line, by dynamic programming (H. Wang, M. Song, Ckmeans.1d.dp, The R Journal 3/2, 2011).
 * The mean silhouette (P. Rousseeuw, J. Comput. Appl. Math. 20, 1987) measures how well the groups are apart.
 */

enum { KMEANS_MOST = 5 }; /* groups */

struct kmeans {
	int groups;			/* 2 to KMEANS_MOST; 0: fewer than two different values */
	double silhouette;		/* mean over all values; a value alone in its group counts as 0 */
	size_t starts[KMEANS_MOST + 1]; /* index of each group's first value; then the count of values */
};

/* The distinct values, and prefix sums of all values, so that the cost of a group takes no loop. */
struct line_sums {
	size_t count;	      /* number of distinct values */
	size_t *first;	      /* of each distinct value, the index of the first value equal to it; then the count of all values */
	long double *sum, *square; /* over the values before an index, relative to the mean, so that little cancels out */
	const double *values;
	double mean;
};

static void sum_up(struct line_sums *sums, const double *values, size_t count)
{
	long double total = 0;

	*sums = (struct line_sums){.values = values};
	sums->first = memory_new(count + 1, sizeof(*sums->first));
	sums->sum = memory_new(count + 1, sizeof(*sums->sum));
	sums->square = memory_new(count + 1, sizeof(*sums->square));
	for (size_t i = 0; i < count; i++) {
		total += values[i];
		if (i == 0 || values[i] != values[i - 1])
			sums->first[sums->count++] = i;
	}
	sums->first[sums->count] = count;
	sums->mean = count ? (double)(total / (long double)count) : 0;
	for (size_t i = 0; i < count; i++) {
		long double centred = (long double)values[i] - sums->mean;

		sums->sum[i + 1] = sums->sum[i] + centred;
		sums->square[i + 1] = sums->square[i] + centred * centred;
	}
}

static void free_sums(struct line_sums *sums)
{
	free(sums->first);
	free(sums->sum);
	free(sums->square);
}

/* The cost of a group of the distinct values from, from + 1, ..., to - 1: the sum of the squared distances to its mean. */
static long double cost(const struct line_sums *sums, size_t from, size_t to)
{
	size_t first = sums->first[from], end = sums->first[to];
	long double sum = sums->sum[end] - sums->sum[first];
	long double squares = sums->square[end] - sums->square[first] - sum * sum / (long double)(end - first);

	return squares > 0 ? squares : 0;
}

/*
 * Sets least[i], for `from` <= i < `to`, to the least cost of the values from i on in one group more than `rest` stands for. Divide and conquer: as i
 * grows, the best first cut never moves left. It is in `low`..`high`.
 */
static void fill(const struct line_sums *sums, const long double *rest, long double *least, size_t from, size_t to, size_t low, size_t high)
{
	size_t middle = from + (to - from) / 2, best = 0;

	if (from >= to)
		return;
	least[middle] = INFINITY;
	for (size_t cut = low > middle + 1 ? low : middle + 1; cut <= high; cut++) {
		long double whole = cost(sums, middle, cut) + rest[cut];

		if (whole < least[middle]) {
			least[middle] = whole;
			best = cut;
		}
	}
	fill(sums, rest, least, from, middle, low, best ? best : high);
	fill(sums, rest, least, middle + 1, to, best ? best : low, high);
}

/* Chooses the partition with the lowest cuts among those that cost hardly more than the least. */
static void choose(const struct line_sums *sums, long double *const *least, int groups, struct kmeans *found)
{
	long double bound = least[groups - 1][0] * (1 + 1e-9L), spent = 0;
	size_t from = 0;

	found->groups = groups;
	found->starts[0] = 0;
	for (int left = groups - 1; left > 0; left--) {
		size_t cut = from + 1;

		while (cut + (size_t)left < sums->count && !(spent + cost(sums, from, cut) + least[left - 1][cut] <= bound))
			cut++;
		spent += cost(sums, from, cut);
		from = cut;
		found->starts[groups - left] = sums->first[cut];
	}
	found->starts[groups] = sums->first[sums->count];
}

/* The mean distance of a value to the others of its group: in sorted order, those before it are below it, those after it above. */
static double mean_within(const struct line_sums *sums, size_t value, size_t from, size_t to)
{
	long double centred = (long double)sums->values[value] - sums->mean;
	long double below = centred * (long double)(value - from) - (sums->sum[value] - sums->sum[from]);
	long double above = (sums->sum[to] - sums->sum[value]) - centred * (long double)(to - value);

	return (double)((below + above) / (long double)(to - from - 1));
}

/* The values of another group all lie on one side, so the mean distance to them is the distance to their mean. */
static double mean_between(const struct line_sums *sums, size_t value, size_t from, size_t to)
{
	long double centred = (long double)sums->values[value] - sums->mean;

	return (double)fabsl(centred - (sums->sum[to] - sums->sum[from]) / (long double)(to - from));
}

static double silhouette_of(const struct line_sums *sums, const struct kmeans *found, int group, size_t value)
{
	double within, between = INFINITY;

	if (found->starts[group + 1] - found->starts[group] == 1)
		return 0;
	within = mean_within(sums, value, found->starts[group], found->starts[group + 1]);
	for (int other = 0; other < found->groups; other++)
		if (other != group)
			between = fmin(between, mean_between(sums, value, found->starts[other], found->starts[other + 1]));
	return within == between ? 0 : (between - within) / fmax(between, within);
}

static double silhouette(const struct line_sums *sums, const struct kmeans *found)
{
	double sum = 0;

	for (int group = 0; group < found->groups; group++)
		for (size_t i = found->starts[group]; i < found->starts[group + 1]; i++)
			sum += silhouette_of(sums, found, group, i);
	return sum / (double)sums->first[sums->count];
}

/*
 * The best grouping of values in ascending order has the number of groups with the greatest silhouette; if two differ by less than 1e-10,
 * the fewer groups. Equal values stay together. Of partitions whose costs differ by at most 1e-9 of the least, it is the one with the lower first
 * cut, then the lower second.
 */
static struct kmeans kmeans_best(const double *values, size_t count)
{
	struct kmeans best = {0}, found;
	long double *least[KMEANS_MOST];
	struct line_sums sums;

	sum_up(&sums, values, count);
	for (int k = 0; k < KMEANS_MOST; k++) {
		least[k] = memory_new(sums.count + 1, sizeof(**least));
		for (size_t i = 0; i <= sums.count; i++)
			least[k][i] = k == 0 && i < sums.count ? cost(&sums, i, sums.count) : INFINITY;
	}
	for (int k = 1; k < KMEANS_MOST && (size_t)k < sums.count; k++) {
		fill(&sums, least[k - 1], least[k], 0, sums.count - (size_t)k, 1, sums.count - (size_t)k);
		choose(&sums, least, k + 1, &found);
		found.silhouette = silhouette(&sums, &found);
		if (best.groups == 0 || found.silhouette > best.silhouette + 1e-10)
			best = found;
	}
	for (int k = 0; k < KMEANS_MOST; k++)
		free(least[k]);
	free_sums(&sums);
	return best;
}

enum { LEAST_RUNS = 3, LEAST_NODES = 2, FEW = 30, NO_GROUP = -1, SENTENCE = 512 };

static const double WELL_APART = 0.75, SLOWER = 1.5;

/* The reason for which a run is left out. */
enum left { NOT_LEFT, LEFT_LOST, LEFT_PARTIAL, LEFT_CHILDREN, LEFT_LIGHT, LEFT_VALUE, LEFT_NODE, LEFT_KINDS };

static const char *const left_words[LEFT_KINDS] = {
	[LEFT_LOST] = "within which events were lost",
	[LEFT_PARTIAL] = "that began before the data where most did not, or the other way round",
	[LEFT_LIGHT] = "light where most are not, or the other way round",
	[LEFT_CHILDREN] = "without their children's calls where most have them, or the other way round",
	[LEFT_VALUE] = "without a value of the metric above 0",
	[LEFT_NODE] = "on nodes of fewer than 3 runs",
};

/* A value to be grouped: that of a run, or the median of a node. */
struct value {
	double metric;
	size_t unit; /* index of the run or the node */
	int group;   /* 0: the fastest; NO_GROUP: odd */
};

struct values {
	ARRAY(struct value) all; /* in ascending order */
	bool exist;		 /* the values form groups */
	bool one_bad;		 /* the slow group is made of odd nodes only */
	int groups;
	double silhouette;
};

struct grouping {
	const struct run_table *table;
	struct grouping_options options;
	enum left *left;	/* of each run */
	double *metric;		/* of each run */
	const char **labels;	/* of each run; NULL: none */
	struct values values;
	bool by_node, several; /* several: groups exist */
	size_t left_counts[LEFT_KINDS];
	char text[SENTENCE], why[SENTENCE];
};

static const char *const class_names[] = {"good", "bad", "between", "odd"};

static bool takes_part(const struct grouping *grouping, size_t row)
{
	const struct run_row *run = grouping->table->rows.items[row];

	return grouping->left[row] == NOT_LEFT && !run->own_label && (!grouping->options.job || !strcmp(run->job, grouping->options.job));
}

void grouping_want(const struct grouping_options *options, struct run_table *table)
{
	const char *slash = strchr(options->metric, '/');
	char *first = memory_text(options->metric, slash ? (size_t)(slash - options->metric) : strlen(options->metric));

	run_table_only(table, first);
	if (slash)
		run_table_only(table, slash + 1);
	free(first);
}

/* Reads a feature of each run, NAN where it is unknown. */
static void read_feature(const struct run_table *table, const char *name, double *values)
{
	const struct run_column *column = run_table_feature(table, name);
	bool zero = run_table_is_zero(name);

	for (size_t i = 0; i < table->rows.count; i++)
		values[i] = !strcmp(name, "elapsed") ? table->rows.items[i]->elapsed : zero ? 0 : NAN;
	for (size_t i = 0; column && i < column->cells.count; i++)
		values[column->cells.items[i].row] = column->cells.items[i].number;
}

static void read_metric(struct grouping *grouping)
{
	const char *slash = strchr(grouping->options.metric, '/');
	char *first = memory_text(grouping->options.metric, slash ? (size_t)(slash - grouping->options.metric) : strlen(grouping->options.metric));
	size_t count = grouping->table->rows.count;
	double *by;

	read_feature(grouping->table, first, grouping->metric);
	if (slash) {
		by = memory_new(count, sizeof(*by));
		read_feature(grouping->table, slash + 1, by);
		for (size_t i = 0; i < count; i++)
			grouping->metric[i] = by[i] > 0 ? grouping->metric[i] / by[i] : NAN;
		free(by);
	}
	free(first);
}

static bool is_partial(const struct run_row *run)
{
	return run->partial;
}

static bool is_childless(const struct run_row *run)
{
	return run->childless;
}

static bool is_light(const struct run_row *run)
{
	return run->light;
}

/* Compares like with like: leaves out those runs, `is` or not, that are fewer; if as many are as are not, those that are. */
static void keep_more(struct grouping *grouping, bool (*is)(const struct run_row *run), enum left why)
{
	size_t are = 0, are_not = 0;

	for (size_t i = 0; i < grouping->table->rows.count; i++)
		if (takes_part(grouping, i))
			(*(is(grouping->table->rows.items[i]) ? &are : &are_not))++;
	for (size_t i = 0; i < grouping->table->rows.count; i++)
		if (takes_part(grouping, i) && is(grouping->table->rows.items[i]) != (are > are_not))
			grouping->left[i] = why;
}

static void leave_out(struct grouping *grouping)
{
	bool exit = !strcmp(grouping->options.metric, "exit");

	for (size_t i = 0; i < grouping->table->rows.count; i++)
		if (takes_part(grouping, i) && grouping->table->rows.items[i]->incomplete)
			grouping->left[i] = LEFT_LOST;
	keep_more(grouping, is_partial, LEFT_PARTIAL);
	keep_more(grouping, is_light, LEFT_LIGHT);
	keep_more(grouping, is_childless, LEFT_CHILDREN);
	for (size_t i = 0; i < grouping->table->rows.count; i++)
		if (takes_part(grouping, i) && (exit ? grouping->table->rows.items[i]->exit < 0
						     : !(grouping->metric[i] > 0) || isinf(grouping->metric[i])))
			grouping->left[i] = LEFT_VALUE;
}

static int compare_values(const void *a, const void *b)
{
	const struct value *left = a, *right = b;

	if (left->metric != right->metric)
		return left->metric < right->metric ? -1 : 1;
	return left->unit < right->unit ? -1 : left->unit > right->unit;
}

/* The median of numbers in ascending order. */
static double median(const double *numbers, size_t count)
{
	return count % 2 ? numbers[count / 2] : (numbers[count / 2 - 1] + numbers[count / 2]) / 2;
}

/* The median of a group; sets *count to the number of its values. */
static double group_median(const struct values *values, int group, size_t *count)
{
	double *numbers = memory_new(values->all.count + 1, sizeof(*numbers)), middle;

	*count = 0;
	for (size_t i = 0; i < values->all.count; i++)
		if (values->all.items[i].group == group)
			numbers[(*count)++] = values->all.items[i].metric;
	middle = *count ? median(numbers, *count) : NAN;
	free(numbers);
	return middle;
}

/* Sets `logs` to the logarithms of the values that are not odd, and `places` to their indexes. Returns how many there are. */
static size_t rest_of(const struct values *values, double *logs, size_t *places)
{
	size_t count = 0;

	for (size_t i = 0; i < values->all.count; i++)
		if (values->all.items[i].group != NO_GROUP) {
			places[count] = i;
			logs[count++] = log(values->all.items[i].metric);
		}
	return count;
}

/* One round of grouping. Tells whether a group was too small: its values are now odd, and the rest must be grouped anew. */
static bool group_rest(struct values *values, size_t least, double *logs, size_t *places)
{
	size_t count = rest_of(values, logs, places);
	struct kmeans found = {0};
	bool peeled = false;

	if (count >= 2 * least)
		found = kmeans_best(logs, count);
	values->groups = found.groups;
	values->silhouette = found.silhouette;
	for (int group = 0; group < found.groups; group++) {
		bool odd = found.starts[group + 1] - found.starts[group] < least;

		for (size_t i = found.starts[group]; i < found.starts[group + 1]; i++)
			values->all.items[places[i]].group = odd ? NO_GROUP : group;
		peeled |= odd;
	}
	return peeled;
}

/* One bad machine makes a group of one, which is odd. If the other nodes form no groups, it is bad if it is SLOWER than their median. */
static void take_odd_nodes(struct values *values)
{
	size_t rest;
	double middle;

	for (size_t i = 0; i < values->all.count; i++)
		if (values->all.items[i].group != NO_GROUP)
			values->all.items[i].group = 0;
	middle = group_median(values, 0, &rest);
	for (size_t i = 0; i < values->all.count && rest; i++)
		if (values->all.items[i].group == NO_GROUP && values->all.items[i].metric >= SLOWER * middle) {
			values->all.items[i].group = 1;
			values->one_bad = values->exist = true;
		}
	values->groups = values->exist ? 2 : 1;
}

static void group(struct values *values, size_t least, bool nodes)
{
	double *logs = memory_new(values->all.count + 1, sizeof(*logs));
	size_t *places = memory_new(values->all.count + 1, sizeof(*places)), fastest, slowest;

	if (values->all.count)
		qsort(values->all.items, values->all.count, sizeof(*values->all.items), compare_values);
	while (group_rest(values, least, logs, places))
		;
	values->exist = values->groups >= 2 && values->silhouette >= WELL_APART &&
			group_median(values, values->groups - 1, &slowest) >= SLOWER * group_median(values, 0, &fastest);
	if (!values->exist && nodes)
		take_odd_nodes(values);
	free(logs);
	free(places);
}

static void clear(struct values *values)
{
	ARRAY_FREE(&values->all);
	*values = (struct values){0};
}

static void group_runs(struct grouping *grouping)
{
	clear(&grouping->values);
	for (size_t i = 0; i < grouping->table->rows.count; i++)
		if (takes_part(grouping, i))
			*ARRAY_ADD(&grouping->values.all) = (struct value){grouping->metric[i], i, 0};
	group(&grouping->values, LEAST_RUNS, false);
}

/* A run that takes part. Sorted by node, then by metric. */
struct node_run {
	int node;
	double metric;
	size_t row;
};

static int compare_node_runs(const void *a, const void *b)
{
	const struct node_run *left = a, *right = b;

	if (left->node != right->node)
		return left->node < right->node ? -1 : 1;
	return left->metric < right->metric ? -1 : left->metric > right->metric;
}

/* Adds the median of a node's runs, or leaves the runs out. */
static void add_node(struct grouping *grouping, const struct node_run *runs, size_t count)
{
	double *metrics;

	if (runs->node == RUN_UNKNOWN_NODE || count < LEAST_RUNS) {
		for (size_t i = 0; i < count; i++)
			grouping->left[runs[i].row] = LEFT_NODE;
		return;
	}
	metrics = memory_new(count, sizeof(*metrics));
	for (size_t i = 0; i < count; i++)
		metrics[i] = runs[i].metric;
	*ARRAY_ADD(&grouping->values.all) = (struct value){median(metrics, count), (size_t)runs->node, 0};
	free(metrics);
}

static void group_nodes(struct grouping *grouping)
{
	ARRAY(struct node_run) runs = {0};

	clear(&grouping->values);
	for (size_t i = 0; i < grouping->table->rows.count; i++)
		if (takes_part(grouping, i))
			*ARRAY_ADD(&runs) = (struct node_run){grouping->table->rows.items[i]->node, grouping->metric[i], i};
	if (runs.count)
		qsort(runs.items, runs.count, sizeof(*runs.items), compare_node_runs);
	for (size_t from = 0, to; from < runs.count; from = to) {
		for (to = from + 1; to < runs.count && runs.items[to].node == runs.items[from].node; to++)
			;
		add_node(grouping, runs.items + from, to - from);
	}
	free(runs.items);
	group(&grouping->values, LEAST_NODES, true);
	grouping->by_node = true;
}

static const char *class_of(const struct values *values, int group)
{
	return class_names[group == NO_GROUP ? 3 : group == 0 ? 0 : group == values->groups - 1 ? 1 : 2];
}

static void set_labels(struct grouping *grouping)
{
	size_t units = grouping->by_node ? grouping->table->nodes.count : grouping->table->rows.count;
	const char **by_unit = memory_new(units + 1, sizeof(*by_unit));

	for (size_t i = 0; i < grouping->values.all.count; i++)
		by_unit[grouping->values.all.items[i].unit] = class_of(&grouping->values, grouping->values.all.items[i].group);
	for (size_t i = 0; i < grouping->table->rows.count; i++)
		if (takes_part(grouping, i))
			grouping->labels[i] = by_unit[grouping->by_node ? (size_t)grouping->table->rows.items[i]->node : i];
	free(by_unit);
}

static void label_by_exit(struct grouping *grouping)
{
	for (size_t i = 0; i < grouping->table->rows.count; i++)
		if (takes_part(grouping, i))
			grouping->labels[i] = class_names[grouping->table->rows.items[i]->exit != 0];
}

static void label_by_groups(struct grouping *grouping)
{
	const char *unit = grouping->options.unit;
	enum left *left;

	if (!unit || !strcmp(unit, "run"))
		group_runs(grouping);
	if (!unit && !grouping->values.exist) { /* if nodes form no groups either, runs on nodes with few runs are not left out after all */
		left = memory_new(grouping->table->rows.count, sizeof(*left));
		memcpy(left, grouping->left, grouping->table->rows.count * sizeof(*left));
		group_nodes(grouping);
		if (!grouping->values.exist) {
			memcpy(grouping->left, left, grouping->table->rows.count * sizeof(*left));
			grouping->by_node = false;
			group_runs(grouping);
		}
		free(left);
	}
	if (unit && !strcmp(unit, "node"))
		group_nodes(grouping);
	grouping->several = grouping->values.exist;
	if (grouping->several)
		set_labels(grouping);
}

static size_t count_labels(const struct grouping *grouping, const char *label)
{
	size_t count = 0;

	for (size_t i = 0; i < grouping->table->rows.count; i++)
		count += grouping->labels[i] && !strcmp(grouping->labels[i], label);
	return count;
}

static void count_left(struct grouping *grouping)
{
	size_t length = 0;

	for (size_t i = 0; i < grouping->table->rows.count; i++)
		grouping->left_counts[grouping->left[i]]++;
	for (int why = LEFT_LOST; why < LEFT_KINDS; why++)
		if (grouping->left_counts[why])
			length += (size_t)snprintf(grouping->why + length, sizeof(grouping->why) - length, "%s%zu runs %s",
						   length ? ", " : "left out: ", grouping->left_counts[why], left_words[why]);
}

static size_t count_nodes(const struct grouping *grouping)
{
	bool *seen = memory_new(grouping->table->nodes.count + 1, sizeof(*seen));
	size_t count = 0;

	for (size_t i = 0; i < grouping->table->rows.count; i++) {
		int node = grouping->table->rows.items[i]->node;

		if (takes_part(grouping, i) && node != RUN_UNKNOWN_NODE && !seen[node]) {
			seen[node] = true;
			count++;
		}
	}
	free(seen);
	return count;
}

/* "60 runs of sqlite3 on 10 nodes: 42 fast, 18 slow" */
static void say(struct grouping *grouping)
{
	static const char *const words[] = {"fast", "slow", "between", "odd"}, *const outcomes[] = {"done", "failed", "between", "odd"};
	bool exit = !strcmp(grouping->options.metric, "exit");
	const char *job = grouping->options.job ? grouping->options.job
						: grouping->table->rows.count ? grouping->table->rows.items[0]->job : "";
	size_t nodes = count_nodes(grouping), runs = 0, length;

	for (size_t i = 0; i < grouping->table->rows.count; i++)
		runs += takes_part(grouping, i);
	length = (size_t)snprintf(grouping->text, sizeof(grouping->text), "%zu run%s of %.100s", runs, runs == 1 ? "" : "s", *job ? job : "a job");
	if (nodes)
		length += (size_t)snprintf(grouping->text + length, sizeof(grouping->text) - length, " on %zu node%s", nodes, nodes == 1 ? "" : "s");
	if (!grouping->several) {
		snprintf(grouping->text + length, sizeof(grouping->text) - length,
			 ": they form no groups, for %s", exit ? "all ended alike" : "their times are not well apart");
		return;
	}
	for (size_t i = 0, told = 0; i < 4; i++) {
		size_t count = count_labels(grouping, class_names[i]);

		if (count)
			length += (size_t)snprintf(grouping->text + length, sizeof(grouping->text) - length, "%s%zu %s",
						   told++ ? ", " : ": ", count, (exit ? outcomes : words)[i]);
	}
}

static int check_job(const struct run_table *table, const struct grouping_options *options)
{
	size_t own = 0;

	for (size_t i = 0; i < table->rows.count; i++) {
		const char *job = table->rows.items[i]->job;

		if (!options->job && strcmp(job, table->rows.items[0]->job))
			return fail("there are runs of several jobs, such as '%s' and '%s'; choose one with --job", table->rows.items[0]->job, job);
		own += !options->job || !strcmp(job, options->job);
	}
	return own ? 0 : options->job ? fail("there are no runs of the job '%s'", options->job) : fail("there are no runs");
}

struct grouping *grouping_make(const struct run_table *table, const struct grouping_options *options)
{
	struct grouping *grouping;
	size_t count = table->rows.count;

	if (check_job(table, options) < 0)
		return NULL;
	grouping = NEW(struct grouping);
	grouping->table = table;
	grouping->options = *options;
	grouping->left = memory_new(count, sizeof(*grouping->left));
	grouping->metric = memory_new(count, sizeof(*grouping->metric));
	grouping->labels = memory_new(count, sizeof(*grouping->labels));
	read_metric(grouping);
	leave_out(grouping);
	if (!strcmp(options->metric, "exit")) {
		label_by_exit(grouping);
		grouping->several = count_labels(grouping, "good") && count_labels(grouping, "bad");
	} else {
		label_by_groups(grouping);
	}
	count_left(grouping);
	say(grouping);
	return grouping;
}

void grouping_free(struct grouping *grouping)
{
	clear(&grouping->values);
	free(grouping->left);
	free(grouping->metric);
	free(grouping->labels);
	free(grouping);
}

size_t grouping_left(const struct grouping *grouping, const char **why)
{
	size_t count = 0;

	for (int i = LEFT_LOST; i < LEFT_KINDS; i++)
		count += grouping->left_counts[i];
	*why = grouping->why;
	return count;
}

/* Sizes and medians of the groups, with commas between them. */
static void write_sizes(const struct grouping *grouping, struct line *line)
{
	char sizes[KMEANS_MOST * 24] = "", medians[KMEANS_MOST * 32] = "";
	size_t count, odd = 0;

	for (int i = 0; i < grouping->values.groups; i++) {
		double middle = group_median(&grouping->values, i, &count);

		snprintf(sizes + strlen(sizes), sizeof(sizes) - strlen(sizes), "%s%zu", i ? "," : "", count);
		snprintf(medians + strlen(medians), sizeof(medians) - strlen(medians), "%s%.9g", i ? "," : "", middle);
	}
	for (size_t i = 0; i < grouping->values.all.count; i++)
		odd += grouping->values.all.items[i].group == NO_GROUP;
	if (!grouping->values.one_bad) {
		line_unsigned(line, "k", (uint64_t)grouping->values.groups);
		line_double(line, "silhouette", grouping->values.silhouette);
	}
	line_text(line, "sizes", sizes);
	line_text(line, "medians", medians);
	if (grouping->values.one_bad || grouping->values.all.count - odd < FEW)
		line_text(line, "sure", "few");
	if (odd)
		line_unsigned(line, "odd", odd);
}

static int write_labels(const struct grouping *grouping, struct stream *stream)
{
	struct line line = {0};
	int status = 0;

	for (size_t i = 0; i < grouping->table->rows.count && status == 0; i++) {
		const struct run_row *run = grouping->table->rows.items[i];
		const char *label = run->own_label ? run->label : grouping->several ? grouping->labels[i] : NULL;

		if (!label || (grouping->options.job && strcmp(run->job, grouping->options.job)))
			continue;
		line_begin(&line, "label");
		line_text(&line, "run", run->id);
		line_text(&line, "class", label);
		status = stream_write_line(stream, &line);
	}
	line_free(&line);
	return status;
}

int grouping_write(const struct grouping *grouping, struct stream *stream)
{
	bool exit = !strcmp(grouping->options.metric, "exit");
	struct line line = {0};
	const char *why;
	size_t left = grouping_left(grouping, &why);
	int status;

	line_begin(&line, "cluster");
	line_unsigned(&line, "groups", grouping->several ? (exit ? 2 : (uint64_t)grouping->values.groups) : 1);
	line_text(&line, "metric", grouping->options.metric);
	line_text(&line, "unit", grouping->by_node ? "node" : "run");
	if (grouping->several && !exit)
		write_sizes(grouping, &line);
	if (left)
		line_unsigned(&line, "left", left);
	line_text(&line, "text", grouping->text);
	status = stream_write_line(stream, &line);
	line_free(&line);
	return status < 0 ? -1 : write_labels(grouping, stream);
}

bool grouping_exists(const struct grouping *grouping)
{
	return grouping->several;
}

const char *grouping_class(const struct grouping *grouping, size_t row)
{
	return grouping->labels[row];
}

const char *grouping_words(const struct grouping *grouping)
{
	return grouping->text;
}
