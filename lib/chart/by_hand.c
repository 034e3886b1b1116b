/* Values by hand: each name is a chart of its own, without a definition. */
#include <stdlib.h>
#include <string.h>

#include "chart/measured.h"

/* Names and keys may be anything, so there is a bound on both together. */
enum { BY_HAND_MAX = 1024 };

static struct measured *find_chart(const struct measure *measure, const char *name)
{
	for (size_t i = 0; i < measure->charts.count; i++) {
		struct measured *chart = measure->charts.items[i];

		if (!chart->chart && !strcmp(chart->name, name))
			return chart;
	}
	return NULL;
}

static struct measured *add_chart(struct measure *measure, const char *name)
{
	struct measured *chart = NEW(struct measured);

	chart->name = memory_text(name, strlen(name));
	chart->judge = measure->judge;
	chart->set.judgement = measure->judge.judgement;
	return *ARRAY_ADD(&measure->charts) = chart;
}

static void remove_chart(struct measure *measure, size_t at)
{
	struct measured **items = measure->charts.items, *chart = items[at];

	measure->gone.ends += chart->ends;
	measure->gone.forgotten += chart->set.forgotten;
	measure->gone.judged |= chart->set.judged;
	measured_free(chart);
	measure->charts.count--;
	memmove(items + at, items + at + 1, (measure->charts.count - at) * sizeof(struct measured *));
}

/* Of too many the least recent key goes, and a chart that has none. */
static void make_room(struct measure *measure)
{
	struct series *coldest = NULL;
	int64_t least = INT64_MAX;
	size_t kept = 0, at = 0;

	for (size_t i = 0; i < measure->charts.count; i++) {
		const struct measured *chart = measure->charts.items[i];
		struct series *series = chart->chart ? NULL : series_set_coldest(&chart->set);
		int64_t touched = series ? series->touched : INT64_MIN;

		if (chart->chart)
			continue;
		kept += 1 + HASH_COUNT(chart->set.series);
		if (touched <= least) {
			least = touched;
			coldest = series;
			at = i;
		}
	}
	if (kept < BY_HAND_MAX)
		return;
	if (coldest)
		series_set_drop(&measure->charts.items[at]->set, coldest);
	if (!measure->charts.items[at]->set.series)
		remove_chart(measure, at);
}

static struct measured *find_or_add_chart(struct measure *measure, const char *name)
{
	struct measured *chart = find_chart(measure, name);

	return chart ? chart : add_chart(measure, name);
}

int measure_value(struct measure *measure, const char *name, const char *key, struct sample *sample)
{
	int64_t id[CHART_KEYS_MAX] = {key ? reading_hash(key) : 0, key != NULL};
	struct measured *chart;

	measured_now(measure, sample->end);
	chart = find_chart(measure, name);
	sample->series = chart ? series_find(&chart->set, id) : NULL;
	if (!sample->series) {
		make_room(measure);
		chart = find_or_add_chart(measure, name);
		sample->series = series_add(&chart->set, id, name, key);
	}
	if (!sample->series->unit)
		series_set_unit(sample->series, measure->judge.judgement, sample->unit);
	sample->series->touched = sample->end;
	if (judge_tell_limits(&measure->judge, sample->series, sample->end) < 0)
		return -1;
	chart->ends++;
	return outcome_value(measure, &chart->judge, &chart->set, sample, false);
}
