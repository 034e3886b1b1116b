/* Charts that count: events become a value for each interval and key. */
#include "base/timestamp.h"
#include "chart/measure_state.h"

/* At most this many intervals without any event are charted; of a longer gap nothing is known, and none of it is charted. */
enum { EMPTY_MOST = 64 };

/*
 * Counts for the thread that caused most of the events: a few candidates are kept (J. Misra, D. Gries, "Finding repeated elements", Science of
 * Computer Programming 2, 1982). A thread that caused more than one event in TALLY_THREADS + 1 is among them, and its count is too low by
 * at most that share of all events.
 */
static void count_thread(struct thread_tally *tally, int32_t tid)
{
	struct tally_thread *free = NULL;

	for (struct tally_thread *thread = tally->threads; thread < tally->threads + TALLY_THREADS; thread++) {
		if (thread->count > 0 && thread->tid == tid) {
			thread->count++;
			return;
		}
		if (thread->count == 0)
			free = thread;
	}
	if (free) {
		*free = (struct tally_thread){tid, 1};
		return;
	}
	for (int i = 0; i < TALLY_THREADS; i++)
		tally->threads[i].count--;
}

static void tally_add(struct thread_tally *tally, bool counts, int32_t tid)
{
	tally->events++;
	if (!counts)
		return;
	tally->counted++;
	if (tid >= 0)
		count_thread(tally, tid);
}

/* The thread that caused at least half of the counted events; -1: none did, or it is not certain. */
static int32_t tally_most(const struct thread_tally *tally)
{
	for (int i = 0; i < TALLY_THREADS; i++)
		if (tally->threads[i].count > 0 && 2 * tally->threads[i].count >= tally->counted)
			return tally->threads[i].tid;
	return -1;
}

static void clear(struct active_chart *chart)
{
	for (struct series *series = chart->set.series; series; series = series->hh.next)
		series->tally = (struct thread_tally){0};
}

void rate_forget(struct active_chart *chart)
{
	chart->counting = false;
	clear(chart);
}

/* Judges the interval's value of one series; if there was nothing that could fail, there is none. */
static int close_series(struct measure *measure, struct active_chart *chart, struct series *series)
{
	const struct thread_tally *tally = &series->tally;
	int64_t end = timestamp_add(chart->begin, chart->policy->interval);
	struct sample sample = {.series = series, .value = (double)tally->counted, .start = chart->begin, .end = end};

	sample.tid = tally_most(tally);
	sample.size = chart->policy->method->is_share ? (double)tally->events : (double)chart->policy->interval / 1e9;
	if (!(sample.size > 0))
		return 0;
	chart->ends++;
	return outcome_value(measure, &chart->judge, &chart->set, &sample, false);
}

static int close_interval(struct measure *measure, struct active_chart *chart)
{
	for (struct series *series = chart->set.series; series; series = series->hh.next)
		if (close_series(measure, chart, series) < 0)
			return -1;
	clear(chart);
	return 0;
}

int rate_time(struct measure *measure, struct active_chart *chart, int64_t now)
{
	int64_t interval = chart->policy->interval;

	if (now <= measure->gap_end) {
		rate_forget(chart);
		return 0;
	}
	if (!chart->counting) {
		chart->counting = true;
		chart->begin = now;
	}
	if (timestamp_between(chart->begin, now) / interval > EMPTY_MOST) {
		if (close_interval(measure, chart) < 0)
			return -1;
		chart->begin = now;
	}
	while (timestamp_between(chart->begin, now) >= interval) {
		if (close_interval(measure, chart) < 0)
			return -1;
		chart->begin = timestamp_add(chart->begin, interval);
	}
	return 0;
}

int rate_count(struct measure *measure, struct binding *binding, const struct event *event, struct series *series)
{
	const struct chart_field *failed = &binding->failed;

	if (rate_time(measure, binding->chart, event->ts) < 0)
		return -1;
	if (!series->unit)
		series_be_in(series, binding->chart->policy, binding->chart->policy->method->is_share ? "share" : "per_second");
	if (judge_tell_limits(&measure->judge, series, event->ts) < 0)
		return -1;
	tally_add(&series->tally, !failed->raw || chart_field_number(failed, &measure->world, event) != 0,
		  binding_cause(binding, event));
	return 0;
}
