#include "chart/series_set.h"

#include <stdlib.h>

#include "base/number.h"
#include "chart/span.h"

/* The rate of values is that of so long, so that it follows the day. */
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
	if (!set->common)
		return;
	common_free(set->common);
	set->common = common_new(set->policy);
}

void series_set_free(struct series_set *set)
{
	series_set_forget(set);
	common_free(set->common);
	set->common = NULL;
}

void series_set_pause(struct series_set *set)
{
	for (struct series *series = set->series; series; series = series->hh.next)
		series_pause(series, set->policy);
	if (set->common) {
		common_pause(set->common);
		series_set_follow(set);
	}
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
	if (set->common)
		common_forget(set->common, series);
	remove_series(set, series);
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

struct series *series_set_find(const struct series_set *set, const int64_t id[CHART_KEYS_MAX])
{
	struct series *series;

	HASH_FIND(hh, set->series, id, sizeof(series->id), series);
	return series;
}

static int64_t shortest_of(const struct series_set *set)
{
	int64_t limit = set->common ? common_limit(set->common) : 0;

	return limit > set->shortest ? limit : set->shortest;
}

void series_set_follow(struct series_set *set)
{
	for (struct series *series = set->series; series; series = series->hh.next)
		series_set_shortest(series, set->policy, shortest_of(set));
}

/* The user gave the limits, so the series does not learn from values beyond them. */
static void judge_by_keys(struct series_set *set)
{
	if (!set->common)
		return;
	common_free(set->common);
	set->common = NULL;
	series_set_follow(set);
}

struct series *series_set_add(struct series_set *set, const int64_t id[CHART_KEYS_MAX], const char *chart, const char *key)
{
	struct series *series;

	if (HASH_COUNT(set->series) >= SERIES_MAX && drop_coldest(set) < 0)
		return NULL;
	series = series_new(set->policy, shortest_of(set), id, chart, key);
	series->forgotten = set->forgotten;
	set->judged |= series->judges;
	if (series->judges)
		judge_by_keys(set);
	HASH_ADD(hh, set->series, id, sizeof(series->id), series);
	return series;
}
