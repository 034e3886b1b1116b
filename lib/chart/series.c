#include "chart/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "chart/level.h"
#include "chart/span.h"

/* A rate is that of so long, so that it follows the day. */
static const int64_t rate_span = 600 * NSEC_PER_SEC;

static void series_free(struct series_set *set, struct series *series)
{
	HASH_DEL(set->series, series);
	series->learner->free(series->learnt);
	plot_free(&series->plot);
	free(series->baseline.items);
	free(series->unended);
	free(series->chart);
	free(series->key);
	free(series);
}

void series_set_free(struct series_set *set)
{
	while (set->series)
		series_free(set, set->series);
}

static void series_pause(struct series *series, const struct judgement *judgement)
{
	series->worst_count = 0;
	series->first = INT64_MAX;
	series->touched = INT64_MIN;
	series->plot.group.count = 0;
	series->plot.weighted = scale_to(judgement->scale, series->limits.center);
	series->past = (struct rules_past){0};
	series->change = 0;
	series->learner->pause(series->learnt);
}

void series_set_pause(struct series_set *set)
{
	for (struct series *series = set->series; series; series = series->hh.next)
		series_pause(series, set->judgement);
}

void series_set_count(struct series_set *set, int64_t ts)
{
	int64_t passed = set->values ? span_between(set->counted, ts) : 0;

	if (!set->values)
		set->counted = ts;
	set->values++;
	if (passed > rate_span) {
		set->counted = span_add(set->counted, passed / 2);
		set->values = set->values / 2 + 1;
	}
}

double series_set_rate(const struct series_set *set, int64_t ts)
{
	int64_t passed = set->values ? span_between(set->counted, ts) : 0;

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
	series_free(set, series);
	set->forgotten++;
}

/* Makes room for one more; -1 where none may go. */
static int drop_coldest(struct series_set *set)
{
	struct series *coldest = series_set_coldest(set);

	if (!coldest)
		return -1;
	series_set_drop(set, coldest);
	return 0;
}

struct series *series_find(const struct series_set *set, const int64_t id[CHART_KEYS_MAX])
{
	struct series *series;

	HASH_FIND(hh, set->series, id, sizeof(series->id), series);
	return series;
}

/* The age at which a value begins to be abnormal is one nanosecond above this. */
static int64_t patience_of(const struct series *series, const struct judgement *judgement)
{
	double limit = floor(series->single * 1e9), weight = ceil(judgement->min_ratio * series->limits.center * 1e9) - 1;
	double patience = fmax(fmax(limit, weight), (double)series->shortest - 1);

	if (!(judgement->sides & SIDES_UPPER) || !(judgement->rules & RULE(1)))
		return INT64_MAX;
	return patience < 9e18 ? (int64_t)fmax(patience, 0) : INT64_MAX;
}

static void set_limits(struct series *series, const struct judgement *judgement)
{
	series->judges = true;
	series->single = judgement->method->plots->single_limit(judgement, &series->limits);
	series->patience = patience_of(series, judgement);
	if (series->fixed < series->patience)
		series->patience = series->fixed;
	method_lines(judgement, &series->limits, 1, &series->lines);
}

/* Limits from a file that were made at the end of an input, from less than a baseline. A tail is made from enough. */
static bool is_guess(const struct limits *known, const struct judgement *judgement)
{
	uint64_t points = judgement->baseline < judgement->method->baseline ? judgement->baseline : judgement->method->baseline;

	return known->n > 0 && known->n < points * judgement->subgroup && !known->tail.count;
}

struct series *series_add(struct series_set *set, const int64_t id[CHART_KEYS_MAX], const char *chart, const char *key)
{
	const struct limits *known;
	struct series *series;

	if (HASH_COUNT(set->series) >= SERIES_MAX && drop_coldest(set) < 0)
		return NULL;
	series = NEW(struct series);
	memcpy(series->id, id, sizeof(series->id));
	series->chart = memory_text(chart, strlen(chart));
	series->key = key ? memory_text(key, strlen(key)) : NULL;
	series->first = INT64_MAX;
	series->forgotten = set->forgotten;
	series->shortest = set->shortest;
	series->learns = true;
	series->fixed = series->patience = INT64_MAX;
	if (!set->judgement->method->plots->rates)
		series->fixed = series->patience = judgement_fixed(set->judgement, chart, true);
	series->learner = set->judgement->method->learner;
	series->learnt = series->learner->new();
	known = set->judgement->known ? limits_book_find(set->judgement->known, chart, key) : NULL;
	if (known) {
		series->limits = *known;
		if (!(series->limits.sigma > 0))
			series->limits.sigma = method_sigma(set->judgement, known);
		series->learns = series->learns_all = is_guess(known, set->judgement);
		series->plot.weighted = scale_to(set->judgement->scale, known->center);
		if (series->learner->resume)
			series->learner->resume(series->learnt, &series->limits);
		set_limits(series, set->judgement);
		set->judged = true;
	}
	HASH_ADD(hh, set->series, id, sizeof(series->id), series);
	return series;
}

void series_set_unit(struct series *series, const struct judgement *judgement, const char *unit)
{
	series->unit = series->limits.unit = unit;
	if (series->fixed < INT64_MAX)
		series->fixed = judgement_fixed(judgement, series->chart, !unit);
}

bool series_point(struct series *series, const struct judgement *judgement, const struct sample *sample, struct point *point)
{
	return judgement->method->plots->point(&series->plot, judgement, sample, series->learns, point);
}

/* The lines of a rate depend on its size. */
static void rate_lines(struct series *series, const struct judgement *judgement, const struct point *point, int64_t ts)
{
	double past_limit = series->learner->past_limit(series->learnt, judgement, point->size, ts);

	method_lines(judgement, &series->limits, point->size, &series->lines);
	series->lines.ucl = fmax(series->lines.ucl, past_limit);
}

unsigned series_judge(struct series *series, const struct judgement *judgement, const struct point *point, int64_t ts, double *plotted)
{
	const struct plotting *plots = judgement->method->plots;

	if (!plots->single)
		*plotted = plots->place(&series->plot, judgement, point);
	if (plots->rates)
		rate_lines(series, judgement, point, ts);
	if ((judgement->rules & ~RULE(RULE_SHIFT)) == RULE(1) && judgement->sides == SIDES_UPPER)
		return rules_above(*plotted, series->lines.ucl) > 0 ? RULE(1) : 0;
	return rules_judge(&series->past, &series->lines, judgement->sides, judgement->rules, *plotted);
}

struct lesson series_learn(struct series *series, const struct judgement *judgement, const struct sample *sample, double plotted,
			   bool signalled)
{
	const struct judged judged = {sample->value, plotted, sample->end, signalled, series->learns, &series->limits, &series->lines};

	struct lesson lesson = series->learner->learn(series->learnt, judgement, &judged);

	return lesson;
}

/* The list of the worst is ordered, largest first. */
static void remember_worst(struct series *series, const struct sample *sample)
{
	int at = series->worst_count;

	if (at == SERIES_WORST && sample->value <= series->worst[at - 1].value)
		return;
	if (at == SERIES_WORST)
		at--;
	else
		series->worst_count++;
	for (; at > 0 && series->worst[at - 1].value < sample->value; at--)
		series->worst[at] = series->worst[at - 1];
	series->worst[at] = *sample;
}

bool series_gather(struct series *series, const struct judgement *judgement, const struct sample *sample,
		   const struct point *point)
{
	*ARRAY_ADD(&series->baseline) = *point;
	if (series->learner->judges_baseline && !series->judges) {
		if (!sample->rules) /* it was told */
			remember_worst(series, sample);
		if (sample->start < series->first)
			series->first = sample->start;
	}
	return series->baseline.count >= judgement->baseline;
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
static int begin(struct series *series, const struct judgement *judgement, const struct points *points, double probability)
{
	struct limits limits;

	if (method_limits(judgement, points, &limits) < 0)
		return -1;
	limits.n *= judgement->subgroup;
	series->limits = limits;
	series->learner->begin(series->learnt, points, probability, &series->limits);
	series->limits.unit = series->unit;
	set_limits(series, judgement);
	series->past = (struct rules_past){0};
	series->plot.weighted = scale_to(judgement->scale, limits.center);
	return 0;
}

int series_make_limits(struct series *series, const struct judgement *judgement, double probability)
{
	if (begin(series, judgement, &series->baseline, probability) < 0)
		return -1;
	series->learns = series->learns_all = !series->learner->continues && series->baseline.count < judgement->baseline;
	if (!series->learns) {
		free(series->baseline.items);
		series->baseline = (struct points){0};
	}
	sample_sort(series->worst, (size_t)series->worst_count);
	return 0;
}

/* Whether two limits differ by more than a twentieth. */
static bool differ(double a, double b)
{
	return fabs(a - b) > 0.05 * fmin(fabs(a), fabs(b));
}

/* A change is told where the centre is as far from the one last told as practical weight asks, and no less than the values' own scatter. */
static int change_of(double before, double after, const struct judgement *judgement)
{
	double ratio = fmax(LEVEL_RATIO, judgement->min_ratio);

	return (after >= ratio * before) - (after * ratio <= before);
}

bool series_refine(struct series *series, const struct judgement *judgement, const struct lesson *lesson, double probability)
{
	const struct limits *now = &series->limits, *then = &series->last_told;

	series->learner->limits(series->learnt, probability, &series->limits);
	series->limits.unit = series->unit;
	set_limits(series, judgement);
	if (lesson->kind == LESSON_REFINED)
		return differ(now->ucl, then->ucl) || differ(now->center, then->center) || now->method != then->method;
	series->past = (struct rules_past){0};
	series->change = change_of(then->center, now->center, judgement);
	series->changed = lesson->since;
	return true;
}

bool series_has_weight(const struct series *series, const struct judgement *judgement, double plotted)
{
	double ratio = judgement->min_ratio, center = series->lines.center;

	if (series->shortest && plotted < (double)series->shortest / 1e9)
		return false;
	if (ratio == 0 || ((judgement->sides & SIDES_UPPER) && plotted >= ratio * center))
		return true;
	return (judgement->sides & SIDES_LOWER) && plotted * ratio <= center;
}

bool series_is_abnormal(const struct series *series, const struct judgement *judgement, double value)
{
	return (judgement->rules & RULE(1)) && rules_above(value, series->limits.ucl) > 0 && series_has_weight(series, judgement, value);
}
