#include "chart/judge.h"

#include <math.h>

#include "chart/span.h"

/* Writes the healthy values of the bucket at hand and begins the one for this time. */
static int turn_bucket(const struct judge *judge, struct series_set *set, int64_t now)
{
	struct series *series;
	int records = 0;

	for (series = set->series; series; series = series->hh.next) {
		if (series->thin.count == 0)
			continue;
		if (judge->tell.healthy(judge->tell.context, series, set->clock.begin) < 0)
			return -1;
		thin_clear(&series->thin);
		records++;
	}
	thin_begin(&set->clock, now, records);
	return 0;
}

int judge_time(const struct judge *judge, struct series_set *set, int64_t now)
{
	return thin_is_over(&set->clock, now) ? turn_bucket(judge, set, now) : 0;
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

/* What is not known yet is told as NAN. The limit may have risen since the value was found to be beyond it. */
static int tell_signal(const struct judge *judge, const struct sample *sample, unsigned rules, double ucl)
{
	const struct series *series = sample->series;
	struct sample told = *sample;

	told.rules = rules;
	told.center = series->judges ? series->lines.center : NAN;
	told.lcl = series->lines.lcl;
	told.ucl = rules == RULE(RULE_FIXED) ? (double)series->fixed / 1e9 : ucl;
	if (sample->passed > 0 && sample->value <= told.ucl)
		told.ucl = sample->passed;
	return judge->tell.signal(judge->tell.context, &told);
}

int judge_signal(const struct judge *judge, const struct sample *sample, unsigned rules)
{
	return tell_signal(judge, sample, rules, sample->series->lines.ucl);
}

/* The rule of a single value that is beyond some limit. */
static unsigned rule_of_single(const struct judge *judge, const struct sample *sample)
{
	const struct series *series = sample->series;
	bool learnt = series->judges && (judge->judgement->rules & RULE(1)) && rules_above(sample->value, series->single) > 0;

	return series_is_beyond_fixed(series, sample->value) && !learnt ? RULE(RULE_FIXED) : RULE(1);
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
	return judgement_probability(judge->judgement, series_set_rate(set, ts));
}

/* Of the baseline's worst values only those stay that are abnormal by the limits made from it. */
static void sift_worst(struct series *series, const struct judgement *judgement)
{
	int count = 0;

	for (int i = 0; i < series->worst_count; i++)
		if (series_is_abnormal(series, judgement, series->worst[i].value))
			series->worst[count++] = series->worst[i];
	series->worst_count = count;
}

static int take_baseline(const struct judge *judge, struct series_set *set, struct series *series, int64_t now)
{
	if (series_make_limits(series, judge->judgement, probability(judge, set, now)) < 0)
		return 0; /* too few for the method: it goes on learning */
	set->judged = true;
	sift_worst(series, judge->judgement);
	return tell_again(judge, series, now);
}

static int gather(const struct judge *judge, struct series_set *set, const struct sample *sample, const struct point *point,
		  bool *begun)
{
	struct series *series = sample->series;

	if (!series_gather(series, judge->judgement, sample, point))
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

/* The newest values are of a level that has lasted: its signal is the value that made it certain. */
static int tell_shift(const struct judge *judge, const struct sample *sample, double level)
{
	struct sample shift = *sample;

	if (!(judge->judgement->rules & RULE(RULE_SHIFT)))
		return 0;
	shift.value = level;
	shift.plain = true;
	return judge_signal(judge, &shift, RULE(RULE_SHIFT));
}

/* What a lesson says at once; of an outdated baseline the points behind this one are the new one, on its scale. */
static int take_lesson(const struct judge *judge, struct series_set *set, const struct sample *sample, const struct lesson *lesson,
		       bool *begun)
{
	struct series *series = sample->series;

	if (lesson->shift && tell_shift(judge, sample, lesson->level) < 0)
		return -1;
	if (lesson->kind != LESSON_REFINED && lesson->kind != LESSON_FOLLOWED)
		return 0;
	if (!series_refine(series, judge->judgement, lesson, probability(judge, set, sample->end)))
		return 0;
	*begun = true;
	return tell_again(judge, series, sample->end);
}

/* Tells whether a point beyond a line is worth a signal. */
static bool has_weight(const struct judgement *judgement, const struct sample *sample, double plotted)
{
	if (judgement->least && plotted > sample->series->lines.center && sample->value < (double)judgement->least)
		return false;
	return series_has_weight(sample->series, judgement, plotted);
}

/* A point that is complete: judged if it can be, then learnt if it may be. */
static int judge_point(const struct judge *judge, struct series_set *set, const struct sample *sample,
		       const struct point *point, bool forced, bool *begun)
{
	const struct plotting *plots = judge->judgement->method->plots;
	struct series *series = sample->series;
	struct sample plotted = *sample;
	struct lesson lesson = {LESSON_NONE};
	unsigned rules = 0, learnt; /* learnt: without the limit that was given, from which nothing is learnt */

	if (plots->describe)
		plots->describe(&series->plot, &plotted);
	if (series->judges)
		rules = series_judge(series, judge->judgement, point, sample->end, &plotted.value);
	if (!forced && rules && !has_weight(judge->judgement, sample, plotted.value))
		rules = 0;
	if (plots->single && series_is_beyond_fixed(series, sample->value))
		plotted.rules = RULE(RULE_FIXED);
	learnt = forced ? rules | rule_of_single(judge, sample) : rules;
	learnt &= ~RULE(RULE_FIXED);
	rules = learnt | plotted.rules;
	if (rules && judge_signal(judge, &plotted, rules) < 0)
		return -1;
	if (!rules && !plots->groups && healthy(judge, set, sample) < 0)
		return -1;
	if (series->judges)
		lesson = series_learn(series, judge->judgement, sample, plotted.value, learnt != 0);
	if (take_lesson(judge, set, sample, &lesson, begun) < 0)
		return -1;
	if (series->learns && (!learnt || series->learns_all) && gather(judge, set, &plotted, point, begun) < 0)
		return -1;
	if (lesson.kind == LESSON_OUTDATED)
		series_outdated(series, &lesson);
	return 0;
}

int judge_value(const struct judge *judge, struct series_set *set, const struct sample *sample, bool forced, bool *begun)
{
	struct series *series = sample->series;
	struct point point;

	series_set_count(set, sample->end);
	if (series->generation != judge->generation) {
		series->generation = judge->generation;
		if (!series->learns)
			series_relearn(series);
	}
	if (!judge->judgement->method->plots->single && (forced || series_is_beyond_fixed(series, sample->value))) {
		if ((forced ? judge_single(judge, sample) : judge_signal(judge, sample, RULE(RULE_FIXED))) < 0)
			return -1;
		forced = false;
	}
	if (judge->judgement->method->plots->groups && healthy(judge, set, sample) < 0)
		return -1;
	if (!series_point(series, judge->judgement, sample, &point))
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
