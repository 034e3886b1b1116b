#include <stdlib.h>

#include "chart/measured.h"
#include "chart/span.h"

/* A device may serve others first, but not so many, however deep its queue is; then the recording lacks the end. */
enum { OVERTAKEN_MIN = 100 };

int outcome_value(struct measure *measure, const struct judge *judge, struct series_set *set, const struct sample *sample,
		  bool forced)
{
	bool begun = false;

	if (judge_value(judge, set, sample, forced, &begun) < 0)
		return -1;
	if (begun)
		patience_wake(&measure->patience);
	return 0;
}

/* Gives back a start that was handed out. */
static int let_go(struct measure *measure, struct start *start)
{
	bool held = start->state == START_SUSPECT || start->state == START_REPORTED;

	patience_drop(&measure->patience, start);
	start->sample.series->starts--;
	pair_release(start);
	return held ? measure->judge.tell.release(measure->judge.tell.context) : 0;
}

static void take_age(struct start *start, int64_t now, bool open)
{
	int64_t age = span_between(start->sample.start, now);

	start->sample.end = start->sample.start + age;
	start->sample.value = (double)age / 1e9;
	start->sample.open = open;
}

/* A signal said that it had not ended; another says what became of it, whatever the limits are by now. */
static bool was_told(const struct start *start)
{
	return start->state == START_REPORTED || start->state == START_RELEASED;
}

int outcome_end(struct measure *measure, struct measured *chart, struct start *start, int64_t now)
{
	chart->ends++;
	start->sample.series->ended++;
	take_age(start, now, false);
	if (outcome_value(measure, &chart->judge, &chart->set, &start->sample, was_told(start)) < 0)
		return -1;
	return let_go(measure, start);
}

/* Whether this start is too old and no signal has said so. */
static bool is_overdue(const struct start *start, int64_t now)
{
	const struct series *series = start->sample.series;

	return start->state == START_SUSPECT ||
	       (start->state == START_OPEN && span_between(start->sample.start, now) > series->patience);
}

int outcome_drop(struct measure *measure, struct measured *chart, struct start *start, int64_t now)
{
	return is_overdue(start, now) || was_told(start) ? outcome_end(measure, chart, start, now) : let_go(measure, start);
}

/* Whether its end may have come unseen: that it still waits is a guess then, and what it waited is told when it ends. */
static enum doubt doubt_of(const struct measure *measure, const struct start *start)
{
	if (start->for_cpu && hidden_since(&measure->hidden, start->sample.start))
		return DOUBT_IDLE;
	if (measure->vouched)
		return DOUBT_NONE;
	if (recorded_lacks(&measure->recorded, start->sample.start) >= 0)
		return DOUBT_CPU;
	if (pair_is_range(start) && start->sample.series->ended - start->ended_before >= OVERTAKEN_MIN)
		return DOUBT_OVERTAKEN;
	return DOUBT_NONE;
}

/* A start that may have ended unseen. */
static void count_doubted(struct measure *measure, const struct start *start, enum doubt doubt)
{
	struct unended *unended = start->sample.series->unended;

	if (doubt == DOUBT_IDLE)
		return;
	if (!unended)
		unended = start->sample.series->unended = NEW(struct unended);
	if (unended->count++ > 0 && unended->oldest <= start->sample.start)
		return;
	unended->oldest = start->sample.start;
	unended->doubt = doubt;
	unended->cpu = recorded_lacks(&measure->recorded, start->sample.start);
}

int outcome_doubt(struct measure *measure, struct start *start)
{
	count_doubted(measure, start, DOUBT_CPU);
	return let_go(measure, start);
}

static int signal_open(struct measure *measure, struct start *start, int64_t now)
{
	start->doubted = doubt_of(measure, start) != DOUBT_NONE;
	if (start->doubted)
		return 0;
	take_age(start, now, true);
	return judge_single(&measure->judge, &start->sample);
}

int outcome_abandon(struct measure *measure, struct start *list, int64_t now, bool certain)
{
	for (struct start *next; list; list = next) {
		next = list->next;
		if (certain && is_overdue(list, now) && signal_open(measure, list, now) < 0)
			return -1;
		if (let_go(measure, list) < 0)
			return -1;
	}
	return 0;
}

/* A start has just come into this state. */
static int tell_due(struct measure *measure, struct start *start, int64_t now)
{
	const struct measure_listener *tell = &measure->judge.tell;

	switch (start->state) {
	case START_SUSPECT:
		start->sample.passed = start->sample.series->judges ? start->sample.series->single : 0;
		return tell->hold(tell->context, start->sample.start);
	case START_REPORTED:
		return signal_open(measure, start, now);
	case START_RELEASED:
		return tell->release(tell->context);
	default:
		return 0;
	}
}

/* Every so often all limits are learnt anew. */
static void recompute(struct measure *measure)
{
	int64_t period = measure->judge.judgement->recompute;

	if (!period || measure->now < measure->recompute_at)
		return;
	if (measure->recompute_at != INT64_MIN)
		measure_relearn(measure);
	measure->recompute_at = span_add(measure->now, period);
}

void measure_relearn(struct measure *measure)
{
	for (size_t i = 0; i < measure->charts.count; i++)
		measure->charts.items[i]->judge.generation++;
}

int measure_time(struct measure *measure, int64_t now)
{
	struct start *start;

	measured_now(measure, now);
	recompute(measure);
	while ((start = patience_due(&measure->patience, measure->now)))
		if (tell_due(measure, start, measure->now) < 0)
			return -1;
	for (size_t i = 0; i < measure->charts.count; i++) {
		struct measured *chart = measure->charts.items[i];

		if ((chart->counts && !chart->shed && rate_time(measure, chart, measure->now) < 0) ||
		    judge_time(&measure->judge, &chart->set, measure->now) < 0)
			return -1;
	}
	return 0;
}

/* Takes all starts out of the tables. Even of a suspect the end may be among what was lost. */
static int forget_starts(struct measure *measure, int64_t now)
{
	struct start *start;

	while ((start = pairs_oldest(measure->pairs))) {
		pair_take(start);
		if (outcome_abandon(measure, start, now, false) < 0)
			return -1;
	}
	return 0;
}

int measure_lost(struct measure *measure, int64_t now)
{
	for (size_t i = 0; i < measure->charts.count; i++) {
		if (measure->charts.items[i]->disarmed)
			disarmed_clear(measure->charts.items[i]->disarmed);
		rate_forget(measure->charts.items[i]);
	}
	hidden_lost(&measure->hidden);
	return forget_starts(measure, now);
}

typedef ARRAY(struct sample) samples;

static void gather_worst(samples *found, struct series_set *set)
{
	struct series *series;

	for (series = set->series; series; series = series->hh.next)
		for (int i = 0; i < series->worst_count && series->judges; i++)
			*ARRAY_ADD(found) = series->worst[i];
}

/* Signals in the order of their starts, so that the context of an early one is not skipped for a late one. */
static int signal_sorted(struct measure *measure, samples *found)
{
	int status = 0;

	sample_sort(found->items, found->count);
	for (size_t i = 0; i < found->count && status == 0; i++)
		status = found->items[i].open ? judge_single(&measure->judge, &found->items[i])
					      : judge_signal(&measure->judge, &found->items[i], RULE(1));
	free(found->items);
	return status;
}

static int last_verdicts(struct measure *measure)
{
	enum doubt doubt;
	samples found = {0};
	struct start *start;

	for (size_t i = 0; i < measure->charts.count; i++) {
		if (judge_last_limits(&measure->charts.items[i]->judge, &measure->charts.items[i]->set, measure->now) < 0)
			return -1;
		gather_worst(&found, &measure->charts.items[i]->set);
	}
	for (start = pairs_oldest(measure->pairs); start; start = pairs_newer(start)) {
		if (!is_overdue(start, measure->now) && !start->doubted)
			continue;
		doubt = doubt_of(measure, start);
		if (doubt != DOUBT_NONE) {
			count_doubted(measure, start, doubt);
			continue;
		}
		take_age(start, measure->now, true);
		*ARRAY_ADD(&found) = start->sample;
	}
	return signal_sorted(measure, &found);
}

/*
 * What hangs where nothing has ended yet, or too little for limits, is no signal, for nobody knows what is normal there; but it must
 * not go without a word. Something is always under way when the input ends: only what is older than a suspect may get is told.
 */
static int tell_unjudged(struct measure *measure)
{
	const struct measure_listener *tell = &measure->judge.tell;
	enum doubt doubt;

	for (const struct series *series = measure->patience.series; series; series = series->next_open) {
		struct unended unended = {0};

		if (series->judges || series->fixed < INT64_MAX)
			continue;
		for (const struct start *start = series->open; start; start = start->after) {
			if (span_between(start->sample.start, measure->now) < PATIENCE_REPORT)
				continue;
			doubt = doubt_of(measure, start);
			if (doubt != DOUBT_NONE)
				count_doubted(measure, start, doubt);
			else if (unended.count++ == 0)
				unended.oldest = start->sample.start;
		}
		if (unended.count > 0 && tell->open(tell->context, series, &unended, measure->now) < 0)
			return -1;
	}
	return 0;
}

/* What may have ended unseen must not go without a word either. */
static int tell_doubted(struct measure *measure)
{
	const struct measure_listener *tell = &measure->judge.tell;

	for (size_t i = 0; i < measure->charts.count; i++)
		for (struct series *series = measure->charts.items[i]->set.series; series; series = series->hh.next) {
			if (series->unended && tell->open(tell->context, series, series->unended, measure->now) < 0)
				return -1;
			free(series->unended);
			series->unended = NULL;
		}
	return 0;
}

int measure_end(struct measure *measure)
{
	if (last_verdicts(measure) < 0 || tell_unjudged(measure) < 0 || tell_doubted(measure) < 0)
		return -1;
	for (struct start *start; (start = pairs_oldest(measure->pairs));) {
		pair_take(start);
		if (let_go(measure, start) < 0)
			return -1;
	}
	for (size_t i = 0; i < measure->charts.count; i++) {
		struct measured *chart = measure->charts.items[i];

		if (chart->disarmed)
			disarmed_clear(chart->disarmed);
		for (int k = 0; k < chart->count; k++)
			chart->bindings[k].came = false;
		rate_forget(chart);
		chart->shed = false;
		if (judge_last_bucket(&measure->judge, &chart->set) < 0)
			return -1;
		series_set_pause(&chart->set);
	}
	if (measure->now != INT64_MIN)
		measure->ended = measure->now;
	measure->now = measure->recompute_at = INT64_MIN;
	hidden_clear(&measure->hidden);
	recorded_clear(&measure->recorded);
	process_free(&measure->traced);
	return 0;
}

/* Since when events are counted that may yet be too many. */
static int64_t counting_since(const struct measure *measure)
{
	int64_t begin = INT64_MAX;

	for (size_t i = 0; i < measure->charts.count; i++)
		if (measure->charts.items[i]->counting && measure->charts.items[i]->begin < begin)
			begin = measure->charts.items[i]->begin;
	return begin;
}

/* The oldest value that may yet be judged. */
static int64_t learning_since(const struct series_set *set)
{
	const struct series *series;
	int64_t first = INT64_MAX;

	for (series = set->series; series; series = series->hh.next)
		if (!series->judges && series->first < first)
			first = series->first;
	return first;
}

int64_t measure_horizon(const struct measure *measure)
{
	int64_t horizon = counting_since(measure), first;
	const struct start *start = pairs_oldest(measure->pairs);

	for (size_t i = 0; i < measure->charts.count; i++) {
		first = learning_since(&measure->charts.items[i]->set);
		horizon = first < horizon ? first : horizon;
	}
	while (start && start->state == START_RELEASED)
		start = pairs_newer(start);
	return start && start->sample.start < horizon ? start->sample.start : horizon;
}

int64_t measure_undecided(const struct measure *measure)
{
	const struct series *series;
	int64_t oldest = counting_since(measure);

	for (series = measure->patience.series; series; series = series->next_open)
		if ((series->judges || series->patience < INT64_MAX) && series->open->sample.start < oldest)
			oldest = series->open->sample.start;
	return oldest;
}

const struct reading_world *measure_world(const struct measure *measure)
{
	return &measure->world;
}
