#include "chart/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "chart/level.h"
#include "chart/statistics.h"

/*
 * However long it runs, a chart writes a few thousand buckets of healthy values at most: after every THIN_RECORDS records the buckets get twice
 * as wide.
 */
enum { THIN_RECORDS = 256 };

static const int64_t first_width = 10 * (NSEC_PER_SEC / 1000);
static const int64_t signs_last = 3600 * NSEC_PER_SEC;

/* Tells whether the current bucket ended before this time. */
static bool thin_is_over(const struct thin_clock *clock, int64_t now)
{
	return clock->width && timestamp_between(clock->begin, now) >= clock->width;
}

/* Begins the bucket that holds this time; `records` were written for the bucket before. */
static void thin_begin(struct thin_clock *clock, int64_t now, int records)
{
	clock->records += records;
	if (!clock->width)
		clock->width = first_width;
	if (clock->records >= THIN_RECORDS && clock->width < INT64_MAX / 4) {
		clock->width *= 2;
		clock->records = 0;
	}
	clock->begin = timestamp_add(now, -((now % clock->width + clock->width) % clock->width));
}

/* xorshift64. */
static uint64_t random_below(struct thin *thin, uint64_t bound)
{
	uint64_t x = thin->random ? thin->random : UINT64_C(88172645463325252);

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	thin->random = x;
	return x % bound;
}

static void thin_add(struct thin *thin, int64_t ts, double value)
{
	uint64_t place = thin->count < THIN_KEPT ? thin->count : random_below(thin, thin->count + 1);

	if (place < THIN_KEPT)
		thin->kept[place] = value;
	if (thin->count == 0 || value > thin->max)
		thin->max = value;
	thin->last = ts;
	thin->count++;
}

/* Reorders `kept`. */
static double thin_median(struct thin *thin)
{
	uint64_t kept = thin->count < THIN_KEPT ? thin->count : THIN_KEPT;

	return kept > 0 ? median_of_few(thin->kept, kept) : 0;
}

static void thin_clear(struct thin *thin)
{
	thin->count = 0;
	thin->max = 0;
}

/* Writes the healthy values of the current bucket and begins the bucket of this time. */
static int turn_bucket(const struct judge *judge, struct series_set *set, int64_t now)
{
	struct series *series;
	int records = 0;

	for (series = set->series; series; series = series->hh.next) {
		if (series->thin.count == 0)
			continue;
		if (judge->tell.healthy(judge->tell.context, series, set->clock.begin, thin_median(&series->thin)) < 0)
			return -1;
		thin_clear(&series->thin);
		records++;
	}
	thin_begin(&set->clock, now, records);
	return 0;
}

/* The limit of a key's bursts has changed: signals the remembered values that are beyond it. */
static int tell_bursts(const struct judge *judge, struct block_maxima *bursts)
{
	struct sample sample;

	while (maxima_next(bursts, &sample))
		if (judge_signal(judge, &sample, RULE(1)) < 0)
			return -1;
	return 0;
}

static int tell_disturbances(const struct judge *judge, struct disturbances *disturbances)
{
	struct sample sample;

	while (disturbances_next(disturbances, &sample))
		if (judge_signal(judge, &sample, RULE(1)) < 0)
			return -1;
	return 0;
}

static int bursts_time(const struct judge *judge, struct series_set *set, int64_t now, bool *begun)
{
	uint64_t keys = HASH_COUNT(set->series);

	set->due = timestamp_add(now, MAXIMA_BLOCK);
	for (struct series *series = set->series; series; series = series->hh.next) {
		if (!series->bursts || !series->judges || maxima_time(series->bursts, now, keys) != MAXIMA_OTHER_LIMIT)
			continue;
		*begun = true;
		series_set_follow_bursts(set, series);
		if (tell_bursts(judge, series->bursts) < 0)
			return -1;
	}
	return 0;
}

int judge_time(const struct judge *judge, struct series_set *set, int64_t now, bool *begun)
{
	if (set->disturbances && set->judged && disturbances_time(set->disturbances, now, HASH_COUNT(set->series))) {
		*begun = true;
		series_set_follow(set);
		if (tell_disturbances(judge, set->disturbances) < 0)
			return -1;
	}
	if (set->bursts && set->judged && now >= set->due && bursts_time(judge, set, now, begun) < 0)
		return -1;
	return thin_is_over(&set->clock, now) ? turn_bucket(judge, set, now) : 0;
}

void judge_last_maxima(struct series_set *set, int64_t now)
{
	if (set->disturbances)
		disturbances_end(set->disturbances, now);
	for (struct series *series = set->series; series; series = series->hh.next)
		if (series->bursts)
			maxima_end(series->bursts, now);
	series_set_follow(set);
}

int judge_last_bucket(const struct judge *judge, struct series_set *set)
{
	int status = turn_bucket(judge, set, set->clock.begin);

	set->clock = (struct thin_clock){0};
	set->values = 0;
	return status;
}

static int healthy(const struct judge *judge, struct series_set *set, const struct sample *sample)
{
	if ((!set->clock.width || thin_is_over(&set->clock, sample->end)) && turn_bucket(judge, set, sample->end) < 0)
		return -1;
	thin_add(&sample->series->thin, sample->end, sample->value / (sample->size > 0 ? sample->size : 1));
	return 0;
}

static void remove_sign(struct series_signs *signs, int at)
{
	signs->count--;
	memmove(&signs->items[at], &signs->items[at + 1], (size_t)(signs->count - at) * sizeof(*signs->items));
}

/* The index of the least sign, if that is less than this value; else -1. */
static int least_sign(const struct series_signs *signs, double value)
{
	int least = -1;

	for (int i = 0; i < signs->count; i++)
		if (signs->items[i].value < (least < 0 ? value : signs->items[least].value))
			least = i;
	return least;
}

/* Remembers a sign; forgets those that are an hour old. */
static void add_sign(struct series *series, double value, int64_t ts)
{
	struct series_signs *signs = series->signs;
	int least;

	if (!signs)
		signs = series->signs = NEW(struct series_signs);
	while (signs->count > 0 && timestamp_between(signs->items[0].ts, ts) > signs_last)
		remove_sign(signs, 0);
	if (signs->count == SERIES_SIGNS) {
		least = least_sign(signs, value);
		if (least < 0)
			return;
		remove_sign(signs, least);
	}
	signs->items[signs->count].ts = ts;
	signs->items[signs->count++].value = value;
}

/* The lines of a rate depend on its size. */
static void rate_lines(struct series *series, const struct policy *policy, const struct point *point, int64_t ts)
{
	double past_limit = series->learner->past_limit(series->learnt, policy, point->size, ts);

	method_lines(policy, &series->limits, point->size, &series->lines);
	series->lines.ucl = fmax(series->lines.ucl, past_limit);
}

/* The rules that hold at a point of this time; *plotted is where it lies on the chart. */
static unsigned rules_at(struct series *series, const struct policy *policy, const struct point *point, int64_t ts, double *plotted)
{
	const struct plotting *plots = policy->method->plots;

	if (!plots->single)
		*plotted = plots->place(&series->plot, policy, point);
	if (plots->rates)
		rate_lines(series, policy, point, ts);
	if ((policy->rules & ~RULE(RULE_SHIFT)) == RULE(1) && policy->sides == SIDES_UPPER)
		return rules_above(*plotted, series->lines.ucl) > 0 ? RULE(1) : 0;
	return rules_judge(&series->past, &series->lines, policy->sides, policy->rules, *plotted);
}

/* Keeps the list of the worst in order, largest first. */
static void remember_worst(struct series *series, const struct sample *sample)
{
	int at = series->worst_count;

	if (at == SERIES_WORST && sample->value <= series->worst[at - 1].value)
		return;
	if (at == series->worst_room && at < SERIES_WORST) {
		series->worst_room = at ? 2 * at : 1;
		series->worst = memory_grow(series->worst, (size_t)series->worst_room, sizeof(*series->worst));
	}
	if (at == SERIES_WORST)
		at--;
	else
		series->worst_count++;
	for (; at > 0 && series->worst[at - 1].value < sample->value; at--)
		series->worst[at] = series->worst[at - 1];
	series->worst[at] = *sample;
	series->worst[at].whole = NULL;
}

/* Takes a point into the baseline. True: the baseline is complete. */
static bool add_to_baseline(struct series *series, const struct policy *policy, const struct sample *sample,
			    const struct point *point)
{
	*ARRAY_ADD(&series->baseline) = *point;
	if (series->learner->judges_baseline && !series->judges) {
		if (!sample->rules) /* else it had its signal */
			remember_worst(series, sample);
		if (sample->start < series->first)
			series->first = sample->start;
	}
	return series->baseline.count >= policy->baseline;
}

/* A new baseline begins; until it is complete the limits stay as they are. */
static void relearn(struct series *series)
{
	series->learns = true;
	series->baseline.count = 0;
}

/* The same, because a lesson says that the limits are out of date. */
static void begin_anew(struct series *series, const struct lesson *lesson)
{
	series->change = lesson->side;
	series->changed = lesson->since;
	series->learns_all = true;
	relearn(series);
}

/* Makes limits from these points, and judges by them from now on. */
static int begin_with(struct series *series, const struct policy *policy, const struct points *points, double probability)
{
	struct limits limits;

	if (method_limits(policy, points, &limits) < 0)
		return -1;
	limits.n *= policy->subgroup;
	series->limits = limits;
	series->learner->begin(series->learnt, points, probability, &series->limits);
	series->limits.unit = series->unit;
	series_judge_by(series, policy);
	series->past = (struct rules_past){0};
	series->plot.weighted = scale_to(policy->scale, limits.center);
	return 0;
}

/*
 * Makes the limits from the baseline; `probability`: of a false alarm. 0; -1 after fail(): too few points. Puts the worst values into time
 * order. Limits from less than a baseline hold until there is a whole one, unless the learner goes on from them.
 */
static int make_limits(struct series *series, const struct policy *policy, double probability)
{
	if (begin_with(series, policy, &series->baseline, probability) < 0)
		return -1;
	series->learns = series->learns_all = !series->learner->continues && series->baseline.count < policy->baseline;
	if (!series->learns) {
		free(series->baseline.items);
		series->baseline = (struct points){0};
	}
	sample_sort(series->worst, (size_t)series->worst_count);
	return 0;
}

/* Tells whether two limits differ by more than a twentieth. */
static bool differ(double a, double b)
{
	return fabs(a - b) > 0.05 * fmin(fabs(a), fabs(b));
}

/* 1 or -1: the centre has moved up or down, since the last `limits` record, by practical weight and by LEVEL_RATIO at least; else 0. */
static int change_of(double before, double after, const struct policy *policy)
{
	double ratio = fmax(LEVEL_RATIO, policy->min_ratio);

	return (after >= ratio * before) - (after * ratio <= before);
}

/* Takes the learner's new limits; `probability`: of a false alarm. True: they have changed enough to be reported. */
static bool refine(struct series *series, const struct policy *policy, const struct lesson *lesson, double probability)
{
	const struct limits *now = &series->limits, *then = &series->last_told;

	series->learner->limits(series->learnt, probability, &series->limits);
	series->limits.unit = series->unit;
	series_judge_by(series, policy);
	if (lesson->kind == LESSON_REFINED)
		return differ(now->ucl, then->ucl) || differ(now->center, then->center) || now->method != then->method;
	series->past = (struct rules_past){0};
	series->change = change_of(then->center, now->center, policy);
	series->changed = lesson->since;
	return true;
}

/* A line that is not known yet is NAN. If the limit has risen above the value since, the signal has the limit that the value passed. */
static int tell_signal(const struct judge *judge, const struct sample *sample, unsigned rules, double ucl)
{
	const struct series *series = sample->series;
	double shortest = series->shortest < INT64_MAX ? (double)series->shortest / 1e9 : 0;
	struct sample told = *sample;

	told.rules = rules;
	told.center = series->judges ? series->lines.center : NAN;
	told.lcl = series->lines.lcl;
	told.ucl = rules == RULE(RULE_FIXED) ? (double)series->fixed / 1e9 : fmax(ucl, shortest);
	if (rules == RULE(RULE_FIXED) && series->fixed == 0)
		told.ucl = NAN; /* each value is a signal */
	if (sample->passed > 0 && sample->value <= told.ucl)
		told.ucl = sample->passed;
	if (judge->tell.signal(judge->tell.context, &told) < 0)
		return -1;
	series_forget_signs(sample->series);
	return 0;
}

int judge_signal(const struct judge *judge, const struct sample *sample, unsigned rules)
{
	return tell_signal(judge, sample, rules, sample->series->lines.ucl);
}

/* The rule of a single value that is beyond some limit. */
static unsigned rule_of_single(const struct judge *judge, const struct sample *sample)
{
	const struct series *series = sample->series;
	bool learnt = series->judges && (judge->policy->rules & RULE(1)) && rules_above(sample->value, series->single) > 0;

	return series_is_beyond_fixed(series, sample->value) && (!learnt || series->only_fixed || series->fixed == 0) ? RULE(RULE_FIXED) : RULE(1);
}

int judge_single(const struct judge *judge, const struct sample *sample)
{
	return tell_signal(judge, sample, rule_of_single(judge, sample), sample->series->single);
}

static int tell_again(const struct judge *judge, struct series *series, int64_t ts)
{
	int status = judge->tell.limits(judge->tell.context, series, ts);

	series->told = true;
	series->last_told = series->limits;
	series->change = 0;
	return status;
}

int judge_tell_limits(const struct judge *judge, struct series *series, int64_t ts)
{
	return series->told || !series->judges ? 0 : tell_again(judge, series, ts);
}

static double probability(const struct judge *judge, const struct series_set *set, int64_t ts)
{
	return policy_probability(judge->policy, series_set_rate(set, ts));
}

/* Tells whether a point that a rule holds at has practical weight. */
static bool has_practical_weight(const struct series_set *set, const struct series *series, double plotted)
{
	const struct policy *policy = set->policy;
	double ratio = policy->min_ratio, center = series->lines.center;

	if (set->shortest && plotted < (double)set->shortest / 1e9)
		return false;
	if (ratio == 0 || ((policy->sides & SIDES_UPPER) && plotted >= ratio * center))
		return true;
	return (policy->sides & SIDES_LOWER) && plotted * ratio <= center;
}

/* Tells whether a single value is beyond the limit, by rule 1, and has practical weight. */
static bool is_abnormal(const struct series_set *set, const struct series *series, double value)
{
	return (set->policy->rules & RULE(1)) && rules_above(value, series->limits.ucl) > 0 && has_practical_weight(set, series, value);
}

/* Tells whether a value beyond its key's limit is beyond that of disturbances, too, and beyond that of its key's bursts. */
static bool is_uncommon(const struct series_set *set, const struct sample *sample)
{
	struct block_maxima *bursts = sample->series->bursts;

	return (!set->disturbances || disturbances_judge(set->disturbances, sample)) && (!bursts || maxima_judge(bursts, sample));
}

/* Keeps those of the baseline's worst values that are abnormal by the limits made from it. */
static void sift_worst(const struct series_set *set, struct series *series)
{
	int count = 0;

	for (int i = 0; i < series->worst_count; i++)
		if (!set->policy->only_fixed && is_abnormal(set, series, series->worst[i].value) && is_uncommon(set, &series->worst[i]))
			series->worst[count++] = series->worst[i];
	series->worst_count = count;
}

static int take_baseline(const struct judge *judge, struct series_set *set, struct series *series, int64_t now)
{
	if (make_limits(series, judge->policy, probability(judge, set, now)) < 0)
		return 0; /* too few points for the method: it goes on learning */
	set->judged = true;
	if (series->bursts && maxima_time(series->bursts, now, HASH_COUNT(set->series)) == MAXIMA_OTHER_LIMIT)
		series_set_follow_bursts(set, series);
	sift_worst(set, series);
	return tell_again(judge, series, now);
}

static int gather(const struct judge *judge, struct series_set *set, const struct sample *sample, const struct point *point,
		  bool *begun)
{
	struct series *series = sample->series;

	if (!add_to_baseline(series, judge->policy, sample, point))
		return 0;
	if (take_baseline(judge, set, series, sample->end) < 0)
		return -1;
	*begun = series->judges;
	for (int i = 0; i < series->worst_count; i++)
		if (judge_signal(judge, &series->worst[i], RULE(1)) < 0)
			return -1;
	series->worst_count = 0;
	return 0;
}

/* Signals a lasting change to a higher level, at the value that made it certain. */
static int tell_shift(const struct judge *judge, const struct sample *sample, double level)
{
	struct sample shift = *sample;

	if (!(judge->policy->rules & RULE(RULE_SHIFT)) || judge->policy->only_fixed)
		return 0;
	shift.value = level;
	shift.plain = true;
	return judge_signal(judge, &shift, RULE(RULE_SHIFT));
}

/* Acts on a lesson, except LESSON_OUTDATED: only the next point is put on the scale, so the new baseline begins with that. */
static int take_lesson(const struct judge *judge, struct series_set *set, const struct sample *sample, const struct lesson *lesson,
		       bool *begun)
{
	struct series *series = sample->series;

	if (lesson->shift && tell_shift(judge, sample, lesson->level) < 0)
		return -1;
	if (lesson->kind != LESSON_REFINED && lesson->kind != LESSON_FOLLOWED)
		return 0;
	if (!refine(series, judge->policy, lesson, probability(judge, set, sample->end)))
		return 0;
	*begun = true;
	return tell_again(judge, series, sample->end);
}

/* Tells whether a point beyond a line has the weight that a signal needs. */
static bool has_weight(const struct series_set *set, const struct sample *sample, double plotted)
{
	const struct policy *policy = set->policy;

	if (policy->least && plotted > sample->series->lines.center && sample->value < (double)policy->least)
		return false;
	return has_practical_weight(set, sample->series, plotted);
}

/*
 * Tells whether to leave out a signal because one of this series came just before. The end of an interval that was signalled as open is
 * signalled, too.
 */
static bool is_of_run(const struct policy *policy, const struct series *series, bool forced)
{
	return policy->once && series->signalled && !forced;
}

/* Judges a complete point, if there are limits; then learns it, if it may be learnt. */
static int judge_point(const struct judge *judge, struct series_set *set, const struct sample *sample,
		       const struct point *point, bool forced, bool *begun)
{
	const struct plotting *plots = judge->policy->method->plots;
	struct series *series = sample->series;
	struct sample plotted = *sample;
	struct judged judged;
	struct lesson lesson = {LESSON_NONE};
	unsigned rules = 0, learnt; /* learnt: without the user's limit, from which nothing is learnt */

	if (plots->describe)
		plots->describe(&series->plot, &plotted);
	if (series->judges)
		rules = rules_at(series, judge->policy, point, sample->end, &plotted.value);
	if (!forced && rules && !has_weight(set, sample, plotted.value))
		rules = 0;
	if (plots->single && series_is_beyond_fixed(series, sample->value))
		plotted.rules = RULE(RULE_FIXED);
	learnt = forced ? rules | rule_of_single(judge, sample) : rules;
	learnt &= ~RULE(RULE_FIXED);
	if (forced && set->disturbances)
		disturbances_see(set->disturbances, &plotted);
	rules = learnt && (forced || is_uncommon(set, &plotted)) ? learnt : 0;
	rules = judge->policy->only_fixed ? plotted.rules : rules | plotted.rules;
	if (rules && !is_of_run(judge->policy, series, forced) && judge_signal(judge, &plotted, rules) < 0)
		return -1;
	series->signalled = rules != 0;
	if (!rules && sample->value > series->warning)
		add_sign(series, sample->value, sample->end);
	if (!rules && !plots->groups && healthy(judge, set, sample) < 0)
		return -1;
	judged = (struct judged){sample->value, plotted.value, sample->end, learnt != 0, series->learns, &series->limits, &series->lines};
	if (series->judges)
		lesson = series->learner->learn(series->learnt, judge->policy, &judged); /* new limits in it are taken by refine() */
	if (take_lesson(judge, set, sample, &lesson, begun) < 0)
		return -1;
	if (series->learns && (!learnt || series->learns_all) && gather(judge, set, &plotted, point, begun) < 0)
		return -1;
	if (lesson.kind == LESSON_OUTDATED)
		begin_anew(series, &lesson);
	return 0;
}

int judge_value(const struct judge *judge, struct series_set *set, const struct sample *sample, bool forced, bool *begun)
{
	struct series *series = sample->series;
	struct point point;

	series_set_count(set, sample->end);
	if (series->bursts)
		maxima_take(series->bursts, sample);
	digest_add(&series->digest, sample->value / (sample->size > 0 ? sample->size : 1), sample->end);
	if (series->generation != judge->generation) {
		series->generation = judge->generation;
		if (!series->learns)
			relearn(series);
	}
	if (!judge->policy->method->plots->single && (forced || series_is_beyond_fixed(series, sample->value))) {
		if ((forced ? judge_single(judge, sample) : judge_signal(judge, sample, RULE(RULE_FIXED))) < 0)
			return -1;
		forced = false;
	}
	if (judge->policy->method->plots->groups && healthy(judge, set, sample) < 0)
		return -1;
	if (!judge->policy->method->plots->point(&series->plot, judge->policy, sample, series->learns, &point))
		return 0;
	return judge_point(judge, set, sample, &point, forced, begun);
}

int judge_last_limits(const struct judge *judge, struct series_set *set, int64_t now)
{
	struct series *series;

	for (series = set->series; series; series = series->hh.next)
		if (!series->judges && series->baseline.count >= SERIES_FEWEST && take_baseline(judge, set, series, now) < 0)
			return -1;
	return 0;
}

int judge_digests(const struct judge *judge, struct series_set *set)
{
	for (struct series *series = set->series; series && judge->tell.digest; series = series->hh.next)
		if (series->digest.count && judge->tell.digest(judge->tell.context, series) < 0)
			return -1;
	return 0;
}
