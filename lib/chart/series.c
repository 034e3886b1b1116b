#include "chart/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void series_free(struct series_set *set, struct series *series)
{
	HASH_DEL(set->series, series);
	free(series->baseline.items);
	free(series->chart);
	free(series->key);
	free(series);
}

void series_set_free(struct series_set *set)
{
	while (set->series)
		series_free(set, set->series);
}

/* Makes room for one more; -1 where none may go. */
static int drop_coldest(struct series_set *set)
{
	struct series *coldest = NULL, *series;

	for (series = set->series; series; series = series->hh.next)
		if (series->starts == 0 && (!coldest || series->touched < coldest->touched))
			coldest = series;
	if (!coldest)
		return -1;
	series_free(set, coldest);
	set->forgotten++;
	return 0;
}

struct series *series_find(const struct series_set *set, const int64_t id[CHART_KEYS_MAX])
{
	struct series *series;

	HASH_FIND(hh, set->series, id, sizeof(series->id), series);
	return series;
}

/* The age at which a value begins to be abnormal is one nanosecond above this. */
static int64_t patience_of(const struct limits *limits, double min_ratio)
{
	double limit = floor(limits->ucl * 1e9), weight = ceil(min_ratio * limits->center * 1e9) - 1;
	double patience = fmax(limit, weight);

	return patience < 9e18 ? (int64_t)fmax(patience, 0) : INT64_MAX;
}

static void set_limits(struct series *series, const struct judgement *judgement, const struct limits *limits)
{
	series->limits = *limits;
	series->judges = true;
	series->patience = patience_of(limits, judgement->min_ratio);
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
	known = set->judgement->known ? limits_book_find(set->judgement->known, chart, key) : NULL;
	if (known)
		set_limits(series, set->judgement, known);
	HASH_ADD(hh, set->series, id, sizeof(series->id), series);
	return series;
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

bool series_learn(struct series *series, const struct judgement *judgement, const struct sample *sample)
{
	*ARRAY_ADD(&series->baseline) = sample->value;
	remember_worst(series, sample);
	if (sample->start < series->first)
		series->first = sample->start;
	return series->baseline.count >= judgement->baseline;
}

int series_make_limits(struct series *series, const struct judgement *judgement)
{
	struct limits limits;

	if (method_limits(judgement->method, series->baseline.items, series->baseline.count, &limits) < 0)
		return -1;
	set_limits(series, judgement, &limits);
	free(series->baseline.items);
	memset(&series->baseline, 0, sizeof(series->baseline));
	sample_sort(series->worst, (size_t)series->worst_count);
	return 0;
}

bool series_is_abnormal(const struct series *series, const struct judgement *judgement, double value)
{
	return value > series->limits.ucl && value >= judgement->min_ratio * series->limits.center;
}
