#include "run/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A search for the best split of a feature, to which candidates are offered one by one. */
struct search {
	const struct split_rows *rows;
	const struct feature *feature;
	const struct split_options *options;
	size_t classes;
	double *known, known_total; /* weight of each class where the value is known */
	double *side;		    /* weight of each class in the first branch */
	double *both;		    /* weight of each class in the first branch, then in the other */
	double floor;		    /* NAN: look for the best score only */
	double best;
	struct split chosen;
	size_t candidates;
};

double *split_terms(size_t rows)
{
	double *terms = memory_new(rows + 1, sizeof(*terms));

	for (size_t i = 1; i <= rows; i++)
		terms[i] = (double)i * log2((double)i);
	return terms;
}

/* x log2 x; 0 for 0. */
static double entropy_term(const struct split_rows *rows, double x)
{
	size_t whole = (size_t)x;

	return (double)whole == x && whole <= rows->table->rows ? rows->terms[whole] : x > 0 ? x * log2(x) : 0;
}

/* The weight of a set of rows times its entropy in bits, or times its gini impurity. */
static double impurity(const struct split_rows *rows, const double *by_class, double total, enum criterion criterion)
{
	size_t classes = rows->table->classes;
	double sum = 0;

	if (!(total > 0))
		return 0;
	for (size_t i = 0; i < classes; i++)
		sum += criterion == CRITERION_GINI ? by_class[i] * by_class[i] : entropy_term(rows, by_class[i]);
	return criterion == CRITERION_GINI ? total - sum / total : entropy_term(rows, total) - sum;
}

/* The decrease of impurity, times the share of known values: (before - after) / known * known / total. */
static double decrease(const struct search *search, const double *branches, size_t count, enum criterion criterion)
{
	double after = 0;

	for (size_t branch = 0; branch < count; branch++) {
		const double *by_class = branches + branch * search->classes;
		double weight = 0;

		for (size_t i = 0; i < search->classes; i++)
			weight += by_class[i];
		after += impurity(search->rows, by_class, weight, criterion);
	}
	return (impurity(search->rows, search->known, search->known_total, criterion) - after) / search->rows->total;
}

static bool is_better(const struct split *one, const struct split *other)
{
	if (!other->feature)
		return true;
	if (fabs(one->margin - other->margin) > EQUAL_SCORES)
		return one->margin > other->margin;
	return false; /* the lowest cut comes first */
}

static void offer_branches(struct search *search, const double *branches, size_t count, struct split split)
{
	enum criterion criterion = search->options->criterion;

	split.feature = search->feature;
	split.gain = decrease(search, branches, count, CRITERION_GAIN);
	split.score = criterion == CRITERION_GINI ? decrease(search, branches, count, criterion) : split.gain;
	if (isnan(search->floor)) {
		search->best = fmax(search->best, split.score);
	} else if (split.score >= search->floor && is_better(&split, &search->chosen)) {
		search->chosen = split;
	}
}

/* Offers a split into `side` and the rest of the known rows. */
static void offer(struct search *search, struct split split)
{
	double weight = 0, *both = search->both;

	search->candidates++;
	for (size_t i = 0; i < search->classes; i++) {
		weight += search->side[i];
		both[i] = search->side[i];
		both[search->classes + i] = search->known[i] - search->side[i];
	}
	if (weight < search->options->min_leaf - 1e-9 || search->known_total - weight < search->options->min_leaf - 1e-9)
		return;
	offer_branches(search, both, 2, split);
}

static bool is_here(const struct search *search, size_t row)
{
	return search->rows->weights[row] > 0;
}

static void add_row(const struct search *search, double *to, size_t row)
{
	to[search->rows->table->class_of[row]] += search->rows->weights[row];
}

static void clear_known(struct search *search)
{
	memset(search->known, 0, search->classes * sizeof(*search->known));
	memset(search->side, 0, search->classes * sizeof(*search->side));
	search->known_total = 0;
}

static void sum_known(struct search *search)
{
	for (size_t i = 0; i < search->classes; i++)
		search->known_total += search->known[i];
}

/* The midpoint; it is above the lower value even if no double lies between the two. */
static double midpoint(double low, double high)
{
	double middle = low / 2 + high / 2;

	return middle > low ? middle : high;
}

static void search_numbers(struct search *search)
{
	const struct feature *feature = search->feature;
	const double *numbers = feature->numbers;
	size_t first = 0, last = feature->known;

	clear_known(search);
	while (first < last && !is_here(search, feature->order[first]))
		first++;
	while (last > first && !is_here(search, feature->order[last - 1]))
		last--;
	if (last == first || numbers[feature->order[first]] == numbers[feature->order[last - 1]])
		return;
	for (size_t i = first; i < last; i++)
		add_row(search, search->known, feature->order[i]);
	sum_known(search);
	for (size_t i = first, next; i < last; i = next) {
		double low = numbers[feature->order[i]], high;

		for (next = i; next < last && (numbers[feature->order[next]] == low || !is_here(search, feature->order[next])); next++)
			add_row(search, search->side, feature->order[next]);
		if (next == last)
			break;
		high = numbers[feature->order[next]];
		offer(search, (struct split){.kind = SPLIT_LESS, .cut = midpoint(low, high),
					     .margin = (high - low) / (numbers[feature->order[last - 1]] - numbers[feature->order[first]])});
	}
}

/* Offers the split of the rows where a number is absent from those that have it. */
static void search_absent(struct search *search)
{
	const struct feature *feature = search->feature;
	size_t absent = 0, present = 0;

	clear_known(search);
	for (size_t i = 0; i < search->rows->table->rows; i++) {
		bool is_absent = feature->words[i] == 0;

		if (!is_here(search, i) || (!is_absent && isnan(feature->numbers[i])))
			continue;
		(*(is_absent ? &absent : &present))++;
		add_row(search, search->known, i);
		if (is_absent)
			add_row(search, search->side, i);
	}
	sum_known(search);
	if (absent && present)
		offer(search, (struct split){.kind = SPLIT_EQUAL, .value = 0});
}

/* Offers a branch for each value that occurs in the node. */
static void search_any(struct search *search, const double *branches, size_t different)
{
	size_t heavy = 0, count = search->feature->values_count;

	if (different < 2)
		return;
	search->candidates++;
	for (size_t value = 0; value < count; value++) {
		double weight = 0;

		for (size_t i = 0; i < search->classes; i++)
			weight += branches[value * search->classes + i];
		heavy += weight > 0 && weight >= search->options->min_leaf - 1e-9;
	}
	if (heavy >= 2)
		offer_branches(search, branches, count, (struct split){.kind = SPLIT_ANY});
}

/* Offers `= v` for each value in the node; of two values only for the first, because the other split is the same. */
static void search_values(struct search *search, const double *branches, const bool *here, size_t different)
{
	size_t tried = 0;

	for (size_t value = 0; value < search->feature->values_count; value++) {
		if (!here[value] || (different == 2 && tried == 1) || different < 2)
			continue;
		memcpy(search->side, branches + value * search->classes, search->classes * sizeof(*search->side));
		offer(search, (struct split){.kind = SPLIT_EQUAL, .value = (int)value});
		tried++;
	}
}

static void search_words(struct search *search)
{
	const struct feature *feature = search->feature;
	double *branches = memory_new(feature->values_count * search->classes + 1, sizeof(*branches));
	bool *here = memory_new(feature->values_count + 1, sizeof(*here));
	size_t different = 0;

	clear_known(search);
	for (size_t i = 0; i < search->rows->table->rows; i++) {
		int word = feature->words[i];

		if (word == WORD_UNKNOWN || !is_here(search, i))
			continue;
		different += !here[word];
		here[word] = true;
		add_row(search, search->known, i);
		add_row(search, branches + (size_t)word * search->classes, i);
	}
	sum_known(search);
	if (search->options->multiway)
		search_any(search, branches, different);
	else
		search_values(search, branches, here, different);
	free(branches);
	free(here);
}

static void search_all(struct search *search)
{
	if (!search->feature->numeric) {
		search_words(search);
		return;
	}
	search_numbers(search);
	if (search->feature->words)
		search_absent(search);
}

static void begin(struct search *search, double floor)
{
	search->classes = search->rows->table->classes;
	search->known = memory_new(4 * search->classes, sizeof(*search->known));
	search->side = search->known + search->classes;
	search->both = search->side + search->classes;
	search->floor = floor;
	search->best = -INFINITY;
}

struct split split_above(const struct split_rows *rows, const struct feature *feature, const struct split_options *options, double floor)
{
	struct search search = {.rows = rows, .feature = feature, .options = options};

	begin(&search, floor);
	search_all(&search);
	free(search.known);
	return search.chosen;
}

double split_score(const struct split_rows *rows, const struct feature *feature, const struct split_options *options, size_t *candidates)
{
	struct search search = {.rows = rows, .feature = feature, .options = options};

	begin(&search, NAN);
	search_all(&search);
	free(search.known);
	*candidates += search.candidates;
	return search.best;
}

size_t split_branches(const struct split *split)
{
	return split->kind == SPLIT_ANY ? split->feature->values_count : 2;
}

int split_branch(const struct split *split, size_t row)
{
	const struct feature *feature = split->feature;

	if (split->kind == SPLIT_LESS)
		return isnan(feature->numbers[row]) ? WORD_UNKNOWN : !(feature->numbers[row] < split->cut);
	if (split->kind == SPLIT_ANY)
		return feature->words[row];
	if (feature->numeric)
		return feature->words[row] == 0 ? 0 : isnan(feature->numbers[row]) ? WORD_UNKNOWN : 1;
	return feature->words[row] == WORD_UNKNOWN ? WORD_UNKNOWN : feature->words[row] != split->value;
}

const char *split_value(const struct split *split, int value)
{
	return split->feature->numeric ? "absent" : split->feature->values[value];
}
