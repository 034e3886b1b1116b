#include "chart/block_maxima.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "chart/method.h"
#include "chart/policy.h"
#include "chart/rules.h"
#include "chart/series.h"
#include "chart/statistics.h"

/*
 * Without the hold a busy machine has a false moment or two while the limit is learnt. The hold is short, because the kernel's ring may
 * not keep the context of a moment for longer.
 */
#define HOLD (3 * NSEC_PER_SEC)
#define INCIDENT_SPAN NSEC_PER_SEC /* one value beyond the limit is learnt in this time: an incident of some seconds is a few values only */
enum { LEAST = 2, BASELINE = 12 /* values that the method begins with */, BASELINE_MOST = 512, HELD = SERIES_WORST };

struct maxima_block {
	int64_t ts;
	double largest;
	const struct series *key; /* of the largest value */
};

/* A summary of few values: the mean of their logarithms, the sum of squared distances from it, and what the limit may reach out from. */
struct few_maxima {
	uint64_t count;
	double mean, squares;
	double largest; /* of the values of other keys than the very largest; of one key: the second largest */
	double alone;	/* the very largest... */
	const struct series *key; /* ... and its key; NULL: all are of one key */
};

struct block_maxima {
	const struct maxima_kind *kind;
	struct policy policy;
	void *learnt; /* the state of the method's learner; NULL: not yet */
	struct limits limits;
	double shortest; /* s: a shorter value is no signal, and any machine has a value as long as this; 0: not known */
	struct few_maxima few; /* in use as long as there is no tail */
	double limit;
	bool learns; /* the method has its baseline */
	ARRAY(struct maxima_block) baseline; /* values of a key's own baseline come late, and in any order */
	bool judges, holds;
	int64_t begun, now; /* INT64_MIN: no time has come */
	uint64_t keys;	    /* of the chart */
	int64_t first;	    /* when the first value ended; INT64_MAX: none has come */
	int64_t apart;	    /* the time in which only one value counts */
	int64_t due;	    /* once there is a limit: when the current block ends */
	int64_t incident;   /* when `few` last learnt a value beyond the limit, or all before; INT64_MIN: never */
	double largest;	    /* of the current block; 0: it has no value */
	const struct series *key; /* of `largest` */
	uint64_t blocks;    /* blocks with a value */
	struct sample *held; /* room for HELD remembered values; NULL: none yet */
	int held_count;
};

static void begin(struct block_maxima *maxima)
{
	maxima->begun = maxima->now = maxima->due = maxima->incident = INT64_MIN;
	maxima->first = INT64_MAX;
	maxima->largest = 0;
	maxima->blocks = 0;
	maxima->held_count = 0;
	maxima->baseline.count = 0;
	maxima->holds = !maxima->judges;
	if (maxima->holds)
		maxima->apart = MAXIMA_BLOCK;
}

struct block_maxima *maxima_new(const struct policy *policy, const struct maxima_kind *kind, int64_t shortest)
{
	struct block_maxima *maxima;

	if (policy->method->learner != &learner_pot || policy->only_fixed || policy->sides != SIDES_UPPER ||
	    (policy->rules & ~RULE(RULE_SHIFT)) != RULE(1))
		return NULL;
	maxima = NEW(struct block_maxima);
	maxima->policy = *policy;
	maxima->policy.scale = SCALE_LOG;
	maxima->kind = kind;
	maxima->shortest = maxima->few.largest = (double)shortest / 1e9;
	maxima->keys = 1;
	begin(maxima);
	return maxima;
}

static void forget(struct block_maxima *maxima)
{
	if (maxima->learnt)
		learner_pot.free(maxima->learnt);
	ARRAY_FREE(&maxima->baseline);
	free(maxima->held);
}

void maxima_free(struct block_maxima *maxima)
{
	if (!maxima)
		return;
	forget(maxima);
	free(maxima);
}

void maxima_empty(struct block_maxima *maxima)
{
	struct block_maxima empty = {.policy = maxima->policy, .kind = maxima->kind, .keys = 1, .shortest = maxima->shortest, .few.largest = maxima->shortest};

	forget(maxima);
	*maxima = empty;
	begin(maxima);
}

void maxima_pause(struct block_maxima *maxima)
{
	if (maxima->learnt)
		learner_pot.pause(maxima->learnt);
	begin(maxima);
}

int64_t maxima_ns(const struct block_maxima *maxima, double limit)
{
	if (maxima->holds)
		return INT64_MAX;
	return maxima->judges ? (int64_t)fmin(limit * 1e9, 9e18) : 0;
}

bool maxima_judges(const struct block_maxima *maxima)
{
	return maxima->judges;
}

bool maxima_is_settled(const struct block_maxima *maxima)
{
	return maxima->judges && maxima->blocks >= BASELINE;
}

double maxima_limit(const struct block_maxima *maxima)
{
	return maxima->limit;
}

/* If there is no room, a value takes the place of the least one remembered, unless it is less. */
static void remember(struct block_maxima *maxima, const struct sample *sample)
{
	int least = 0;

	if (!maxima->held)
		maxima->held = memory_new(HELD, sizeof(*maxima->held));
	if (maxima->held_count < HELD) {
		least = maxima->held_count++;
	} else {
		for (int i = 1; i < HELD; i++)
			if (maxima->held[i].value < maxima->held[least].value)
				least = i;
		if (sample->value <= maxima->held[least].value)
			return;
	}
	maxima->held[least] = *sample;
	maxima->held[least].whole = NULL;
}

static void gather(struct block_maxima *maxima, const struct sample *sample)
{
	for (size_t i = maxima->baseline.count; i-- > 0;) {
		struct maxima_block *block = &maxima->baseline.items[i];

		if (!timestamp_near(block->ts, sample->end, maxima->apart))
			continue;
		if (sample->value > block->largest)
			*block = (struct maxima_block){block->ts, sample->value, sample->series};
		return;
	}
	if (maxima->baseline.count < BASELINE_MOST)
		*ARRAY_ADD(&maxima->baseline) = (struct maxima_block){sample->end, sample->value, sample->series};
	maxima->blocks++;
}

void maxima_take(struct block_maxima *maxima, const struct sample *sample)
{
	if (sample->end < maxima->first)
		maxima->first = sample->end;
	if (!maxima->judges) {
		gather(maxima, sample);
	} else if (sample->value > maxima->largest) {
		maxima->largest = sample->value;
		maxima->key = sample->series;
	}
}

static bool is_told(const struct block_maxima *maxima, const struct sample *sample)
{
	return !maxima->judges || maxima->kind->is_beyond(maxima, sample);
}

bool maxima_judge(struct block_maxima *maxima, const struct sample *sample)
{
	if (!maxima->holds)
		return is_told(maxima, sample);
	if (!sample->rules) /* else a limit that the user gave has signalled it */
		remember(maxima, sample);
	return false;
}

double maxima_usual(const struct block_maxima *maxima)
{
	return maxima->limits.tail.count > 0 ? maxima->limits.tail.threshold : fmax(exp(maxima->few.mean), maxima->shortest);
}

/* The probability of a false alarm per value. The rate counts one block more than was seen, so it is never 0. */
static double probability(const struct block_maxima *maxima)
{
	int64_t since = maxima->first < maxima->begun || maxima->begun == INT64_MIN ? maxima->first : maxima->begun;
	int64_t passed = timestamp_between(since, maxima->now);
	double sharers = maxima->kind->sharers ? maxima->kind->sharers : (double)maxima->keys;

	return policy_probability(&maxima->policy, passed > 0 ? (double)(maxima->blocks + 1) * sharers * 1e9 / (double)passed : 0);
}

/* It takes two values to tell what is usual, of different keys if there are several: so one incident alone does not lift the limit. */
static void reach_out(struct few_maxima *few, double value, const struct series *key)
{
	if (!key || key != few->key)
		few->largest = fmax(few->largest, fmin(value, few->alone));
	if (value <= few->alone)
		return;
	few->alone = value;
	few->key = key;
}

static void add_few(const struct maxima_kind *kind, struct few_maxima *few, double value, const struct series *key)
{
	double logarithm = scale_to(SCALE_LOG, value), off = logarithm - few->mean;

	few->count++;
	few->mean += off / (double)few->count;
	few->squares += off * (logarithm - few->mean);
	reach_out(few, value, kind->of_keys ? key : NULL);
}

static double reach_of(const struct block_maxima *maxima, uint64_t count, double probability)
{
	return maxima->kind->reach > 0 ? maxima->kind->reach : tail_reach(count, probability);
}

/*
 * The next value exceeds this limit with the given probability, if the logarithms are normal: by Student's distribution, because few values only
 * estimate the spread. The limit is at most `reach` times few->largest or, if there are several keys, TAIL_BEYOND times few->alone. It is at
 * least `reach` times the chart's shortest value, which any machine has.
 */
static double few_limit(const struct block_maxima *maxima, const struct few_maxima *few, double probability)
{
	double count = (double)few->count, reach = reach_of(maxima, few->count + 1, probability), sigma, beyond;
	double farthest = fmax(reach * few->largest, few->key ? TAIL_BEYOND * few->alone : 0);

	if (few->count < LEAST)
		return farthest;
	sigma = sqrt(few->squares / (count - 1));
	beyond = few->mean + student_beyond(probability, few->count - 1) * sigma * sqrt(1 + 1 / count);
	return fmax(fmin(exp(beyond), farthest), reach * maxima->shortest);
}

static bool has_tail(const struct block_maxima *maxima)
{
	return maxima->learns && maxima->limits.tail.count > 0;
}

/* Tells whether a value is of the incident of the largest one: it is near in time or, if there are several keys, of the same key. */
static bool is_beside(const struct block_maxima *maxima, const struct maxima_block *block, const struct maxima_block *largest)
{
	return timestamp_near(block->ts, largest->ts, 2 * MAXIMA_BLOCK) || (maxima->kind->of_keys && block->key == largest->key);
}

/* How many values a limit needs. */
static uint64_t least(const struct block_maxima *maxima)
{
	return maxima->shortest > 0 ? maxima->kind->least : LEAST;
}

/*
 * If the largest value is beyond the limit that the values not beside it make, it is left out as an incident, with the values beside it. If there
 * are several keys, the values beside it that are within that limit stay.
 */
static void leave_out_incident(struct block_maxima *maxima)
{
	struct maxima_block *items = maxima->baseline.items, largest = {0};
	struct few_maxima others = {.largest = maxima->shortest};
	size_t kept = 0;
	double limit;

	for (size_t i = 0; i < maxima->baseline.count; i++)
		if (items[i].largest > largest.largest)
			largest = items[i];
	for (size_t i = 0; i < maxima->baseline.count; i++)
		if (!is_beside(maxima, &items[i], &largest))
			add_few(maxima->kind, &others, items[i].largest, items[i].key);
	limit = few_limit(maxima, &others, probability(maxima));
	if (others.count < least(maxima) || largest.largest <= limit)
		return;
	for (size_t i = 0; i < maxima->baseline.count; i++)
		if (!is_beside(maxima, &items[i], &largest) || (maxima->kind->of_keys && items[i].largest <= limit))
			items[kept++] = items[i];
	maxima->baseline.count = kept;
}

/* Begins the method with these values. It takes over when it has a tail. */
static void begin_learning(struct block_maxima *maxima)
{
	struct points points = {0};

	for (size_t i = 0; i < maxima->baseline.count; i++)
		*ARRAY_ADD(&points) = (struct point){.value = scale_to(SCALE_LOG, maxima->baseline.items[i].largest)};
	if (method_limits(&maxima->policy, &points, &maxima->limits) == 0) {
		maxima->learnt = learner_pot.new();
		learner_pot.begin(maxima->learnt, &points, probability(maxima), &maxima->limits);
		maxima->learns = true;
		ARRAY_FREE(&maxima->baseline);
	}
	ARRAY_FREE(&points);
}

/* The limit that values pass with this probability. Values are few here, so a tail may reach farther than that of single values. */
double maxima_limit_at(const struct block_maxima *maxima, double probability)
{
	const struct tail_fit *fit = &maxima->limits.tail;

	return has_tail(maxima) ? tail_fit_limit_within(fit, probability, reach_of(maxima, fit->count, probability)) : few_limit(maxima, &maxima->few, probability);
}

/* True: the limit has changed. */
static bool make_limit(struct block_maxima *maxima)
{
	double before = maxima->limit;

	maxima->limit = maxima_limit_at(maxima, probability(maxima));
	if (has_tail(maxima))
		maxima->limit = fmax(maxima->limit, maxima->limits.ucl);
	return maxima->limit != before;
}

/* True: there are limits now. */
static bool make_limits(struct block_maxima *maxima)
{
	if (maxima->judges || maxima->baseline.count < least(maxima))
		return false;
	leave_out_incident(maxima);
	for (size_t i = 0; i < maxima->baseline.count; i++)
		add_few(maxima->kind, &maxima->few, maxima->baseline.items[i].largest, maxima->baseline.items[i].key);
	if (maxima->baseline.count >= BASELINE)
		begin_learning(maxima);
	maxima->judges = true;
	make_limit(maxima);
	return true;
}

/* Tells whether `few` may learn a value beyond the limit, or beyond all before: not if it did so less than INCIDENT_SPAN ago. */
static bool may_learn_large(struct block_maxima *maxima)
{
	if (maxima->incident != INT64_MIN && timestamp_between(maxima->incident, maxima->now) < INCIDENT_SPAN)
		return false;
	maxima->incident = maxima->now;
	return true;
}

static void learn_few(struct block_maxima *maxima, double value, bool beyond)
{
	double taken = beyond ? fmin(value, TAIL_BEYOND * maxima->limit) : value;

	if ((beyond || (maxima->kind->of_keys && value > maxima->few.alone)) && !may_learn_large(maxima))
		return;
	add_few(maxima->kind, &maxima->few, taken, maxima->key);
	if (maxima->learns)
		return;
	*ARRAY_ADD(&maxima->baseline) = (struct maxima_block){.ts = maxima->now, .largest = taken};
	if (maxima->baseline.count >= BASELINE)
		begin_learning(maxima);
}

static bool learn(struct block_maxima *maxima, double value)
{
	bool beyond = value > maxima->limit, learns = maxima->learns;
	const struct judged judged = {.value = value, .plotted = value, .ts = maxima->now, .signalled = beyond, .limits = &maxima->limits};

	if (!has_tail(maxima))
		learn_few(maxima, value, beyond);
	if (!learns)
		return make_limit(maxima);
	if (learner_pot.learn(maxima->learnt, &maxima->policy, &judged).kind != LESSON_NONE)
		learner_pot.limits(maxima->learnt, probability(maxima), &maxima->limits);
	else if (has_tail(maxima))
		return false;
	return make_limit(maxima);
}

/* The current block is over. True: the limit has changed. */
static bool end_block(struct block_maxima *maxima)
{
	double value = maxima->largest;

	maxima->largest = 0;
	if (value <= 0)
		return false;
	maxima->blocks++;
	return learn(maxima, value);
}

static bool end_hold(struct block_maxima *maxima)
{
	bool held = maxima->holds;

	maxima->holds = false;
	if (make_limits(maxima))
		return true;
	maxima->apart = maxima->kind->apart;
	return held;
}

static bool goes_on_holding(const struct block_maxima *maxima)
{
	return maxima->holds && timestamp_between(maxima->begun, maxima->now) < HOLD && !(maxima->kind->hasty && maxima->baseline.count >= LEAST);
}

enum maxima_step maxima_time(struct block_maxima *maxima, int64_t now, uint64_t keys)
{
	maxima->keys = keys;
	if (maxima->begun == INT64_MIN)
		maxima->begun = now;
	maxima->now = now;
	if (goes_on_holding(maxima))
		return MAXIMA_SAME;
	if (!maxima->judges)
		return end_hold(maxima) ? MAXIMA_OTHER_LIMIT : MAXIMA_SAME;
	if (now < maxima->due)
		return MAXIMA_SAME;
	maxima->due = timestamp_add(now, maxima->apart);
	return end_block(maxima) ? MAXIMA_OTHER_LIMIT : MAXIMA_BLOCK_OVER;
}

bool maxima_end(struct block_maxima *maxima, int64_t now)
{
	maxima->now = now;
	return end_hold(maxima);
}

bool maxima_next(struct block_maxima *maxima, struct sample *sample)
{
	while (!maxima->holds && maxima->held_count > 0) {
		int next = 0;

		for (int i = 1; i < maxima->held_count; i++)
			if (maxima->held[i].start < maxima->held[next].start)
				next = i;
		*sample = maxima->held[next];
		maxima->held[next] = maxima->held[--maxima->held_count];
		if (is_told(maxima, sample) && rules_above(sample->value, sample->series->limits.ucl) > 0)
			return true;
	}
	return false;
}

int64_t maxima_first(const struct block_maxima *maxima)
{
	int64_t first = INT64_MAX;

	for (int i = 0; i < maxima->held_count; i++)
		if (maxima->held[i].start < first)
			first = maxima->held[i].start;
	return first;
}

void maxima_forget(struct block_maxima *maxima, const struct series *series)
{
	int kept = 0;

	for (int i = 0; i < maxima->held_count; i++)
		if (maxima->held[i].series != series)
			maxima->held[kept++] = maxima->held[i];
	maxima->held_count = kept;
	for (size_t i = 0; i < maxima->baseline.count; i++)
		if (maxima->baseline.items[i].key == series)
			maxima->baseline.items[i].key = NULL;
	maxima->key = maxima->key == series ? NULL : maxima->key;
	maxima->few.key = maxima->few.key == series ? NULL : maxima->few.key;
}

static bool is_long_burst(const struct block_maxima *maxima, const struct sample *sample)
{
	return sample->value > maxima->limit;
}

/*
 * A key has many bursts, so their limit need not reach far; and an incident may come before there are many: with the reach of a tail, 1 of 3
 * crowds of 320 readers was not signalled.
 */
const struct maxima_kind maxima_of_bursts = {
	.hasty = true,
	.least = LEAST,
	.apart = MAXIMA_BLOCK,
	.reach = 4,
	.is_beyond = is_long_burst,
};
