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

static bool has_fixed(const struct series_set *set)
{
	return set->series && set->series->fixed < INT64_MAX;
}

/* A limit that was given to a chart by name is used where there is one. */
static bool has_chart(const struct measure *measure, const struct judgement_fixed *fixed)
{
	for (size_t i = 0; i < measure->charts.count; i++)
		if (judgement_is_of(fixed, measure->charts.items[i]->name))
			return true;
	return false;
}

static void complain_of_unjudged(const char *name, uint64_t ends, bool fixed, bool counts, void (*say)(const char *format, ...))
{
	say("chart '%s': too few values to learn limits from (%llu in all), so %s; see %s--baseline and --limits", name,
	    (unsigned long long)ends, fixed ? "they were judged by --limit alone" : "nothing was judged", counts ? "--interval, " : "");
}

static void complain_of_series(const struct measured *chart, void (*say)(const char *format, ...))
{
	if (chart->ends > 0 && !chart->set.judged)
		complain_of_unjudged(chart->name, chart->ends, has_fixed(&chart->set), chart->counts, say);
	if (chart->set.forgotten > 0)
		say("chart '%s': more than %d keys at once; the least recent were forgotten %llu times", chart->name, SERIES_MAX,
		    (unsigned long long)chart->set.forgotten);
	if (chart->refused > 0)
		say("chart '%s': %llu events were left out, for there were too many keys", chart->name,
		    (unsigned long long)chart->refused);
}

/* There may be hundreds of charts by hand, so they are told of together. */
static void complain_of_samples(const struct measure *measure, void (*say)(const char *format, ...))
{
	uint64_t ends = measure->gone.ends, forgotten = measure->gone.forgotten;
	bool judged = measure->gone.judged, fixed = false;

	for (size_t i = 0; i < measure->charts.count; i++) {
		const struct measured *chart = measure->charts.items[i];

		if (chart->chart)
			continue;
		ends += chart->ends;
		forgotten += chart->set.forgotten;
		judged |= chart->set.judged;
		fixed |= has_fixed(&chart->set);
	}
	if (ends > 0 && !judged)
		complain_of_unjudged("of samples", ends, fixed, false, say);
	if (forgotten > 0)
		say("samples: more than %d keys of a chart at once, or too many charts; the least recent were forgotten %llu times", SERIES_MAX,
		    (unsigned long long)forgotten);
}

static void complain_of_events(const struct measured *chart, void (*say)(const char *format, ...))
{
	const char *name = chart->name, *start = "", *end = "";
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
	else if (ends == 0 && chart->chart->collected)
		say("chart '%s': no event %s came: nothing that began has ended", name, end);
	else if (ends == 0)
		say("chart '%s': no event %s came, as if nothing had ended; collect with -c %s", name, end, name);
	else if (chart->ends == 0)
		say("chart '%s': no start found its end", name);
}

void measure_complaints(const struct measure *measure, void (*say)(const char *format, ...))
{
	for (size_t i = 0; i < measure->charts.count; i++) {
		if (!measure->charts.items[i]->chart)
			continue;
		complain_of_events(measure->charts.items[i], say);
		complain_of_series(measure->charts.items[i], say);
	}
	complain_of_samples(measure, say);
	for (int i = 0; i < measure->judge.judgement->fixed_count; i++) {
		const struct judgement_fixed *fixed = &measure->judge.judgement->fixed[i];

		if (fixed->chart && !has_chart(measure, fixed))
			say("--limit=%s: there was no such chart", fixed->chart);
	}
	if (measure->charts.count == 0)
		say("nothing was charted: the input%s, and no chart was asked for; see -c",
		    measure->summaries ? "'s samples are summaries already (count=)" : " has no samples");
	if (pairs_overflowed(measure->pairs) > 0)
		say("more than %d starts were open at once, or %d of long ranges; the oldest were forgotten %llu times", PAIR_OPEN_MAX,
		    PAIR_SLOT_MAX, (unsigned long long)pairs_overflowed(measure->pairs));
}
