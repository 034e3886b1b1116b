#include "run/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "run/deals.h"

struct rules {
	const struct table *table;
	struct tree_options options;
	struct deals *deals;
	double *scores; /* of each feature at the root */
	bool *gone;	/* of each feature */
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

/* On which side of a split the second of two classes has the larger share of its runs; nothing of a branch for each value. */
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

/* "good if ..."; of three classes and more, each has its own, with "; " between them. */
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

/* A feature whose best split parts the rows as the root does goes with it. Only equal scores can. */
static int take_same(struct rules *rules, const struct split *root, size_t f)
{
	struct split split;

	if (rules->gone[f] || fabs(rules->scores[f] - root->score) > 2 * EQUAL_SCORES)
		return 0;
	split = split_above(&rules->rows, &rules->table->feature[f], &rules->options.split, rules->scores[f] - EQUAL_SCORES);
	if (!split.feature || !split_same(rules->table, root, &split))
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

/* 1; 0: there is no further rule; -1 after fail(). */
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

/* The split's score of the root is its gain, but for gini. */
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
