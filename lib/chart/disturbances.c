#include "chart/disturbances.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "chart/block_maxima.h"
#include "chart/policy.h"
#include "chart/series.h"
#include "chart/tail.h"

#define APART NSEC_PER_SEC
enum { HALVES = 2 }; /* of the false alarms: one half for the limit of all keys, one for the keys' own limits */

struct disturbances {
	struct block_maxima *maxima;
	double alarms;			/* false alarms a second; 0: the user gave a probability per value */
	uint64_t keys;			/* of the chart */
	int64_t now, followed;		/* followed: when the keys' own limits were made last; INT64_MIN: no time has come, or not made */
	const struct series *stranger;	/* the latest value beyond the limit was of this key; NULL: there was none */
};

static bool is_beyond_key(const struct block_maxima *maxima, const struct sample *sample)
{
	(void)maxima;
	return sample->value > sample->series->disturbed.limit;
}

static const struct maxima_kind of_all = {
	.of_keys = true,
	.apart = APART, /* so that an incident of some seconds does not become usual */
	.sharers = HALVES,
	.is_beyond = is_beyond_key,
};

static void begin(struct disturbances *all)
{
	all->now = all->followed = INT64_MIN;
	all->stranger = NULL;
}

struct disturbances *disturbances_new(const struct policy *policy, int64_t shortest)
{
	struct block_maxima *maxima = maxima_new(policy, &of_all, shortest);
	struct disturbances *all;

	if (!maxima)
		return NULL;
	all = NEW(struct disturbances);
	all->maxima = maxima;
	all->alarms = policy->alarms;
	all->keys = 1;
	begin(all);
	return all;
}

void disturbances_free(struct disturbances *all)
{
	if (!all)
		return;
	maxima_free(all->maxima);
	free(all);
}

void disturbances_empty(struct disturbances *all)
{
	maxima_empty(all->maxima);
	all->keys = 1;
	begin(all);
}

void disturbances_pause(struct disturbances *all)
{
	maxima_pause(all->maxima);
	begin(all);
}

/* Counts how often a key is disturbed, by disturbances of usual length, which are most of them; a longer one is what is to be judged. */
static void count(const struct disturbances *all, const struct sample *sample)
{
	struct disturbed *key = &sample->series->disturbed;

	if (sample->value > maxima_usual(all->maxima))
		return;
	key->times += key->times == 0 || !timestamp_near(key->last, sample->end, APART);
	key->last = sample->end;
}

/*
 * Tells whether a value is learnt. If values in a row are beyond the limit of all keys and are of one key, only the first is learnt. A value that
 * is beyond its key's own limit only is a signal, and is not learnt.
 */
static bool is_of_all(struct disturbances *all, const struct sample *sample, bool told)
{
	bool again = all->stranger == sample->series;

	if (!told || !maxima_judges(all->maxima))
		return true;
	if (sample->value <= maxima_limit(all->maxima))
		return false;
	all->stranger = sample->series;
	return !again;
}

bool disturbances_judge(struct disturbances *all, const struct sample *sample)
{
	bool told = maxima_judge(all->maxima, sample);

	count(all, sample);
	if (is_of_all(all, sample, told))
		maxima_take(all->maxima, sample);
	return told;
}

/* The keys' own limits change with the time since a key was first judged: they are made anew once a second. */
static bool is_to_follow(struct disturbances *all)
{
	if (timestamp_between(all->followed, all->now) < APART)
		return false;
	all->followed = all->now;
	return true;
}

bool disturbances_time(struct disturbances *all, int64_t now, uint64_t keys)
{
	enum maxima_step step = maxima_time(all->maxima, now, keys);

	all->now = now;
	all->keys = keys;
	return step == MAXIMA_OTHER_LIMIT || (step == MAXIMA_BLOCK_OVER && is_to_follow(all));
}

bool disturbances_end(struct disturbances *all, int64_t now)
{
	all->now = now;
	return maxima_end(all->maxima, now);
}

/*
 * A key's share of the false alarms, as the probability that one of its disturbances is beyond its limit. The key had `times` disturbances since
 * it was first judged; a rate that is known from these has the mean of times and a half (Jeffreys).
 */
static double probability_of(const struct disturbances *all, const struct disturbed *key)
{
	double passed = (double)timestamp_between(key->since, all->now) / 1e9;

	return fmin(all->alarms / HALVES / (double)all->keys * passed / ((double)key->times + 0.5), TAIL_SHARE);
}

int64_t disturbances_limit(const struct disturbances *all, struct disturbed *key, bool judged)
{
	key->limit = maxima_limit(all->maxima);
	if (judged && !key->since && all->now != INT64_MIN)
		key->since = all->now;
	if (maxima_judges(all->maxima) && key->since && all->now > key->since && all->alarms > 0)
		key->limit = fmin(key->limit, maxima_limit_at(all->maxima, probability_of(all, key)));
	return maxima_ns(all->maxima, key->limit);
}

bool disturbances_next(struct disturbances *all, struct sample *sample)
{
	return maxima_next(all->maxima, sample);
}

int64_t disturbances_first(const struct disturbances *all)
{
	return maxima_first(all->maxima);
}

void disturbances_forget(struct disturbances *all, const struct series *series)
{
	maxima_forget(all->maxima, series);
	all->stranger = all->stranger == series ? NULL : all->stranger;
}
