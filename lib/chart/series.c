#include "chart/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

static void series_free(struct series *series)
{
	series->learner->free(series->learnt);
	maxima_free(series->bursts);
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

static void pause_series(struct series *series, const struct policy *policy)
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
	series->disturbed = (struct disturbed){0};
	if (series->bursts)
		maxima_pause(series->bursts);
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

/* The warning line: half-way to the limit, but not below the method's own warning line, nor below what has practical weight. */
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

static void set_shortest(struct series *series, const struct policy *policy, int64_t shortest)
{
	series->shortest = shortest;
	if (series->judges)
		series_judge_by(series, policy);
}

/* Tells whether limits from a file were made at the end of an input, from less than a baseline. Those with a tail were made from enough. */
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

static struct series *series_new(const struct policy *policy, const int64_t id[CHART_KEYS_MAX], const char *chart, const char *key)
{
	const struct limits *known = policy->known ? limits_book_find(policy->known, chart, key) : NULL;
	struct series *series = NEW(struct series);

	memcpy(series->id, id, sizeof(series->id));
	series->chart = memory_text(chart, strlen(chart));
	series->key = key ? memory_text(key, strlen(key)) : NULL;
	series->first = INT64_MAX;
	series->learns = true;
	series->fixed = series->patience = INT64_MAX;
	series->only_fixed = policy->only_fixed;
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

void series_be_in(struct series *series, const struct policy *policy, const char *unit)
{
	series->unit = series->limits.unit = unit;
	if (series->fixed < INT64_MAX)
		series->fixed = policy_fixed(policy, series->chart, !unit);
}

/* --- the set of a chart --------------------------------------------------------------------------------------------------- */

/* The rate of values is that of this time at most, so that it follows the load of the day. */
static const int64_t rate_span = 600 * NSEC_PER_SEC;

static void remove_series(struct series_set *set, struct series *series)
{
	HASH_DEL(set->series, series);
	series_free(series);
}

void series_set_forget(struct series_set *set)
{
	while (set->series)
		remove_series(set, set->series);
	if (set->disturbances)
		disturbances_empty(set->disturbances);
}

void series_set_free(struct series_set *set)
{
	series_set_forget(set);
	disturbances_free(set->disturbances);
	set->disturbances = NULL;
}

void series_set_pause(struct series_set *set)
{
	for (struct series *series = set->series; series; series = series->hh.next)
		pause_series(series, set->policy);
	if (set->disturbances)
		disturbances_pause(set->disturbances);
	set->due = INT64_MIN;
	series_set_follow(set);
}

void series_set_count(struct series_set *set, int64_t ts)
{
	int64_t passed = set->values ? timestamp_between(set->counted, ts) : 0;

	if (!set->values)
		set->counted = ts;
	set->values++;
	if (passed > rate_span) {
		set->counted = timestamp_add(set->counted, passed / 2);
		set->values = set->values / 2 + 1;
	}
}

double series_set_rate(const struct series_set *set, int64_t ts)
{
	int64_t passed = set->values ? timestamp_between(set->counted, ts) : 0;

	return passed > 0 ? (double)set->values * 1e9 / (double)passed : 0;
}

struct series *series_set_coldest(const struct series_set *set)
{
	struct series *coldest = NULL, *series;

	for (series = set->series; series; series = series->hh.next)
		if (series->starts == 0 && (!coldest || series->touched < coldest->touched))
			coldest = series;
	return coldest;
}

void series_set_drop(struct series_set *set, struct series *series)
{
	if (set->disturbances)
		disturbances_forget(set->disturbances, series);
	remove_series(set, series);
	set->forgotten++;
}

/* Makes room for one more series; -1: none may be dropped. */
static int drop_coldest(struct series_set *set)
{
	struct series *coldest = series_set_coldest(set);

	if (!coldest)
		return -1;
	series_set_drop(set, coldest);
	return 0;
}

struct series *series_set_find(const struct series_set *set, const int64_t id[CHART_KEYS_MAX])
{
	struct series *series;

	HASH_FIND(hh, set->series, id, sizeof(series->id), series);
	return series;
}

static int64_t shortest_of(const struct series_set *set, struct series *series)
{
	int64_t of_all = set->disturbances ? disturbances_limit(set->disturbances, &series->disturbed, series->judges) : 0;
	int64_t of_bursts = series->bursts ? maxima_ns(series->bursts, maxima_limit(series->bursts)) : 0;
	int64_t limit = of_all > of_bursts ? of_all : of_bursts;

	return limit > set->shortest ? limit : set->shortest;
}

void series_set_follow_bursts(const struct series_set *set, struct series *series)
{
	set_shortest(series, set->policy, shortest_of(set, series));
}

void series_set_follow(struct series_set *set)
{
	for (struct series *series = set->series; series; series = series->hh.next)
		series_set_follow_bursts(set, series);
}

/* Drops the limit that keys have in common: the user gave limits, so values are judged by those, and none beyond them is learnt. */
static void judge_by_keys(struct series_set *set)
{
	if (!set->disturbances)
		return;
	disturbances_free(set->disturbances);
	set->disturbances = NULL;
	series_set_follow(set);
}

struct series *series_set_add(struct series_set *set, const int64_t id[CHART_KEYS_MAX], const char *chart, const char *key)
{
	struct series *series;

	if (HASH_COUNT(set->series) >= SERIES_MAX && drop_coldest(set) < 0)
		return NULL;
	series = series_new(set->policy, id, chart, key);
	if (set->bursts && !series->judges) /* else the user gave the limits */
		series->bursts = maxima_new(set->policy, &maxima_of_bursts, set->shortest);
	series_set_follow_bursts(set, series);
	series->forgotten = set->forgotten;
	set->judged |= series->judges;
	if (series->judges)
		judge_by_keys(set);
	HASH_ADD(hh, set->series, id, sizeof(series->id), series);
	return series;
}
