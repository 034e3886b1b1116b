#include "run/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct growth {
	const struct table *table;
	const bool *gone;
	const struct tree_options *options;
};

static double *unit_weights(size_t rows)
{
	double *weights = memory_new(rows + 1, sizeof(*weights));

	for (size_t i = 0; i < rows; i++)
		weights[i] = 1;
	return weights;
}

double *tree_scores(const struct table *table, const struct split_options *options)
{
	double *weights = unit_weights(table->rows), *terms = split_terms(table->rows);
	struct split_rows rows = {.table = table, .weights = weights, .total = (double)table->rows, .terms = terms};
	double *scores = memory_new(table->features + 1, sizeof(*scores));
	size_t candidates = 0;

	for (size_t i = 0; i < table->features; i++)
		scores[i] = split_score(&rows, &table->feature[i], options, &candidates);
	free(weights);
	free(terms);
	return scores;
}

static double known_or_0(double value)
{
	return isnan(value) ? 0 : value;
}

/* Of two splits of equal score, the first is that of a setting, then the one that explains more, then the larger margin, then by name. */
static bool comes_first(const struct split *one, const struct split *other)
{
	double explains = known_or_0(one->feature->explains) - known_or_0(other->feature->explains);

	if (one->feature->config != other->feature->config)
		return one->feature->config;
	if (fabs(explains) > EQUAL_SCORES)
		return explains > 0;
	if (fabs(one->margin - other->margin) > EQUAL_SCORES)
		return one->margin > other->margin;
	return strcmp(one->feature->name, other->feature->name) < 0;
}

static void consider(struct split *chosen, const struct split *split)
{
	if (split->feature && (!chosen->feature || comes_first(split, chosen)))
		*chosen = *split;
}

/* The best split of all features by score: gain or gini. */
static struct split best_split(const struct growth *growth, const struct split_rows *rows, const double *scores)
{
	struct split chosen = {0}, split;
	double best = -INFINITY;

	for (size_t i = 0; i < growth->table->features; i++)
		if (!growth->gone[i])
			best = fmax(best, scores[i]);
	for (size_t i = 0; i < growth->table->features && isfinite(best); i++)
		if (!growth->gone[i] && scores[i] >= best - EQUAL_SCORES) {
			split = split_above(rows, &growth->table->feature[i], &growth->options->split, best - EQUAL_SCORES);
			consider(&chosen, &split);
		}
	return chosen;
}

/* The gain divided by the information of the split itself; unknown values count as a branch (Quinlan, C4.5, 1993). */
static double gain_ratio(const struct split_rows *rows, const struct split *split)
{
	size_t count = split_branches(split) + 1; /* the last: unknown */
	double *weights = memory_new(count, sizeof(*weights)), information = 0;

	for (size_t i = 0; i < rows->table->rows; i++) {
		int branch = split_branch(split, i);

		weights[branch == WORD_UNKNOWN ? count - 1 : (size_t)branch] += rows->weights[i];
	}
	for (size_t i = 0; i < count; i++)
		if (weights[i] > 0)
			information -= weights[i] / rows->total * log2(weights[i] / rows->total);
	free(weights);
	return information > 0 ? split->gain / information : 0;
}

/* The best split by gain ratio: takes the split with the best gain of each feature, and of those of at least average gain the best ratio. */
static struct split best_ratio(const struct growth *growth, const struct split_rows *rows, const double *scores)
{
	size_t features = growth->table->features, count = 0;
	struct split *splits = memory_new(features + 1, sizeof(*splits)), chosen = {0};
	double *ratios = memory_new(features + 1, sizeof(*ratios)), sum = 0, best = -INFINITY;

	for (size_t i = 0; i < features; i++)
		if (!growth->gone[i] && isfinite(scores[i])) {
			sum += scores[i];
			count++;
		}
	for (size_t i = 0; i < features; i++) {
		if (growth->gone[i] || !isfinite(scores[i]) || scores[i] < sum / (double)count - EQUAL_SCORES)
			continue;
		splits[i] = split_above(rows, &growth->table->feature[i], &growth->options->split, scores[i] - EQUAL_SCORES);
		ratios[i] = gain_ratio(rows, &splits[i]);
		best = fmax(best, ratios[i]);
	}
	for (size_t i = 0; i < features; i++)
		if (splits[i].feature && ratios[i] >= best - EQUAL_SCORES)
			consider(&chosen, &splits[i]);
	free(splits);
	free(ratios);
	return chosen;
}

/* `scores` NULL: the node is below the root, where the gain must exceed what chance reaches. */
static struct split choose(const struct growth *growth, const struct split_rows *rows, const double *scores)
{
	double *own = scores ? NULL : memory_new(growth->table->features + 1, sizeof(*own));
	struct split split;
	size_t candidates = 0;

	for (size_t i = 0; own && i < growth->table->features; i++)
		own[i] = growth->gone[i] ? -INFINITY : split_score(rows, &growth->table->feature[i], &growth->options->split, &candidates);
	split = (growth->options->split.criterion == CRITERION_RATIO ? best_ratio : best_split)(growth, rows, own ? own : scores);
	free(own);
	if (!split.feature || split.gain <= EQUAL_SCORES ||
	    (!scores && !growth->options->paper && split.gain <= log2((double)candidates) / rows->total))
		split.feature = NULL;
	return split;
}

/* Sets the node's class, and the weight that it would get right as a leaf. Tells whether the node is pure. */
static bool describe(const struct split_rows *rows, struct tree_node *node, int parent_class)
{
	size_t classes = rows->table->classes;
	double *by_class = memory_new(classes, sizeof(*by_class));

	for (size_t i = 0; i < rows->table->rows; i++)
		by_class[rows->table->class_of[i]] += rows->weights[i];
	for (size_t i = 0; i < classes; i++)
		node->right = fmax(node->right, by_class[i]);
	if (parent_class >= 0 && by_class[parent_class] >= node->right - 1e-9)
		node->class = parent_class;
	else
		while (by_class[node->class] < node->right - 1e-9)
			node->class++;
	node->leaves = 1;
	free(by_class);
	return rows->total - node->right <= 1e-9;
}

/* The weight in each branch of the rows whose value is known; *known is their sum. The caller frees it. */
static double *branch_weights(const struct split_rows *rows, const struct split *split, double *known)
{
	double *weights = memory_new(split_branches(split), sizeof(*weights));

	*known = 0;
	for (size_t i = 0; i < rows->table->rows; i++) {
		int branch = rows->weights[i] > 0 ? split_branch(split, i) : WORD_UNKNOWN;

		if (branch != WORD_UNKNOWN) {
			weights[branch] += rows->weights[i];
			*known += rows->weights[i];
		}
	}
	return weights;
}

static struct tree_node *grow(const struct growth *growth, const struct split_rows *rows, const double *scores, unsigned depth, int parent_class);

static void grow_branch(const struct growth *growth, const struct split_rows *rows, struct tree_node *node, size_t branch, double share, unsigned depth)
{
	double *weights = memory_new(rows->table->rows, sizeof(*weights));
	struct split_rows part = *rows;

	part.weights = weights;
	part.total = 0;
	for (size_t i = 0; i < rows->table->rows; i++) {
		int at = rows->weights[i] > 0 ? split_branch(&node->split, i) : 0;

		weights[i] = at == WORD_UNKNOWN ? rows->weights[i] * share : at == (int)branch ? rows->weights[i] : 0;
		part.total += weights[i];
	}
	node->branches[branch] = grow(growth, &part, NULL, depth + 1, node->class);
	free(weights);
}

static void make_leaf(struct tree_node *node, double right)
{
	for (size_t i = 0; i < split_branches(&node->split); i++)
		if (node->branches[i])
			tree_free(node->branches[i]);
	free(node->branches);
	node->branches = NULL;
	node->split.feature = NULL;
	node->right = right;
	node->leaves = 1;
}

static void grow_branches(const struct growth *growth, const struct split_rows *rows, struct tree_node *node, unsigned depth)
{
	double known, *weights = branch_weights(rows, &node->split, &known), right = node->right;
	size_t count = split_branches(&node->split);

	node->branches = memory_new(count, sizeof(struct tree_node *));
	node->right = 0;
	node->leaves = 0;
	for (size_t i = 0; i < count; i++) {
		if (!(weights[i] > 0))
			continue;
		grow_branch(growth, rows, node, i, weights[i] / known, depth);
		node->right += node->branches[i]->right;
		node->leaves += node->branches[i]->leaves;
	}
	free(weights);
	if (node->right <= right + 1e-9)
		make_leaf(node, right);
}

static struct tree_node *grow(const struct growth *growth, const struct split_rows *rows, const double *scores, unsigned depth, int parent_class)
{
	struct tree_node *node = NEW(struct tree_node);
	bool pure = describe(rows, node, parent_class);

	if (!pure && (growth->options->paper || depth < growth->options->max_depth))
		node->split = choose(growth, rows, scores);
	if (node->split.feature)
		grow_branches(growth, rows, node, depth);
	return node;
}

struct tree_node *tree_grow(const struct table *table, const bool *gone, const double *scores, const struct tree_options *options)
{
	double *weights = unit_weights(table->rows), *terms = split_terms(table->rows);
	struct growth growth = {.table = table, .gone = gone, .options = options};
	struct split_rows rows = {.table = table, .weights = weights, .total = (double)table->rows, .terms = terms};
	struct tree_node *tree = grow(&growth, &rows, scores, 0, -1);

	free(weights);
	free(terms);
	return tree;
}

void tree_free(struct tree_node *tree)
{
	if (tree->split.feature)
		for (size_t i = 0; i < split_branches(&tree->split); i++)
			if (tree->branches[i])
				tree_free(tree->branches[i]);
	free(tree->branches);
	free(tree);
}

struct paths {
	ARRAY(char *) all;
};

static char *condition(const struct split *split, size_t branch)
{
	const char *name = split->feature->name;

	if (split->kind == SPLIT_LESS)
		return memory_format("%s %s %.6g", name, branch == 0 ? "<" : ">=", split->cut);
	if (split->kind == SPLIT_ANY)
		return memory_format("%s = %s", name, split_value(split, (int)branch));
	return memory_format("%s %s %s", name, branch == 0 ? "=" : "!=", split_value(split, split->value));
}

static char *joined(char *const *texts, size_t count, const char *with)
{
	char *all = memory_text("", 0), *longer;

	for (size_t i = 0; i < count; i++) {
		longer = memory_format("%s%s%s", all, i ? with : "", texts[i]);
		free(all);
		all = longer;
	}
	return all;
}

static void find_paths(const struct tree_node *node, int class, char **conditions, size_t depth, struct paths *paths)
{
	if (!node->split.feature) {
		if (node->class == class)
			*ARRAY_ADD(&paths->all) = joined(conditions, depth, " and ");
		return;
	}
	for (size_t i = 0; i < split_branches(&node->split); i++) {
		char **longer;

		if (!node->branches[i])
			continue;
		longer = memory_new(depth + 1, sizeof(*longer));
		if (depth)
			memcpy(longer, conditions, depth * sizeof(*longer));
		longer[depth] = condition(&node->split, i);
		find_paths(node->branches[i], class, longer, depth + 1, paths);
		free(longer[depth]);
		free(longer);
	}
}

/* If there are several paths, puts those with more than one condition in parentheses. */
static void put_parentheses(struct paths *paths)
{
	for (size_t i = 0; i < paths->all.count; i++) {
		char *text = paths->all.items[i];

		if (!strstr(text, " and ") || paths->all.count == 1)
			continue;
		paths->all.items[i] = memory_format("(%s)", text);
		free(text);
	}
}

char *tree_text(const struct tree_node *tree, int class)
{
	struct paths paths = {0};
	char *text;

	find_paths(tree, class, NULL, 0, &paths);
	put_parentheses(&paths);
	text = joined(paths.all.items, paths.all.count, " or ");
	for (size_t i = 0; i < paths.all.count; i++)
		free(paths.all.items[i]);
	free(paths.all.items);
	return text;
}
