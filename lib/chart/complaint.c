/* Complaints at the end: charts without events or limits, bounds that were reached. */
#include <stdlib.h>
#include <string.h>

#include "chart/complaint.h"
#include "chart/measure_state.h"

enum { FUNCTIONS_TOLD = 3 }; /* with the same fault get a sentence each; more share one */

/* Counts the events of this role that came; sets *name to the first such event of the definition. */
static uint64_t seen(const struct active_chart *chart, enum chart_role role, const char **name)
{
	uint64_t count = 0;

	for (int i = chart->count - 1; i >= 0; i--)
		if (chart->bindings[i].role == role) {
			count += chart->bindings[i].seen;
			*name = chart->bindings[i].type->name;
		}
	for (size_t i = 0; i < chart->matched.count; i++)
		count += chart->matched.items[i]->role == role ? chart->matched.items[i]->seen : 0;
	return count;
}

static bool has_fixed(const struct series_set *set)
{
	return set->series && set->series->fixed < INT64_MAX;
}

/* A limit that the user gave for a chart by name needs such a chart, and one of times. */
static void complain_of_fixed(const struct measure *measure, const struct policy_fixed *fixed, void (*say)(const char *format, ...))
{
	bool is_rate = false;

	for (size_t i = 0; i < measure->charts.count; i++) {
		const struct active_chart *chart = measure->charts.items[i];

		if (!policy_is_of(fixed, chart->name))
			continue;
		if (!chart->judge.policy->method->plots->rates)
			return;
		is_rate = true;
	}
	say("--limit=%s: %s", fixed->chart, is_rate ? "not used, because rates are no times" : "there was no such chart");
}

/* Why a chart measured or judged nothing. */
enum fault {
	FAULT_NONE,
	FAULT_STRANGE,	   /* all starts were by threads that are not traced */
	FAULT_SILENT,	   /* no start came */
	FAULT_UNCOLLECTED, /* the same, but the start may not have been collected */
	FAULT_OPEN,	   /* no end came */
	FAULT_ENDLESS,	   /* the same, but the end may not have been collected */
	FAULT_IDLE,	   /* all starts were waits for work */
	FAULT_UNPAIRED,	   /* no end had a start */
	FAULT_UNJUDGED,	   /* too few values */
	FAULTS
};

/* Sets *event to the event concerned, or NULL. */
static enum fault fault_of(const struct active_chart *chart, const char **event)
{
	const char *start = NULL, *end = NULL;
	uint64_t starts = seen(chart, chart->counts ? CHART_COUNT : chart->turns ? CHART_CALL : CHART_START, &start);
	uint64_t ends = seen(chart, CHART_END, &end);
	bool collected = chart->chart->collected, pairs = !chart->counts && !chart->turns;

	*event = start;
	if (starts > 0 && starts == chart->others)
		return FAULT_STRANGE;
	if (starts == 0)
		return collected ? FAULT_SILENT : FAULT_UNCOLLECTED;
	if (starts == chart->idle)
		return FAULT_IDLE;
	*event = end;
	if (pairs && ends == 0)
		return collected ? FAULT_OPEN : FAULT_ENDLESS;
	if (!chart->counts && chart->ends == 0)
		return FAULT_UNPAIRED;
	return chart->ends > 0 && !chart->set.judged && !chart->chart->each && !chart->judge.tell.ends ? FAULT_UNJUDGED : FAULT_NONE;
}

/* `who`: "chart 'block'", or several. */
static void complain_of_unjudged(const char *who, uint64_t ends, bool fixed, bool counts, void (*say)(const char *format, ...))
{
	say("%s: too few values to learn limits from (%llu in all), so %s; see %s--baseline and --limits", who,
	    (unsigned long long)ends, fixed ? "they were judged by --limit alone" : "nothing was judged", counts ? "--interval, " : "");
}

/* `what` did not come. `name`: the chart to collect, with a space before it. */
static void complain_of_events(enum fault fault, const char *who, const char *what, const char *name, void (*say)(const char *format, ...))
{
	switch (fault) {
	case FAULT_STRANGE:
		say("%s: no %s was of the processes that were traced, so nothing was measured", who, what);
		break;
	case FAULT_SILENT:
		say("%s: no %s came, so nothing was measured", who, what);
		break;
	case FAULT_UNCOLLECTED:
		say("%s: no %s came; collect with -c%s, and see that it happened at all", who, what, name);
		break;
	case FAULT_OPEN:
		say("%s: no %s came: nothing that began has ended", who, what);
		break;
	case FAULT_ENDLESS:
		say("%s: no %s came, as if nothing had ended; collect with -c%s", who, what, name);
		break;
	case FAULT_IDLE:
		say("%s: each %s was a sleep or a wait for work, which is not measured; see --idle", who, what);
		break;
	case FAULT_UNPAIRED:
		say("%s: no start found its end", who);
		break;
	default:
		break;
	}
}

static void complain_of_fault(const struct active_chart *chart, enum fault fault, const char *event, void (*say)(const char *format, ...))
{
	char *who = memory_format("chart '%s'", chart->name), *what = memory_format("event %s", event ? event : "");
	char *name = memory_format(" %s", chart->name);

	if (fault == FAULT_UNJUDGED)
		complain_of_unjudged(who, chart->ends, has_fixed(&chart->set), chart->counts, say);
	else
		complain_of_events(fault, who, what, name, say);
	free(name);
	free(what);
	free(who);
}

static bool is_function(const struct active_chart *chart)
{
	return chart->chart && !strncmp(chart->name, "func:", strlen("func:"));
}

/* One sentence for all functions with the same fault, because there may be hundreds. */
static void complain_of_functions(const struct measure *measure, enum fault fault, uint64_t count, void (*say)(const char *format, ...))
{
	char *who = memory_format("%llu functions", (unsigned long long)count);
	uint64_t ends = 0;
	bool fixed = false;
	const char *event;

	for (size_t i = 0; i < measure->charts.count; i++) {
		const struct active_chart *chart = measure->charts.items[i];

		if (!is_function(chart) || fault_of(chart, &event) != fault)
			continue;
		ends += chart->ends;
		fixed |= has_fixed(&chart->set);
	}
	if (fault == FAULT_UNJUDGED)
		complain_of_unjudged(who, ends, fixed, false, say);
	else
		complain_of_events(fault, who, fault < FAULT_OPEN ? "call" : "return", "", say);
	free(who);
}

/* Bounds that this chart reached. */
static void complain_of_bounds(const struct active_chart *chart, void (*say)(const char *format, ...))
{
	for (int i = 0; i < chart->count; i++)
		if (chart->bindings[i].lacking)
			say("chart '%s': event %s has no field '%s'", chart->name, chart->bindings[i].type->name,
			    chart->bindings[i].lacking);
	if (chart->set.forgotten > 0)
		say("chart '%s': more than %d keys at once; the least recent were forgotten %llu times", chart->name, SERIES_MAX,
		    (unsigned long long)chart->set.forgotten);
	if (chart->others_of_name)
		say("chart '%s': another chart has this name, and was left out", chart->name);
	if (chart->refused > 0)
		say("chart '%s': %llu events were left out, because there were too many keys", chart->name,
		    (unsigned long long)chart->refused);
}

static void complain_of_charts(const struct measure *measure, void (*say)(const char *format, ...))
{
	uint64_t functions[FAULTS] = {0};
	const char *event;

	for (size_t i = 0; i < measure->charts.count; i++)
		if (is_function(measure->charts.items[i]))
			functions[fault_of(measure->charts.items[i], &event)]++;
	for (size_t i = 0; i < measure->charts.count; i++) {
		const struct active_chart *chart = measure->charts.items[i];
		enum fault fault = chart->chart ? fault_of(chart, &event) : FAULT_NONE;

		if (!chart->chart)
			continue;
		if (!is_function(chart) || functions[fault] <= FUNCTIONS_TOLD)
			complain_of_fault(chart, fault, event, say);
		complain_of_bounds(chart, say);
	}
	for (enum fault fault = FAULT_STRANGE; fault < FAULTS; fault++)
		if (functions[fault] > FUNCTIONS_TOLD)
			complain_of_functions(measure, fault, functions[fault], say);
}

/* One sentence for all charts by hand, because there may be hundreds; a single one is named. */
static void complain_of_samples(const struct measure *measure, void (*say)(const char *format, ...))
{
	uint64_t ends = measure->gone.ends, forgotten = measure->gone.forgotten;
	bool judged = measure->gone.judged, fixed = false;
	const char *only = NULL;
	char *who;
	int charts = 0;

	for (size_t i = 0; i < measure->charts.count; i++) {
		const struct active_chart *chart = measure->charts.items[i];

		if (chart->chart)
			continue;
		only = chart->name;
		charts++;
		ends += chart->ends;
		forgotten += chart->set.forgotten;
		judged |= chart->set.judged;
		fixed |= has_fixed(&chart->set);
	}
	who = charts == 1 && measure->gone.ends == 0 ? memory_format("chart '%s'", only) : memory_format("samples");
	if (ends > 0 && !judged)
		complain_of_unjudged(who, ends, fixed, false, say);
	free(who);
	if (forgotten > 0)
		say("samples: more than %d keys of a chart at once, or too many charts; the least recent were forgotten %llu times", SERIES_MAX,
		    (unsigned long long)forgotten);
}

void measure_complaints(const struct measure *measure, void (*say)(const char *format, ...))
{
	complain_of_charts(measure, say);
	complain_of_samples(measure, say);
	for (int i = 0; i < measure->judge.policy->fixed_count; i++) {
		const struct policy_fixed *fixed = &measure->judge.policy->fixed[i];

		if (fixed->chart)
			complain_of_fixed(measure, fixed, say);
	}
	if (measure->judge.policy->known && limits_book_outdated(measure->judge.policy->known))
		say("%s", limits_book_outdated(measure->judge.policy->known));
	if (measure->charts.count == 0)
		say("nothing was charted: the input%s, and no chart was asked for; see -c",
		    measure->summaries ? "'s samples are summaries already (count=)" : " has no samples");
	if (pairs_overflowed(measure->pairs) > 0)
		say("more than %d starts were open at once, or %d of long ranges; the oldest were forgotten %llu times", PAIR_OPEN_MAX,
		    PAIR_SLOT_MAX, (unsigned long long)pairs_overflowed(measure->pairs));
}

static void save_set(const struct series_set *set, const char *build, struct limits_book *book)
{
	const struct series *series;

	for (series = set->series; series; series = series->hh.next)
		if (series->judges)
			limits_book_set(book, series->chart, series->key, &series->limits, build);
}

/* The build id of a function's program; NULL: not known. */
static const char *build_of(const struct active_chart *chart)
{
	return chart->chart ? chart->chart->build : NULL;
}

void measure_save(const struct measure *measure, struct limits_book *book)
{
	for (size_t i = 0; i < measure->charts.count; i++)
		save_set(&measure->charts.items[i]->set, build_of(measure->charts.items[i]), book);
}
