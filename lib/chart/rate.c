/* Charts that count: events become a value for each interval and key. */
#include "chart/measured.h"
#include "chart/span.h"

/* Intervals without any event that are charted one by one; of a longer gap nothing is known, and none of it is charted. */
enum { EMPTY_MOST = 64 };

static void clear(struct measured *chart)
{
	for (struct series *series = chart->set.series; series; series = series->hh.next)
		series->tally = (struct tally){0};
}

void rate_forget(struct measured *chart)
{
	chart->counting = false;
	clear(chart);
}

/* The interval's value of one series; where there was nothing that could fail, there is none. */
static int close_series(struct measure *measure, struct measured *chart, struct series *series)
{
	const struct tally *tally = &series->tally;
	int64_t end = span_add(chart->begin, chart->judgement->interval);
	struct sample sample = {.series = series, .value = (double)tally->counted, .start = chart->begin, .end = end};

	sample.tid = tally_most(tally);
	sample.size = chart->judgement->method->is_share ? (double)tally->events : (double)chart->judgement->interval / 1e9;
	if (!(sample.size > 0))
		return 0;
	chart->ends++;
	return outcome_value(measure, &chart->judge, &chart->set, &sample, false);
}

static int close_interval(struct measure *measure, struct measured *chart)
{
	for (struct series *series = chart->set.series; series; series = series->hh.next)
		if (close_series(measure, chart, series) < 0)
			return -1;
	clear(chart);
	return 0;
}

int rate_time(struct measure *measure, struct measured *chart, int64_t now)
{
	int64_t interval = chart->judgement->interval;

	if (!chart->counting) {
		chart->counting = true;
		chart->begin = now;
	}
	if (span_between(chart->begin, now) / interval > EMPTY_MOST) {
		if (close_interval(measure, chart) < 0)
			return -1;
		chart->begin = now;
	}
	while (span_between(chart->begin, now) >= interval) {
		if (close_interval(measure, chart) < 0)
			return -1;
		chart->begin = span_add(chart->begin, interval);
	}
	return 0;
}

int rate_count(struct measure *measure, struct binding *binding, const struct event *event, struct series *series)
{
	const struct reading *failed = &binding->failed;

	if (rate_time(measure, binding->chart, event->ts) < 0)
		return -1;
	if (!series->unit)
		series_set_unit(series, binding->chart->judgement, binding->chart->judgement->method->is_share ? "share" : "per_second");
	if (judge_tell_limits(&measure->judge, series, event->ts) < 0)
		return -1;
	tally_add(&series->tally, !failed->field || reading_number(failed, &measure->world, event) != 0,
		  binding_cause(binding, event));
	return 0;
}
