#include "chart/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

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

void series_judge_by(struct series *series, const struct policy *policy)
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
		series_judge_by(series, policy);
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
	series_judge_by(series, policy);
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

void series_set_unit(struct series *series, const struct policy *policy, const char *unit)
{
	series->unit = series->limits.unit = unit;
	if (series->fixed < INT64_MAX)
		series->fixed = policy_fixed(policy, series->chart, !unit);
}
