#include "chart/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "chart/level.h"
#include "chart/span.h"

static const int64_t signs_last = 3600 * NSEC_PER_SEC;

void series_free(struct series *series)
{
	series->learner->free(series->learnt);
	plot_free(&series->plot);
	free(series->baseline.items);
	digest_forget(&series->digest);
	series_forget_signs(series);
	free(series->unended);
	free(series->worst);
	free(series->chart);
	free(series->key);
	free(series);
}

void series_pause(struct series *series, const struct policy *policy)
{
	series->worst_count = 0;
	series->first = INT64_MAX;
	series->touched = INT64_MIN;
	series->plot.group.count = 0;
	series->plot.weighted = scale_to(policy->scale, series->limits.center);
	series->past = (struct rules_past){0};
	series->change = 0;
	series->signalled = false;
	series_forget_signs(series);
	digest_forget(&series->digest);
	series->learner->pause(series->learnt);
}

/* The age at which a value begins to be abnormal is one nanosecond above this. */
static int64_t patience_of(const struct series *series, const struct policy *policy)
{
	double limit = floor(series->single * 1e9), weight = ceil(policy->min_ratio * series->limits.center * 1e9) - 1;
	double patience = fmax(fmax(limit, weight), (double)series->shortest - 1);

	if (!(policy->sides & SIDES_UPPER) || !(policy->rules & RULE(1)) || policy->only_fixed)
		return INT64_MAX;
	return patience < 9e18 ? (int64_t)fmax(patience, 0) : INT64_MAX;
}

/* Half-way to the limit, and rare by itself. A value without practical weight is no sign. */
static double warning_of(const struct series *series, const struct policy *policy)
{
	const struct limits *limits = &series->limits;
	double halfway = sqrt(fmax(limits->center, 0) * fmax(series->single, 0));
	double weight = fmax(policy->min_ratio * limits->center, (double)series->shortest / 1e9);

	if (!(policy->sides & SIDES_UPPER) || !policy->method->plots->single)
		return INFINITY;
	return fmax(fmax(halfway, limits->warning), weight);
}

static void set_limits(struct series *series, const struct policy *policy)
{
	series->judges = true;
	series->single = policy->method->plots->single_limit(policy, &series->limits);
	series->patience = patience_of(series, policy);
	series->warning = warning_of(series, policy);
	if (series->fixed < series->patience)
		series->patience = series->fixed;
	method_lines(policy, &series->limits, 1, &series->lines);
}

void series_set_shortest(struct series *series, const struct policy *policy, int64_t shortest)
{
	series->shortest = shortest;
	if (series->judges)
		set_limits(series, policy);
}

/* Limits from a file that were made at the end of an input, from less than a baseline. A tail is made from enough. */
static bool is_guess(const struct limits *known, const struct policy *policy)
{
	uint64_t points = policy->baseline < policy->method->baseline ? policy->baseline : policy->method->baseline;

	return known->n > 0 && known->n < points * policy->subgroup && !known->tail.count;
}

static void take_known(struct series *series, const struct policy *policy, const struct limits *known)
{
	series->limits = *known;
	if (!(series->limits.sigma > 0))
		series->limits.sigma = method_sigma(policy, known);
	series->learns = series->learns_all = is_guess(known, policy);
	series->plot.weighted = scale_to(policy->scale, known->center);
	if (series->learner->resume)
		series->learner->resume(series->learnt, &series->limits);
	set_limits(series, policy);
}

struct series *series_new(const struct policy *policy, int64_t shortest, const int64_t id[CHART_KEYS_MAX], const char *chart, const char *key)
{
	const struct limits *known = policy->known ? limits_book_find(policy->known, chart, key) : NULL;
	struct series *series = NEW(struct series);

	memcpy(series->id, id, sizeof(series->id));
	series->chart = memory_text(chart, strlen(chart));
	series->key = key ? memory_text(key, strlen(key)) : NULL;
	series->shortest = shortest;
	series->first = INT64_MAX;
	series->learns = true;
	series->fixed = series->patience = INT64_MAX;
	series->warning = INFINITY;
	if (!policy->method->plots->rates)
		series->fixed = series->patience = policy_fixed(policy, chart, true);
	series->learner = policy->method->learner;
	series->learnt = series->learner->new();
	if (known)
		take_known(series, policy, known);
	return series;
}

void series_forget_signs(struct series *series)
{
	free(series->signs);
	series->signs = NULL;
}

static void remove_sign(struct series_signs *signs, int at)
{
	signs->count--;
	memmove(&signs->items[at], &signs->items[at + 1], (size_t)(signs->count - at) * sizeof(*signs->items));
}

/* The least of them, when there is no room; -1: this value is less than all. */
static int least_sign(const struct series_signs *signs, double value)
{
	int least = -1;

	for (int i = 0; i < signs->count; i++)
		if (signs->items[i].value < (least < 0 ? value : signs->items[least].value))
			least = i;
	return least;
}

void series_sign(struct series *series, double value, int64_t ts)
{
	struct series_signs *signs = series->signs;
	int least;

	if (!signs)
		signs = series->signs = NEW(struct series_signs);
	while (signs->count > 0 && span_between(signs->items[0].ts, ts) > signs_last)
		remove_sign(signs, 0);
	if (signs->count == SERIES_SIGNS) {
		least = least_sign(signs, value);
		if (least < 0)
			return;
		remove_sign(signs, least);
	}
	signs->items[signs->count].ts = ts;
	signs->items[signs->count++].value = value;
}

void series_set_unit(struct series *series, const struct policy *policy, const char *unit)
{
	series->unit = series->limits.unit = unit;
	if (series->fixed < INT64_MAX)
		series->fixed = policy_fixed(policy, series->chart, !unit);
}

/* The lines of a rate depend on its size. */
static void rate_lines(struct series *series, const struct policy *policy, const struct point *point, int64_t ts)
{
	double past_limit = series->learner->past_limit(series->learnt, policy, point->size, ts);

	method_lines(policy, &series->limits, point->size, &series->lines);
	series->lines.ucl = fmax(series->lines.ucl, past_limit);
}

unsigned series_judge(struct series *series, const struct policy *policy, const struct point *point, int64_t ts, double *plotted)
{
	const struct plotting *plots = policy->method->plots;

	if (!plots->single)
		*plotted = plots->place(&series->plot, policy, point);
	if (plots->rates)
		rate_lines(series, policy, point, ts);
	if ((policy->rules & ~RULE(RULE_SHIFT)) == RULE(1) && policy->sides == SIDES_UPPER)
		return rules_above(*plotted, series->lines.ucl) > 0 ? RULE(1) : 0;
	return rules_judge(&series->past, &series->lines, policy->sides, policy->rules, *plotted);
}

struct lesson series_learn(struct series *series, const struct policy *policy, const struct sample *sample, double plotted,
			   bool signalled)
{
	const struct judged judged = {sample->value, plotted, sample->end, signalled, series->learns, &series->limits, &series->lines};

	struct lesson lesson = series->learner->learn(series->learnt, policy, &judged);

	return lesson;
}

/* The list of the worst is ordered, largest first. */
static void remember_worst(struct series *series, const struct sample *sample)
{
	int at = series->worst_count;

	if (at == SERIES_WORST && sample->value <= series->worst[at - 1].value)
		return;
	if (at == series->worst_room && at < SERIES_WORST) {
		series->worst_room = at ? 2 * at : 1;
		series->worst = memory_grow(series->worst, (size_t)series->worst_room, sizeof(*series->worst));
	}
	if (at == SERIES_WORST)
		at--;
	else
		series->worst_count++;
	for (; at > 0 && series->worst[at - 1].value < sample->value; at--)
		series->worst[at] = series->worst[at - 1];
	series->worst[at] = *sample;
	series->worst[at].whole = NULL;
}

bool series_gather(struct series *series, const struct policy *policy, const struct sample *sample,
		   const struct point *point)
{
	*ARRAY_ADD(&series->baseline) = *point;
	if (series->learner->judges_baseline && !series->judges) {
		if (!sample->rules) /* it was told */
			remember_worst(series, sample);
		if (sample->start < series->first)
			series->first = sample->start;
	}
	return series->baseline.count >= policy->baseline;
}

void series_relearn(struct series *series)
{
	series->learns = true;
	series->baseline.count = 0;
}

void series_outdated(struct series *series, const struct lesson *lesson)
{
	series->change = lesson->side;
	series->changed = lesson->since;
	series->learns_all = true;
	series_relearn(series);
}

/* Limits from these points, and a new start with them. */
static int begin(struct series *series, const struct policy *policy, const struct points *points, double probability)
{
	struct limits limits;

	if (method_limits(policy, points, &limits) < 0)
		return -1;
	limits.n *= policy->subgroup;
	series->limits = limits;
	series->learner->begin(series->learnt, points, probability, &series->limits);
	series->limits.unit = series->unit;
	set_limits(series, policy);
	series->past = (struct rules_past){0};
	series->plot.weighted = scale_to(policy->scale, limits.center);
	return 0;
}

int series_make_limits(struct series *series, const struct policy *policy, double probability)
{
	if (begin(series, policy, &series->baseline, probability) < 0)
		return -1;
	series->learns = series->learns_all = !series->learner->continues && series->baseline.count < policy->baseline;
	if (!series->learns) {
		free(series->baseline.items);
		series->baseline = (struct points){0};
	}
	sample_sort(series->worst, (size_t)series->worst_count);
	return 0;
}

/* Tells whether two limits differ by more than a twentieth. */
static bool differ(double a, double b)
{
	return fabs(a - b) > 0.05 * fmin(fabs(a), fabs(b));
}

/* Tells whether the centre has moved by practical weight from the one in the last `limits` record, and by more than the values scatter. */
static int change_of(double before, double after, const struct policy *policy)
{
	double ratio = fmax(LEVEL_RATIO, policy->min_ratio);

	return (after >= ratio * before) - (after * ratio <= before);
}

bool series_refine(struct series *series, const struct policy *policy, const struct lesson *lesson, double probability)
{
	const struct limits *now = &series->limits, *then = &series->last_told;

	series->learner->limits(series->learnt, probability, &series->limits);
	series->limits.unit = series->unit;
	set_limits(series, policy);
	if (lesson->kind == LESSON_REFINED)
		return differ(now->ucl, then->ucl) || differ(now->center, then->center) || now->method != then->method;
	series->past = (struct rules_past){0};
	series->change = change_of(then->center, now->center, policy);
	series->changed = lesson->since;
	return true;
}
