#include "chart/disturbances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "chart/block_maxima.h"
#include "chart/policy.h"
#include "chart/series.h"
#include "chart/tail.h"

#define APART NSEC_PER_SEC
enum { HALVES = 2 }; /* of the false alarms: one half for the limit of all keys, one for the keys' own limits */

/*
 * A signal stands out if its value is OUT times as large as each value of the other keys that ended within AROUND seconds before it began, or since.
 * It has a cause of its own, so it is not learnt, unless signals of OTHERS other keys have stood out within USUAL: then the machine is like that.
 * tests/unit/chart_disturbances.c: without this, 4 to 24 of the 24 waits behind a crowd are told, depending on the seed; with OUT = 4 there are 8 other
 * signals in the first two hours, not 6. Of a wait longer than SLOTS - AROUND, only the last SLOTS seconds count.
 */
enum { AROUND = 30, OUT = 16, OTHERS = 2, SLOTS = 64 /* seconds that are kept, a power of 2 */ };
#define USUAL (3600 * NSEC_PER_SEC)

/* The values of one second. */
struct second {
	int64_t number;
	const struct series *key; /* of the largest */
	double largest, others;	  /* the largest of all, and of the other keys */
};

/* A key whose value stood out and was a signal, last at this time. */
struct standing {
	const struct series *key;
	int64_t ts;
};

struct disturbances {
	struct block_maxima *maxima;
	struct second seconds[SLOTS];
	struct standing standing[OTHERS + 1]; /* the latest first */
	double shortest; /* seconds; 0: not known */
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
	memset(all->seconds, 0, sizeof(all->seconds));
	memset(all->standing, 0, sizeof(all->standing));
}

struct disturbances *disturbances_new(const struct policy *policy, int64_t shortest)
{
	struct block_maxima *maxima = maxima_new(policy, &of_all, shortest);
	struct disturbances *all;

	if (!maxima)
		return NULL;
	all = NEW(struct disturbances);
	all->maxima = maxima;
	all->shortest = (double)shortest / 1e9;
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

/* Remembers the value for those of other keys that come later. */
static void keep(struct disturbances *all, const struct sample *sample)
{
	int64_t number = sample->end / NSEC_PER_SEC;
	struct second *second = &all->seconds[number & (SLOTS - 1)];

	if (number < second->number)
		return;
	if (number > second->number)
		*second = (struct second){.number = number};
	if (second->key == sample->series) {
		second->largest = fmax(second->largest, sample->value);
	} else if (sample->value > second->largest) {
		second->others = second->largest;
		second->largest = sample->value;
		second->key = sample->series;
	} else {
		second->others = fmax(second->others, sample->value);
	}
}

/* The largest value of the other keys that ended within AROUND before this one began, or since. */
static double largest_other(const struct disturbances *all, const struct sample *sample)
{
	int64_t first = sample->start / NSEC_PER_SEC - AROUND, last = sample->end / NSEC_PER_SEC;
	double largest = 0;

	for (int i = 0; i < SLOTS; i++) {
		const struct second *second = &all->seconds[i];

		if (second->number >= first && second->number <= last)
			largest = fmax(largest, second->key == sample->series ? second->others : second->largest);
	}
	return largest;
}

/* Tells whether it stands out from the other keys, and from what any machine has. */
static bool stands_out(const struct disturbances *all, const struct sample *sample)
{
	return maxima_is_settled(all->maxima) && sample->value >= OUT * fmax(largest_other(all, sample), all->shortest);
}

/* Tells whether signals of other keys have stood out lately: of OTHERS, or of all that there are. */
static bool is_usual(const struct disturbances *all, const struct sample *sample)
{
	uint64_t others = 0;

	for (int i = 0; i <= OTHERS; i++)
		others += all->standing[i].key && all->standing[i].key != sample->series && timestamp_near(all->standing[i].ts, sample->end, USUAL);
	return others >= OTHERS || others + 1 >= all->keys;
}

static void remember_standing(struct disturbances *all, const struct sample *sample)
{
	int at = 0;

	while (at < OTHERS && all->standing[at].key != sample->series)
		at++;
	memmove(all->standing + 1, all->standing, (size_t)at * sizeof(*all->standing));
	all->standing[0] = (struct standing){sample->series, sample->end};
}

void disturbances_see(struct disturbances *all, const struct sample *sample)
{
	if (stands_out(all, sample))
		remember_standing(all, sample);
	keep(all, sample);
}

bool disturbances_judge(struct disturbances *all, const struct sample *sample)
{
	bool told = maxima_judge(all->maxima, sample), out = told && stands_out(all, sample), own = out && !is_usual(all, sample);

	count(all, sample);
	if (out)
		remember_standing(all, sample);
	keep(all, sample);
	if (!own && is_of_all(all, sample, told))
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
	for (int i = 0; i < SLOTS; i++)
		if (all->seconds[i].key == series)
			all->seconds[i].key = NULL;
	for (int i = 0; i <= OTHERS; i++)
		if (all->standing[i].key == series)
			all->standing[i].key = NULL;
}
