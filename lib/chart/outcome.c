/* The fate of starts: they end, are given up, or grow too old. */
#include <stdlib.h>

#include "base/number.h"
#include "base/timestamp.h"
#include "chart/measure_state.h"
#include "chart/patience.h"

/* A device may serve other requests first, but not this many, however deep its queue is: then the recording lacks the end. */
enum { OVERTAKEN_MIN = 100, OVERTAKEN_FEW = 10 /* more may follow */, SPLIT_ROOM = 128 };

struct series *series_of(struct measure *measure, struct binding *binding, const struct event *event)
{
	struct active_chart *chart = binding->chart;
	int64_t id[CHART_KEYS_MAX];
	char text[SPLIT_ROOM];
	struct series *series = chart->recent;

	binding_split(binding, &measure->world, event, id);
	if (!series || memcmp(series->id, id, sizeof(id))) {
		chart->recent = NULL; /* adding one may drop another */
		series = series_set_find(&chart->set, id);
	}
	if (!series) {
		binding_spell_split(binding, &measure->world, event, text, sizeof(text));
		series = series_set_add(&chart->set, id, chart->chart->name, binding->splits ? text : NULL);
	}
	if (series)
		series->touched = event->ts;
	return chart->recent = series;
}

int start_begin(struct measure *measure, struct binding *binding, const struct event *event, const int64_t *key, int64_t length,
		struct start **begun)
{
	struct active_chart *chart = binding->chart;
	struct series *series = series_of(measure, binding, event);
	struct start *start, *pushed_out;

	*begun = NULL;
	if (!series) {
		chart->refused++;
		return 0;
	}
	if (judge_tell_limits(&measure->judge, series, event->ts) < 0)
		return -1;
	*begun = start = pair_start(chart->pairs, key, length, event->ts, &pushed_out);
	start->sample.series = series;
	series->starts++;
	start->for_cpu = chart->for_cpu;
	start->cpu = -1;
	start->ended_before = series->ended;
	start->sample.tid = binding_tid(binding, event);
	start->sample.keys = binding->key;
	start->sample.key_count = binding->keys;
	start->sample.world = &measure->world;
	binding_spelling(binding, event, start->sample.spelling);
	start->shown = binding_spell_show(binding, &measure->world, event, start->sample.spelling, &measure->scratch, start->sample.show,
					  sizeof(start->sample.show));
	start->sample.whole = start->shown;
	patience_add(&measure->patience, start);
	if (outcome_abandon(measure, pushed_out, event->ts, false) < 0)
		return -1;
	return measure->judge.tell.begins ? measure->judge.tell.begins(measure->judge.tell.context, &start->sample) : 0;
}

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

	if (measure->judge.tell.gone)
		measure->judge.tell.gone(measure->judge.tell.context, &start->sample);
	patience_drop(&measure->patience, start);
	start->sample.series->starts--;
	start_release(start);
	return held ? measure->judge.tell.release(measure->judge.tell.context) : 0;
}

static void take_age(struct start *start, int64_t now, bool open)
{
	int64_t age = timestamp_between(start->sample.start, now);

	start->sample.end = start->sample.start + age;
	start->sample.value = (double)age / 1e9;
	start->sample.open = open;
}

/* Tells whether a signal said that the start had not ended. Then another says how long it took, whatever the limits are by now. */
static bool was_told(const struct start *start)
{
	return start->state == START_REPORTED || start->state == START_RELEASED || start->told;
}

/* Ends a start that was handed out, and gives it back. If it may have ended before, among lost events, it has no value. */
static int end_start(struct measure *measure, struct active_chart *chart, struct start *start, int64_t now)
{
	if (now <= measure->gap_end)
		return let_go(measure, start);
	chart->ends++;
	start->sample.series->ended++;
	take_age(start, now, false);
	if (measure->judge.tell.ends) {
		digest_add(&start->sample.series->digest, start->sample.value, now);
		if (measure->judge.tell.ends(measure->judge.tell.context, &start->sample) < 0)
			return -1;
	} else if (outcome_value(measure, &chart->judge, &chart->set, &start->sample, was_told(start)) < 0) {
		return -1;
	}
	return let_go(measure, start);
}

/* Tells whether this start is too old and no signal has said so. */
static bool is_overdue(const struct start *start, int64_t now)
{
	const struct series *series = start->sample.series;

	if (start_in_silence(start))
		return false;
	return start->state == START_SUSPECT ||
	       (start->state == START_OPEN && timestamp_between(start->sample.start, now) > series->patience);
}

int outcome_drop(struct measure *measure, struct active_chart *chart, struct start *start, int64_t now)
{
	return is_overdue(start, now) || was_told(start) ? end_start(measure, chart, start, now) : let_go(measure, start);
}

/* Tells whether at least this many other starts of its chart and key have ended since it began. */
static bool is_overtaken(const struct start *start, uint64_t least)
{
	return start_is_range(start) && start->sample.series->ended - start->ended_before >= least;
}

/* Why the end of a start may have come unseen. If it may have, no signal says that the start is open. */
static enum doubt doubt_of(const struct measure *measure, const struct start *start)
{
	if (start->for_cpu && recorded_hides_since(&measure->recorded, start->sample.start))
		return DOUBT_IDLE;
	if (measure->vouched)
		return DOUBT_NONE;
	if (recorded_lacks(&measure->recorded, start->sample.start) >= 0)
		return DOUBT_CPU;
	if (is_overtaken(start, OVERTAKEN_MIN))
		return DOUBT_OVERTAKEN;
	return DOUBT_NONE;
}

/* Counts a start that may have ended unseen, for the `open` record; not with DOUBT_IDLE. */
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

/* Ends a start that may have ended before, unseen: it has no value, and is counted in the `open` record. */
static int end_doubted(struct measure *measure, struct start *start)
{
	count_doubted(measure, start, DOUBT_CPU);
	return let_go(measure, start);
}

/* Tells whether a wait for a CPU may have ended before: on a CPU that the recording lacks the thread may have run, slept, and been woken. */
static bool ended_before(const struct measure *measure, const struct start *start, const struct event *event)
{
	return !measure->vouched && start->for_cpu &&
	       recorded_may_lack_run(&measure->recorded, start->sample.start, start->cpu, event->cpu);
}

static void take_result(const struct binding *binding, const struct event *event, struct sample *sample)
{
	const struct event_field *field = binding->call.result;
	char text[NUMBER_ROOM];
	int64_t number;

	if (event->payload) {
		enum event_spelling spelling = event_read_number(event, field, &number);

		sample->has_result = event_has(event, field) && spelling != SPELL_TEXT;
		sample->result = spelling == SPELL_SIGNED ? (double)number : (double)(uint64_t)number;
	} else {
		size_t length = event_text(event, field, text, sizeof(text));

		sample->has_result = event_has(event, field) && number_double(text, length, &sample->result) == 0;
	}
}

int outcome_event(struct measure *measure, const struct binding *binding, const struct event *event, struct start *list)
{
	for (struct start *next; list; list = next) {
		next = list->next;
		if (measure->judge.tell.ends)
			take_result(binding, event, &list->sample);
		if (ended_before(measure, list, event)) {
			if (end_doubted(measure, list) < 0)
				return -1;
			continue;
		}
		if ((binding->role == CHART_DROP ? outcome_drop : end_start)(measure, binding->chart, list, event->ts) < 0)
			return -1;
	}
	return 0;
}

static int signal_open(struct measure *measure, struct start *start, int64_t now)
{
	/* If no collector vouches for the recording, its rest may show that the start was overtaken: last_verdicts() decides at the end. */
	start->doubted = start->unheard || (!measure->vouched && is_overtaken(start, OVERTAKEN_FEW)) || doubt_of(measure, start) != DOUBT_NONE;
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

int outcome_silence(struct measure *measure, struct start *start)
{
	start_take(start);
	return end_start(measure, start_chart(start), start, silence_end(&start->silence));
}

/* Ends the starts of the chart whose silence has reached its deadline. */
static int silence_time(struct measure *measure, struct active_chart *chart, int64_t now)
{
	if (chart->silences.swept != INT64_MIN && timestamp_between(chart->silences.swept, now) < PATIENCE_SWEEP)
		return 0;
	chart->silences.swept = now;
	chart->silences.count = chart->turns;
	for (struct start *start = pairs_oldest(measure->pairs), *newer; start; start = newer) {
		newer = start_newer(start);
		if (start_chart(start) != chart || !start_in_silence(start))
			continue;
		if (silence_deadline(&start->silence) > now)
			chart->silences.count++;
		else if (outcome_silence(measure, start) < 0)
			return -1;
	}
	return 0;
}

/* Acts on a start that has just come into its state; START_OPEN: it ended with its silence. */
static int tell_due(struct measure *measure, struct start *start, int64_t now)
{
	const struct measure_listener *tell = &measure->judge.tell;

	switch (start->state) {
	case START_OPEN:
		return outcome_silence(measure, start);
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

/* Relearns all limits once a period, if the user chose one. */
static void recompute(struct measure *measure)
{
	int64_t period = measure->judge.policy->recompute;

	if (!period || measure->now < measure->recompute_at)
		return;
	if (measure->recompute_at != INT64_MIN)
		measure_relearn(measure);
	measure->recompute_at = timestamp_add(measure->now, period);
}

void measure_relearn(struct measure *measure)
{
	for (size_t i = 0; i < measure->charts.count; i++)
		measure->charts.items[i]->judge.generation++;
}

void measure_hurry(struct measure *measure)
{
	patience_hurry(measure);
}

int measure_time(struct measure *measure, int64_t now)
{
	struct start *start;
	bool begun = false;

	measure_now(measure, now);
	recompute(measure);
	while ((start = patience_due(measure, measure->now)))
		if (tell_due(measure, start, measure->now) < 0)
			return -1;
	for (size_t i = 0; i < measure->charts.count; i++) {
		struct active_chart *chart = measure->charts.items[i];

		if ((chart->counts && !chart->shed && rate_time(measure, chart, measure->now) < 0) ||
		    (chart->silences.count && silence_time(measure, chart, measure->now) < 0) ||
		    (chart->polled && polled_time(chart->polled, measure->now) < 0) ||
		    judge_time(&measure->judge, &chart->set, measure->now, &begun) < 0)
			return -1;
	}
	if (begun)
		patience_wake(&measure->patience);
	return 0;
}

/*
 * Takes all starts out of the tables, suspects too, because their ends may be among the lost events. If only the first start of a key counts, as
 * of a command, it stays: no other start can be taken for it.
 */
static int forget_starts(struct measure *measure, int64_t now)
{
	for (struct start *start = pairs_oldest(measure->pairs), *newer; start; start = newer) {
		newer = start_newer(start);
		if (start_chart(start)->chart->first)
			continue;
		start_take(start);
		if (outcome_abandon(measure, start, now, false) < 0)
			return -1;
	}
	return 0;
}

void outcome_gap(struct measure *measure, const struct fields *fields)
{
	int64_t until;

	if (fields_time(fields, "until", &until) > 0 && until > measure->gap_end)
		measure->gap_end = until;
}

int measure_lost(struct measure *measure, int64_t now)
{
	for (size_t i = 0; i < measure->charts.count; i++) {
		if (measure->charts.items[i]->disarmed)
			disarmed_keys_clear(measure->charts.items[i]->disarmed);
		rate_forget(measure->charts.items[i]);
		if (measure->charts.items[i]->polled && polled_forget(measure->charts.items[i]->polled) < 0)
			return -1;
	}
	recorded_lost(&measure->recorded);
	return forget_starts(measure, now);
}

typedef ARRAY(struct sample) samples;

static void gather_worst(samples *found, struct series_set *set)
{
	struct series *series;
	struct sample sample;

	for (series = set->series; series; series = series->hh.next) {
		for (int i = 0; i < series->worst_count && series->judges; i++)
			*ARRAY_ADD(found) = series->worst[i];
		while (series->bursts && maxima_next(series->bursts, &sample))
			*ARRAY_ADD(found) = sample;
	}
	while (set->disturbances && disturbances_next(set->disturbances, &sample))
		*ARRAY_ADD(found) = sample;
}

/* Signals values in the order of their starts, so that a late one does not cost an early one its context. */
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
		judge_last_maxima(&measure->charts.items[i]->set, measure->now);
		gather_worst(&found, &measure->charts.items[i]->set);
	}
	for (start = pairs_oldest(measure->pairs); start; start = start_newer(start)) {
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
 * A start that hangs is no signal if there are no limits yet, because nobody knows what is normal there; an `open` record tells of it. Some
 * start is always open when the input ends, so only those at least as old as PATIENCE_REPORT count.
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
			if (timestamp_between(start->sample.start, measure->now) < PATIENCE_REPORT)
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

/* Starts that may have ended unseen get an `open` record, too. */
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

static int end_lulls(struct measure *measure)
{
	for (size_t i = 0; i < measure->charts.count; i++)
		if (measure->charts.items[i]->silences.count && silence_time(measure, measure->charts.items[i], INT64_MAX) < 0)
			return -1;
	return 0;
}

/* Forgets what later events do not go on with, because they are of another time or another stream. */
static void forget_stream(struct active_chart *chart)
{
	if (chart->disarmed)
		disarmed_keys_clear(chart->disarmed);
	if (chart->traffic)
		traffic_forget(chart->traffic);
	for (int k = 0; k < chart->count; k++)
		chart->bindings[k].came = false;
	for (size_t k = 0; k < chart->matched.count; k++)
		chart->matched.items[k]->came = false;
	rate_forget(chart);
	chart->shed = false;
	chart->silences.swept = INT64_MIN;
}

int measure_end(struct measure *measure)
{
	if (end_lulls(measure) < 0 || last_verdicts(measure) < 0 || tell_unjudged(measure) < 0 || tell_doubted(measure) < 0)
		return -1;
	for (struct start *start; (start = pairs_oldest(measure->pairs));) {
		start_take(start);
		if (let_go(measure, start) < 0)
			return -1;
	}
	for (size_t i = 0; i < measure->charts.count; i++) {
		struct active_chart *chart = measure->charts.items[i];

		if (chart->polled && polled_forget(chart->polled) < 0)
			return -1;
		forget_stream(chart);
		if (judge_last_bucket(&measure->judge, &chart->set) < 0 || judge_digests(&measure->judge, &chart->set) < 0)
			return -1;
		series_set_pause(&chart->set);
	}
	if (measure->now != INT64_MIN)
		measure->ended = measure->now;
	measure->now = measure->recompute_at = measure->gap_end = INT64_MIN;
	measure->patience.whole = measure->patience.awaited = INT64_MAX;
	recorded_clear(&measure->recorded);
	process_free(&measure->traced);
	measure->world.command = 0;
	measure->pipe.count = 0;
	return 0;
}

/* Since when the events of current intervals are counted; INT64_MAX: none are. */
static int64_t counting_since(const struct measure *measure)
{
	int64_t begin = INT64_MAX;

	for (size_t i = 0; i < measure->charts.count; i++)
		if (measure->charts.items[i]->counting && measure->charts.items[i]->begin < begin)
			begin = measure->charts.items[i]->begin;
	return begin;
}

/* When the oldest value began that may yet be judged; INT64_MAX: there is none. */
static int64_t learning_since(const struct series_set *set)
{
	const struct series *series;
	int64_t first = INT64_MAX;

	if (set->disturbances)
		first = disturbances_first(set->disturbances);
	for (series = set->series; series; series = series->hh.next) {
		int64_t bursts = series->bursts ? maxima_first(series->bursts) : INT64_MAX, own = series->judges ? INT64_MAX : series->first;

		first = own < first ? own : first;
		first = bursts < first ? bursts : first;
	}
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
	while (start && start->state == START_RELEASED && !start->unheard) /* its context is kept only as long as there is room */
		start = start_newer(start);
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

static void forget_learnt(struct measure *measure)
{
	for (size_t i = 0; i < measure->charts.count; i++) {
		series_set_forget(&measure->charts.items[i]->set);
		measure->charts.items[i]->recent = NULL;
	}
	measure->elsewhere = false;
}

void measure_begin(struct measure *measure, int64_t ts)
{
	if (measure->elsewhere || (!*measure->origin.boot && ts < measure->ended))
		forget_learnt(measure);
}
