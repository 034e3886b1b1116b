#include "run/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "run/split.h"

/*
 * deals: a permutation test of how often chance alone would gain as much. Each deal deals the classes at random to the rows or, if each node has
 * one class, to the nodes, and takes the best gain over all features. The share of right rows would be no measure: with 232 features and
 * dealt classes, trees of depth 3 got 87 % of 60 runs right.
 */

enum { DEALS = 199 };

static const double SURE = 0.05;

struct deals {
	double best[DEALS];
	int count;
	bool all;	 /* `best` has each different deal once, the real one too */
	double different; /* number of different deals */
	int alike;	 /* deals that split the units as the real classes do */
};

/* A numeric feature without absent values, where there are two classes: its rows in order, and where its value changes. */
struct series {
	const uint32_t *order;
	bool *ends;	/* the next row has a greater value */
	size_t known;
};

/* The state of dealing. */
struct dealer {
	const struct table *table;
	const struct split_options *options;
	struct table dealt;	/* the same table with other classes */
	struct split_rows rows;
	double *weights, *terms;
	int *unit_classes;	/* class of each unit, in the order of units */
	int *unit_of;		/* unit of each row */
	size_t units;
	struct series *series;	/* of each feature; .order NULL: use split_score() instead */
};

/* splitmix64 (S. Vigna, https://prng.di.unimi.it/splitmix64.c) with a fixed seed: each call of the command makes the same deals. */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static void shuffle(int *classes, size_t count, uint64_t *state)
{
	for (size_t i = count; i > 1; i--) {
		size_t j = (size_t)(draw(state) % i);
		int class = classes[i - 1];

		classes[i - 1] = classes[j];
		classes[j] = class;
	}
}

/* The next permutation of the classes in lexicographic order; false: it was the last. */
static bool next_order(int *classes, size_t count)
{
	size_t i = count, j = count;
	int class;

	while (i > 1 && classes[i - 2] >= classes[i - 1])
		i--;
	if (i < 2)
		return false;
	while (classes[j - 1] <= classes[i - 2])
		j--;
	class = classes[i - 2];
	classes[i - 2] = classes[j - 1];
	classes[j - 1] = class;
	for (size_t low = i - 1, high = count - 1; low < high; low++, high--) {
		class = classes[low];
		classes[low] = classes[high];
		classes[high] = class;
	}
	return true;
}

/* Units are nodes if each node has one class, else rows. */
static void make_units(struct dealer *dealer)
{
	const struct table *table = dealer->table;
	bool by_node = true;

	dealer->units = (size_t)table->units;
	dealer->unit_classes = memory_new(table->rows + 1, sizeof(*dealer->unit_classes));
	dealer->unit_of = memory_new(table->rows + 1, sizeof(*dealer->unit_of));
	for (size_t i = 0; i < dealer->units; i++)
		dealer->unit_classes[i] = -1;
	for (size_t i = 0; i < table->rows; i++) {
		int *class = &dealer->unit_classes[table->unit_of[i]];

		dealer->unit_of[i] = table->unit_of[i];
		by_node &= *class < 0 || *class == table->class_of[i];
		*class = table->class_of[i];
	}
	if (by_node)
		return;
	dealer->units = table->rows;
	for (size_t i = 0; i < table->rows; i++) {
		dealer->unit_of[i] = (int)i;
		dealer->unit_classes[i] = table->class_of[i];
	}
}

static void make_series(struct dealer *dealer)
{
	dealer->series = memory_new(dealer->table->features + 1, sizeof(*dealer->series));
	for (size_t f = 0; f < dealer->table->features; f++) {
		const struct feature *feature = &dealer->table->feature[f];
		struct series *series = &dealer->series[f];

		if (!feature->numeric || feature->words || dealer->table->classes != 2 || dealer->options->criterion == CRITERION_GINI)
			continue;
		series->order = feature->order;
		series->known = feature->known;
		series->ends = memory_new(feature->known + 1, sizeof(*series->ends));
		for (size_t i = 0; i + 1 < feature->known; i++)
			series->ends[i] = feature->numbers[feature->order[i]] < feature->numbers[feature->order[i + 1]];
	}
}

/* The number of different deals is the multinomial coefficient: units! over the product of the factorials of the classes' counts. */
static void count_deals(struct dealer *dealer, struct deals *deals)
{
	size_t *counts = memory_new(dealer->table->classes, sizeof(*counts)), dealt = 0;

	deals->different = 1;
	for (size_t i = 0; i < dealer->units; i++)
		counts[dealer->unit_classes[i]]++;
	for (size_t class = 0; class < dealer->table->classes; class++)
		for (size_t i = 1; i <= counts[class]; i++)
			deals->different = deals->different * (double)++dealt / (double)i;
	deals->alike = dealer->table->classes == 2 && counts[0] == counts[1] ? 2 : 1;
	free(counts);
}

/* The best gain of a series: moves the rows one by one to the left branch. */
static double series_score(const struct dealer *dealer, const struct series *series)
{
	const double *terms = dealer->terms;
	const int *class_of = dealer->dealt.class_of;
	size_t known = series->known, ones = 0, left_ones = 0, least = (size_t)ceil(dealer->options->min_leaf - 1e-9);
	double best = -INFINITY, whole;

	for (size_t i = 0; i < known; i++)
		ones += (size_t)class_of[series->order[i]];
	for (size_t i = 0; i < known; i++) {
		size_t left = i + 1, right = known - left, right_ones;
		double score;

		left_ones += (size_t)class_of[series->order[i]];
		if (!series->ends[i] || left < least || right < least)
			continue;
		right_ones = ones - left_ones;
		score = terms[left_ones] + terms[left - left_ones] - terms[left] + terms[right_ones] + terms[right - right_ones] - terms[right];
		best = score > best ? score : best;
	}
	whole = terms[known] - terms[ones] - terms[known - ones];
	return (whole + best) / dealer->rows.total;
}

static double deal_score(const struct dealer *dealer)
{
	double best = -INFINITY, score;
	size_t candidates = 0;

	for (size_t f = 0; f < dealer->table->features; f++) {
		score = dealer->series[f].order ? series_score(dealer, &dealer->series[f])
						: split_score(&dealer->rows, &dealer->table->feature[f], dealer->options, &candidates);
		best = score > best ? score : best;
	}
	return best;
}

static void deal(struct dealer *dealer, struct deals *deals)
{
	for (size_t i = 0; i < dealer->table->rows; i++)
		dealer->dealt.class_of[i] = dealer->unit_classes[dealer->unit_of[i]];
	deals->best[deals->count++] = deal_score(dealer);
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void deal_all(struct dealer *dealer, struct deals *deals)
{
	uint64_t state = 1;

	deals->all = deals->different <= DEALS + 0.5;
	if (deals->all) {
		qsort(dealer->unit_classes, dealer->units, sizeof(*dealer->unit_classes), compare_ints);
		do
			deal(dealer, deals);
		while (deals->count < DEALS && next_order(dealer->unit_classes, dealer->units));
		return;
	}
	while (deals->count < DEALS) {
		shuffle(dealer->unit_classes, dealer->units, &state);
		deal(dealer, deals);
	}
}

/* Deals 199 times or, if there are no more different deals than that, each of them once. */
static struct deals *deals_make(const struct table *table, const struct split_options *options)
{
	struct dealer dealer = {.table = table, .options = options, .dealt = *table};
	struct deals *deals = NEW(struct deals);

	dealer.dealt.class_of = memory_new(table->rows + 1, sizeof(*dealer.dealt.class_of));
	dealer.terms = split_terms(table->rows);
	dealer.weights = memory_new(table->rows + 1, sizeof(*dealer.weights));
	for (size_t i = 0; i < table->rows; i++)
		dealer.weights[i] = 1;
	dealer.rows = (struct split_rows){.table = &dealer.dealt, .weights = dealer.weights, .total = (double)table->rows, .terms = dealer.terms};
	make_units(&dealer);
	make_series(&dealer);
	count_deals(&dealer, deals);
	deal_all(&dealer, deals);
	for (size_t f = 0; f < table->features; f++)
		free(dealer.series[f].ends);
	free(dealer.series);
	free(dealer.unit_of);
	free(dealer.unit_classes);
	free(dealer.dealt.class_of);
	free(dealer.weights);
	free(dealer.terms);
	return deals;
}

static void deals_free(struct deals *deals)
{
	free(deals);
}

/* The share of deals whose best score is at least this one. The real classes count as a deal. */
static double deals_p(const struct deals *deals, double score)
{
	int reach = !deals->all;

	for (int i = 0; i < deals->count; i++)
		reach += deals->best[i] >= score - EQUAL_SCORES;
	return (double)reach / (deals->count + !deals->all);
}

/* "yes": p is at most 0.05; "few": there are too few different deals for any p that low; else "no". */
static const char *deals_sure(const struct deals *deals, double p)
{
	if (p <= SURE)
		return "yes";
	return deals->alike / deals->different > SURE ? "few" : "no";
}

struct rules {
	const struct table *table;
	struct tree_options options;
	struct deals *deals;
	double *scores; /* of each feature at the root */
	bool *gone;	/* of each feature: it was removed */
	double *weights, *terms;
	struct split_rows rows;
	struct stream *stream;
	struct line line;
	size_t rank;
};

static void put_cut(struct line *line, const struct split *split)
{
	if (split->kind == SPLIT_LESS)
		line_double(line, "cut", split->cut);
	else
		line_text(line, "cut", split->kind == SPLIT_ANY ? "any" : split_value(split, split->value));
}

/* Writes the side of a split on which the second of two classes has the larger share. A split with a branch for each value has no sides. */
static void put_bad(struct line *line, const struct table *table, const struct split *split)
{
	static const char *const sides[] = {"below", "above"}, *const words[] = {"with", "without"};
	double counts[2][2] = {{0}};

	if (table->classes != 2 || split->kind == SPLIT_ANY)
		return;
	for (size_t i = 0; i < table->rows; i++) {
		int branch = split_branch(split, i);

		if (branch != WORD_UNKNOWN)
			counts[branch][table->class_of[i]]++;
	}
	for (int branch = 0; branch < 2; branch++)
		if (counts[branch][1] * (counts[!branch][0] + counts[!branch][1]) > counts[!branch][1] * (counts[branch][0] + counts[branch][1]))
			line_text(line, "bad", (split->kind == SPLIT_LESS ? sides : words)[branch]);
}

static void put_explains(struct line *line, const struct feature *feature)
{
	if (!isnan(feature->explains))
		line_double(line, "explains", feature->explains);
}

/* "good if ..."; with three classes or more, a text for each class, joined by "; ". */
static char *rule_text(const struct table *table, const struct tree_node *tree)
{
	char *all = memory_text("", 0);

	for (size_t class = 0; class < (table->classes == 2 ? 1 : table->classes); class++) {
		char *paths = tree_text(tree, (int)class), *longer;

		if (*paths) {
			longer = memory_format("%s%s%s if %s", all, *all ? "; " : "", table->class_names[class], paths);
			free(all);
			all = longer;
		}
		free(paths);
	}
	return all;
}

static int write_rule(struct rules *rules, const struct tree_node *tree)
{
	const struct feature *feature = tree->split.feature;
	double p = deals_p(rules->deals, tree->split.score);
	char *text = rule_text(rules->table, tree);

	line_begin(&rules->line, "rule");
	line_unsigned(&rules->line, "rank", rules->rank);
	line_text(&rules->line, "feature", feature->name);
	put_cut(&rules->line, &tree->split);
	line_double(&rules->line, "gain", tree->split.score);
	line_double(&rules->line, "right", tree->right);
	line_unsigned(&rules->line, "runs", rules->table->rows);
	line_unsigned(&rules->line, "leaves", tree->leaves);
	line_double(&rules->line, "p", p);
	line_text(&rules->line, "sure", deals_sure(rules->deals, p));
	put_bad(&rules->line, rules->table, &tree->split);
	put_explains(&rules->line, feature);
	line_text(&rules->line, "text", text);
	free(text);
	return stream_write_line(rules->stream, &rules->line);
}

/* Tells whether two splits split the rows of the table into the same sets. */
static bool is_same(const struct table *table, const struct split *one, const struct split *other)
{
	size_t ones = split_branches(one), others = split_branches(other);
	int *of_one = memory_new(ones, sizeof(*of_one)), *of_other = memory_new(others, sizeof(*of_other));
	bool same = true;

	for (size_t i = 0; i < ones; i++)
		of_one[i] = WORD_UNKNOWN;
	for (size_t i = 0; i < others; i++)
		of_other[i] = WORD_UNKNOWN;
	for (size_t row = 0; row < table->rows && same; row++) {
		int a = split_branch(one, row), b = split_branch(other, row);

		if (a == WORD_UNKNOWN || b == WORD_UNKNOWN) {
			same = a == b;
			continue;
		}
		if (of_one[a] == WORD_UNKNOWN && of_other[b] == WORD_UNKNOWN) {
			of_one[a] = b;
			of_other[b] = a;
		}
		same = of_one[a] == b && of_other[b] == a;
	}
	free(of_one);
	free(of_other);
	return same;
}

/* Removes a feature whose best split equals that of the root, and writes a `same` record. Only a feature with an equal score can be one. */
static int take_same(struct rules *rules, const struct split *root, size_t f)
{
	struct split split;

	if (rules->gone[f] || fabs(rules->scores[f] - root->score) > 2 * EQUAL_SCORES)
		return 0;
	split = split_above(&rules->rows, &rules->table->feature[f], &rules->options.split, rules->scores[f] - EQUAL_SCORES);
	if (!split.feature || !is_same(rules->table, root, &split))
		return 0;
	rules->gone[f] = true;
	line_begin(&rules->line, "same");
	line_unsigned(&rules->line, "rank", rules->rank);
	line_text(&rules->line, "feature", split.feature->name);
	put_cut(&rules->line, &split);
	put_bad(&rules->line, rules->table, &split);
	put_explains(&rules->line, split.feature);
	return stream_write_line(rules->stream, &rules->line);
}

/* Writes the next rule. Returns 1; 0: there is no further rule; -1 after fail(). */
static int next_rule(struct rules *rules)
{
	struct tree_node *tree = tree_grow(rules->table, rules->gone, rules->scores, &rules->options);
	int status = 0;

	if (tree->split.feature) {
		rules->rank++;
		rules->gone[tree->split.feature - rules->table->feature] = true;
		status = write_rule(rules, tree);
		for (size_t f = 0; f < rules->table->features && status == 0 && !rules->options.paper; f++)
			status = take_same(rules, &tree->split, f);
		status = status < 0 ? -1 : 1;
	}
	tree_free(tree);
	return status;
}

/* The score of the root's split is its gain, except for gini. */
int rules_write(const struct table *table, const struct rule_options *options, struct stream *stream, size_t *found)
{
	struct rules rules = {.table = table, .options = options->tree, .stream = stream};
	int status = 1;

	for (size_t i = 0; i < table->classes; i++)
		rules.options.split.min_leaf = fmin(rules.options.split.min_leaf, (double)table->class_counts[i]);
	rules.gone = memory_new(table->features + 1, sizeof(*rules.gone));
	rules.weights = memory_new(table->rows + 1, sizeof(*rules.weights));
	for (size_t i = 0; i < table->rows; i++)
		rules.weights[i] = 1;
	rules.terms = split_terms(table->rows);
	rules.rows = (struct split_rows){.table = table, .weights = rules.weights, .total = (double)table->rows, .terms = rules.terms};
	rules.scores = tree_scores(table, &rules.options.split);
	rules.deals = deals_make(table, &rules.options.split);
	while (status > 0 && rules.rank < options->count)
		status = next_rule(&rules);
	*found = rules.rank;
	deals_free(rules.deals);
	free(rules.scores);
	free(rules.weights);
	free(rules.terms);
	free(rules.gone);
	line_free(&rules.line);
	return status < 0 ? -1 : 0;
}
