#include "chart/judge.h"

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
	return status;
}

static int healthy(const struct judge *judge, struct series_set *set, const struct sample *sample)
{
	if ((!set->clock.width || thin_is_over(&set->clock, sample->end)) && turn_bucket(judge, set, sample->end) < 0)
		return -1;
	thin_add(&sample->series->thin, sample->end, sample->value);
	return 0;
}

int judge_tell_limits(const struct judge *judge, struct series *series, int64_t ts)
{
	if (series->told || !series->judges)
		return 0;
	series->told = true;
	return judge->tell.limits(judge->tell.context, series, ts);
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

static int begin_to_judge(const struct judge *judge, struct series *series, int64_t now)
{
	if (series_make_limits(series, judge->judgement) < 0)
		return 0; /* too few for the method: it goes on learning */
	sift_worst(series, judge->judgement);
	return judge_tell_limits(judge, series, now);
}

static int learn(const struct judge *judge, struct series *series, const struct sample *sample, bool *begun)
{
	if (!series_learn(series, judge->judgement, sample))
		return 0;
	if (begin_to_judge(judge, series, sample->end) < 0)
		return -1;
	*begun = series->judges;
	for (int i = 0; i < series->worst_count; i++)
		if (judge->tell.signal(judge->tell.context, &series->worst[i]) < 0)
			return -1;
	series->worst_count = 0;
	return 0;
}

int judge_value(const struct judge *judge, struct series_set *set, const struct sample *sample, bool abnormal, bool *begun)
{
	struct series *series = sample->series;

	series->touched = sample->end;
	if (abnormal || (series->judges && series_is_abnormal(series, judge->judgement, sample->value)))
		return judge->tell.signal(judge->tell.context, sample);
	if (healthy(judge, set, sample) < 0)
		return -1;
	return series->judges ? 0 : learn(judge, series, sample, begun);
}

int judge_last_limits(const struct judge *judge, struct series_set *set, int64_t now)
{
	struct series *series;

	for (series = set->series; series; series = series->hh.next)
		if (!series->judges && series->baseline.count >= SERIES_FEWEST && begin_to_judge(judge, series, now) < 0)
			return -1;
	return 0;
}
