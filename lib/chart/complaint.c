/* What a user should know of the charts at the end. */
#include <string.h>

#include "chart/measured.h"

/* How many events of this role came; *name is the first such event of the definition. */
static uint64_t seen(const struct measured *chart, enum chart_role role, const char **name)
{
	uint64_t count = 0;

	for (int i = chart->count - 1; i >= 0; i--)
		if (chart->bindings[i].role == role) {
			count += chart->bindings[i].seen;
			*name = chart->bindings[i].type->name;
		}
	return count;
}

static bool any_judges(const struct series_set *set)
{
	const struct series *series = set->series;

	while (series && !series->judges)
		series = series->hh.next;
	return series != NULL;
}

static bool has_fixed(const struct series_set *set)
{
	return set->series && set->series->fixed < INT64_MAX;
}

/* A limit that was given to a chart by name is used where there is one. */
static bool has_chart(const struct measure *measure, const struct judgement_fixed *fixed)
{
	const struct series *series;

	for (size_t i = 0; i < measure->charts.count; i++)
		if (judgement_is_of(fixed, measure->charts.items[i]->chart->name))
			return true;
	for (series = measure->by_hand.set.series; series; series = series->hh.next)
		if (judgement_is_of(fixed, series->chart))
			return true;
	return false;
}

static void complain_of_series(const struct measured *chart, const char *name, void (*say)(const char *format, ...))
{
	if (chart->ends > 0 && !any_judges(&chart->set))
		say("chart '%s': too few values to learn limits from (%llu in all), so %s; see %s--baseline and --limits", name,
		    (unsigned long long)chart->ends, has_fixed(&chart->set) ? "they were judged by --limit alone" : "nothing was judged",
		    chart->counts ? "--interval, " : "");
	if (chart->set.forgotten > 0)
		say("chart '%s': more than %d keys at once; the least recent were forgotten %llu times", name, SERIES_MAX,
		    (unsigned long long)chart->set.forgotten);
	if (chart->refused > 0)
		say("chart '%s': %llu events were left out, for there were too many keys", name,
		    (unsigned long long)chart->refused);
}

static void complain_of_events(const struct measured *chart, void (*say)(const char *format, ...))
{
	const char *name = chart->chart->name, *start = "", *end = "";
	uint64_t starts = seen(chart, chart->counts ? CHART_COUNT : CHART_START, &start);
	uint64_t ends = seen(chart, CHART_END, &end);

	for (int i = 0; i < chart->count; i++)
		if (chart->bindings[i].lacking)
			say("chart '%s': event %s has no field '%s'", name, chart->bindings[i].type->name,
			    chart->bindings[i].lacking);
	if (starts > 0 && starts == chart->others) {
		say("chart '%s': no event %s was of the processes that were traced, so nothing was measured", name, start);
		return;
	}
	if (starts > 0 && chart->counts)
		return;
	if (starts == 0 && chart->chart->collected)
		say("chart '%s': no event %s came, so nothing was measured", name, start);
	else if (starts == 0)
		say("chart '%s': no event %s came; collect with -c %s, and see that it happened at all", name, start, name);
	else if (ends == 0)
		say("chart '%s': no event %s came, so nothing was measured; collect with -c %s", name, end, name);
	else if (chart->ends == 0)
		say("chart '%s': no start found its end, so nothing was measured", name);
}

void measure_complaints(const struct measure *measure, void (*say)(const char *format, ...))
{
	for (size_t i = 0; i < measure->charts.count; i++) {
		complain_of_events(measure->charts.items[i], say);
		complain_of_series(measure->charts.items[i], measure->charts.items[i]->chart->name, say);
	}
	complain_of_series(&measure->by_hand, "of samples", say);
	for (int i = 0; i < measure->judge.judgement->fixed_count; i++) {
		const struct judgement_fixed *fixed = &measure->judge.judgement->fixed[i];

		if (fixed->chart && !has_chart(measure, fixed))
			say("--limit=%s: there was no such chart", fixed->chart);
	}
	if (measure->charts.count == 0 && measure->by_hand.ends == 0)
		say("nothing was charted: the input%s, and no chart was asked for; see -c",
		    measure->summaries ? "'s samples are summaries already (count=)" : " has no samples");
	if (pairs_overflowed(measure->pairs) > 0)
		say("more than %d starts were open at once, or %d of long ranges; the oldest were forgotten %llu times", PAIR_OPEN_MAX,
		    PAIR_SLOT_MAX, (unsigned long long)pairs_overflowed(measure->pairs));
}
