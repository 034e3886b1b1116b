#include "chart/common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "chart/method.h"
#include "chart/policy.h"
#include "chart/rules.h"
#include "chart/series.h"
#include "chart/span.h"
#include "chart/statistics.h"

/*
 * Without the hold a busy machine has a moment or two while the limit is learnt; it is short, because a kernel's ring may not keep more
 * of what came before a moment. Without a limit at its end only one value a second counts, so that an incident of some seconds is no habit.
 */
#define COMMON_HOLD (3 * NSEC_PER_SEC)
#define COMMON_BLOCK COMMON_EVERY
#define COMMON_APART NSEC_PER_SEC
enum { COMMON_LEAST = 2, COMMON_BASELINE = 12 /* of the method */, COMMON_MOST = 512, COMMON_HELD = SERIES_WORST };
#define BURSTS_BEYOND 4.0 /* times the largest burst, or the second of few; as far as a tail, 1 of 3 crowds of 320 readers was not told */

struct common_block {
	int64_t ts;
	double largest;
	const struct series *key; /* that the largest value is of */
};

/* Few values in short: the mean of their logarithms, the sum of the squared distances from it, and from what the limit may reach out. */
struct common_few {
	uint64_t count;
	double mean, squares;
	double largest; /* of those that are not of the key with the very largest; of bursts, the second */
	double alone;	/* the very largest... */
	const struct series *key; /* ... and its key; NULL: of bursts */
};

struct common {
	struct policy policy;
	void *learnt; /* of the method; NULL: not yet */
	struct limits limits;
	double shortest; /* a shorter value is no signal, and one that is no longer is any machine's; 0: not known */
	struct common_few few; /* for as long as there is no tail */
	double limit;
	bool all;    /* common_see() takes each value */
	bool learns; /* the method has its baseline */
	ARRAY(struct common_block) baseline; /* values of a key's own baseline come late, and in any order */
	bool judges, holds;
	int64_t begun, now; /* INT64_MIN: no time has come */
	uint64_t keys;	    /* of the chart, which share the false alarms */
	int64_t followed;   /* when the keys' own limits were made last */
	int64_t first;	    /* when the first value ended; INT64_MAX: none has come */
	int64_t apart;	    /* the time in which only one value counts */
	int64_t due;	    /* once it judges: when the block at hand ends */
	int64_t incident;   /* when few values learnt from one larger than all before; INT64_MIN: they did not */
	double largest;	    /* of it; 0: there was none */
	const struct series *key; /* that it is of */
	const struct series *stranger; /* the latest value beyond the limit was of this key; NULL: there was none */
	uint64_t blocks;    /* with a value */
	struct sample *held; /* COMMON_HELD, if there are any */
	int held_count;
};

static void begin(struct common *common)
{
	common->begun = common->now = common->due = common->incident = common->followed = INT64_MIN;
	common->first = INT64_MAX;
	common->largest = 0;
	common->stranger = NULL;
	common->blocks = 0;
	common->held_count = 0;
	common->baseline.count = 0;
	common->holds = !common->judges;
	if (common->holds)
		common->apart = COMMON_BLOCK;
}

struct common *common_new(const struct policy *policy, bool all, int64_t shortest)
{
	struct common *common;

	if (policy->method->learner != &learner_pot || policy->only_fixed || policy->sides != SIDES_UPPER ||
	    (policy->rules & ~RULE(RULE_SHIFT)) != RULE(1))
		return NULL;
	common = NEW(struct common);
	common->policy = *policy;
	common->policy.scale = SCALE_LOG;
	common->all = all;
	common->shortest = common->few.largest = (double)shortest / 1e9;
	common->keys = 1;
	begin(common);
	return common;
}

static void forget(struct common *common)
{
	if (common->learnt)
		learner_pot.free(common->learnt);
	ARRAY_FREE(&common->baseline);
	free(common->held);
}

void common_free(struct common *common)
{
	if (!common)
		return;
	forget(common);
	free(common);
}

void common_empty(struct common *common)
{
	struct common empty = {.policy = common->policy, .all = common->all, .keys = 1, .shortest = common->shortest, .few.largest = common->shortest};

	forget(common);
	*common = empty;
	begin(common);
}

void common_pause(struct common *common)
{
	if (common->learnt)
		learner_pot.pause(common->learnt);
	begin(common);
}

static int64_t in_ns(const struct common *common, double limit)
{
	if (common->holds)
		return INT64_MAX;
	return common->judges ? (int64_t)fmin(limit * 1e9, 9e18) : 0;
}

int64_t common_limit(const struct common *common)
{
	return in_ns(common, common->limit);
}

static bool is_beyond(const struct common *common, double value)
{
	return !common->judges || value > common->limit;
}

/* Its key may have a limit of its own. */
static bool is_told(const struct common *common, const struct sample *sample)
{
	return !common->judges || sample->value > (common->all ? common->limit : sample->series->common.limit);
}

/* The least of the remembered goes for a larger one. */
static void remember(struct common *common, const struct sample *sample)
{
	int least = 0;

	if (!common->held)
		common->held = memory_new(COMMON_HELD, sizeof(*common->held));
	if (common->held_count < COMMON_HELD) {
		least = common->held_count++;
	} else {
		for (int i = 1; i < COMMON_HELD; i++)
			if (common->held[i].value < common->held[least].value)
				least = i;
		if (sample->value <= common->held[least].value)
			return;
	}
	common->held[least] = *sample;
	common->held[least].whole = NULL;
}

static void gather(struct common *common, const struct sample *sample)
{
	for (size_t i = common->baseline.count; i-- > 0;) {
		struct common_block *block = &common->baseline.items[i];

		if (!span_near(block->ts, sample->end, common->apart))
			continue;
		if (sample->value > block->largest)
			*block = (struct common_block){block->ts, sample->value, sample->series};
		return;
	}
	if (common->baseline.count < COMMON_MOST)
		*ARRAY_ADD(&common->baseline) = (struct common_block){sample->end, sample->value, sample->series};
	common->blocks++;
}

static void take(struct common *common, const struct sample *sample)
{
	if (sample->end < common->first)
		common->first = sample->end;
	if (!common->judges) {
		gather(common, sample);
	} else if (sample->value > common->largest) {
		common->largest = sample->value;
		common->key = sample->series;
	}
}

void common_see(struct common *common, const struct sample *sample)
{
	if (common->all)
		take(common, sample);
}

/* The bulk of the values is not above this. */
static double usual(const struct common *common)
{
	return common->limits.tail.count > 0 ? common->limits.tail.threshold : fmax(exp(common->few.mean), common->shortest);
}

/* How often a key is disturbed. Most disturbances are usual ones, so these tell it; what is longer is what is to be judged. */
static void count(const struct common *common, const struct sample *sample)
{
	struct common_key *key = &sample->series->common;

	if (sample->value > usual(common))
		return;
	key->times += key->times == 0 || !span_near(key->last, sample->end, common->apart);
	key->last = sample->end;
}

/*
 * What befalls one key alone is no disturbance of all: of values beyond the limit in a row that are of one key only the first is learnt. A
 * value beyond its key's own limit only is a signal, and is not learnt.
 */
static bool is_of_all(struct common *common, const struct sample *sample, bool told)
{
	bool again = common->stranger == sample->series;

	if (!told || !common->judges)
		return true;
	if (!is_beyond(common, sample->value))
		return false;
	common->stranger = sample->series;
	return !again;
}

bool common_judge(struct common *common, const struct sample *sample)
{
	bool told = !common->holds && is_told(common, sample);

	if (common->holds && !sample->rules) /* else a limit that was given has told it */
		remember(common, sample);
	if (common->all)
		return told;
	count(common, sample);
	if (is_of_all(common, sample, told))
		take(common, sample);
	return told;
}

/* How many limits share the false alarms. Those of a chart's keys have one half of them, that of all keys the other. */
static double sharers(const struct common *common)
{
	return common->all ? (double)common->keys : 2;
}

/* Of a false alarm per value. They come as often as if there had been one more. */
static double probability(const struct common *common)
{
	int64_t since = common->first < common->begun || common->begun == INT64_MIN ? common->first : common->begun;
	int64_t passed = span_between(since, common->now);

	return policy_probability(&common->policy, passed > 0 ? (double)(common->blocks + 1) * sharers(common) * 1e9 / (double)passed : 0);
}

/*
 * A key's share of the false alarms, as the probability that one of its disturbances is beyond its limit. They were `times` since it is judged;
 * the mean of a rate that is known so is that of times and a half (Jeffreys).
 */
static double probability_of(const struct common *common, const struct common_key *key)
{
	double passed = (double)span_between(key->since, common->now) / 1e9;

	return fmin(common->policy.alarms / sharers(common) / (double)common->keys * passed / ((double)key->times + 0.5), TAIL_SHARE);
}

/* How large usual values are takes two to tell, of different keys or bursts: one incident alone does not lift the limit. */
static void reach_out(struct common_few *few, double value, const struct series *key)
{
	if (!key || key != few->key)
		few->largest = fmax(few->largest, fmin(value, few->alone));
	if (value <= few->alone)
		return;
	few->alone = value;
	few->key = key;
}

/* `key`: of the value; NULL: of a burst. */
static void add_few(struct common_few *few, double value, const struct series *key)
{
	double logarithm = scale_to(SCALE_LOG, value), off = logarithm - few->mean;

	few->count++;
	few->mean += off / (double)few->count;
	few->squares += off * (logarithm - few->mean);
	reach_out(few, value, key);
}

/* A key has bursts of its own, and many, so their limit need not reach far, and an incident may come before there are many. */
static double reach_of(const struct common *common, uint64_t count, double probability)
{
	return common->all ? BURSTS_BEYOND : tail_reach(count, probability);
}

/*
 * The next value exceeds this limit with the probability if logarithms are normal. Student's distribution, because few values estimate the spread.
 * It reaches no farther than a tail beyond the largest, or twice as far as what one key alone had; and as far as one beyond what any machine has.
 */
static double few_limit(const struct common *common, const struct common_few *few, double probability)
{
	double count = (double)few->count, reach = reach_of(common, few->count + 1, probability), sigma, beyond;
	double farthest = fmax(reach * few->largest, few->key ? TAIL_BEYOND * few->alone : 0);

	if (few->count < COMMON_LEAST)
		return farthest;
	sigma = sqrt(few->squares / (count - 1));
	beyond = few->mean + student_beyond(probability, few->count - 1) * sigma * sqrt(1 + 1 / count);
	return fmax(fmin(exp(beyond), farthest), reach * common->shortest);
}

static bool has_tail(const struct common *common)
{
	return common->learns && common->limits.tail.count > 0;
}

/* A value beside the largest is of the same incident, and so is another of its key, because what befalls one key alone is none of all keys. */
static bool is_beside(const struct common *common, const struct common_block *block, const struct common_block *largest)
{
	return span_near(block->ts, largest->ts, 2 * COMMON_BLOCK) || (!common->all && block->key == largest->key);
}

/* How many values a limit needs. */
static uint64_t least(const struct common *common)
{
	return common->shortest > 0 && !common->all ? 0 : COMMON_LEAST;
}

/* The largest value and those beside it are an incident's, as far as they are beyond the limit that the others make. */
static void leave_out_incident(struct common *common)
{
	struct common_block *items = common->baseline.items, largest = {0};
	struct common_few others = {.largest = common->shortest};
	size_t kept = 0;
	double limit;

	for (size_t i = 0; i < common->baseline.count; i++)
		if (items[i].largest > largest.largest)
			largest = items[i];
	for (size_t i = 0; i < common->baseline.count; i++)
		if (!is_beside(common, &items[i], &largest))
			add_few(&others, items[i].largest, common->all ? NULL : items[i].key);
	limit = few_limit(common, &others, probability(common));
	if (others.count < least(common) || largest.largest <= limit)
		return;
	for (size_t i = 0; i < common->baseline.count; i++)
		if (!is_beside(common, &items[i], &largest) || (!common->all && items[i].largest <= limit))
			items[kept++] = items[i];
	common->baseline.count = kept;
}

/* The method takes over when it has a tail. */
static void begin_learning(struct common *common)
{
	struct points points = {0};

	for (size_t i = 0; i < common->baseline.count; i++)
		*ARRAY_ADD(&points) = (struct point){.value = scale_to(SCALE_LOG, common->baseline.items[i].largest)};
	if (method_limits(&common->policy, &points, &common->limits) == 0) {
		common->learnt = learner_pot.new();
		learner_pot.begin(common->learnt, &points, probability(common), &common->limits);
		common->learns = true;
		ARRAY_FREE(&common->baseline);
	}
	ARRAY_FREE(&points);
}

/* Where values are passed with this probability. They are few, so a tail may reach farther than that of single values. */
static double limit_at(const struct common *common, double probability)
{
	const struct tail_fit *fit = &common->limits.tail;

	return has_tail(common) ? tail_fit_limit_within(fit, probability, reach_of(common, fit->count, probability)) : few_limit(common, &common->few, probability);
}

int64_t common_limit_of(const struct common *common, struct common_key *key, bool judged)
{
	key->limit = common->limit;
	if (judged && !key->since && common->now != INT64_MIN)
		key->since = common->now;
	if (common->judges && key->since && common->now > key->since && common->policy.alarms > 0)
		key->limit = fmin(key->limit, limit_at(common, probability_of(common, key)));
	return in_ns(common, key->limit);
}

/* True: it is another one. */
static bool make_limit(struct common *common)
{
	double before = common->limit;

	common->limit = limit_at(common, probability(common));
	if (has_tail(common))
		common->limit = fmax(common->limit, common->limits.ucl);
	return common->limit != before;
}

/* True: there are limits now. */
static bool make_limits(struct common *common)
{
	if (common->judges || common->baseline.count < least(common))
		return false;
	leave_out_incident(common);
	for (size_t i = 0; i < common->baseline.count; i++)
		add_few(&common->few, common->baseline.items[i].largest, common->all ? NULL : common->baseline.items[i].key);
	if (common->baseline.count >= COMMON_BASELINE)
		begin_learning(common);
	common->judges = true;
	make_limit(common);
	return true;
}

/* Whether few values learn from one beyond the limit, or of all keys larger than all before: an incident of some seconds is but a few of these. */
static bool may_learn_larger(struct common *common)
{
	if (common->incident != INT64_MIN && span_between(common->incident, common->now) < COMMON_APART)
		return false;
	common->incident = common->now;
	return true;
}

static void learn_few(struct common *common, double value, bool beyond)
{
	double taken = beyond ? fmin(value, TAIL_BEYOND * common->limit) : value;

	if ((beyond || (!common->all && value > common->few.alone)) && !may_learn_larger(common))
		return;
	add_few(&common->few, taken, common->all ? NULL : common->key);
	if (common->learns)
		return;
	*ARRAY_ADD(&common->baseline) = (struct common_block){.ts = common->now, .largest = taken};
	if (common->baseline.count >= COMMON_BASELINE)
		begin_learning(common);
}

static bool learn(struct common *common, double value)
{
	bool beyond = is_beyond(common, value), learns = common->learns;
	const struct judged judged = {.value = value, .plotted = value, .ts = common->now, .signalled = beyond, .limits = &common->limits};

	if (!has_tail(common))
		learn_few(common, value, beyond);
	if (!learns)
		return make_limit(common);
	if (learner_pot.learn(common->learnt, &common->policy, &judged).kind != LESSON_NONE)
		learner_pot.limits(common->learnt, probability(common), &common->limits);
	else if (has_tail(common))
		return false;
	return make_limit(common);
}

/* The block at hand is over. True: the limit has changed. */
static bool end_block(struct common *common)
{
	double value = common->largest;

	common->largest = 0;
	if (value <= 0)
		return false;
	common->blocks++;
	return learn(common, value);
}

static bool end_hold(struct common *common)
{
	bool held = common->holds;

	common->holds = false;
	if (make_limits(common))
		return true;
	if (!common->all)
		common->apart = COMMON_APART;
	return held;
}

/* The keys' own limits change with the time that they are known for. */
static bool is_to_follow(struct common *common)
{
	if (common->all || span_between(common->followed, common->now) < COMMON_APART)
		return false;
	common->followed = common->now;
	return true;
}

bool common_time(struct common *common, int64_t now, uint64_t keys)
{
	common->keys = keys;
	if (common->begun == INT64_MIN)
		common->begun = now;
	common->now = now;
	if (common->holds && span_between(common->begun, now) < COMMON_HOLD && !(common->all && common->baseline.count >= COMMON_LEAST))
		return false;
	if (!common->judges)
		return end_hold(common);
	if (now < common->due)
		return false;
	common->due = span_add(now, common->apart);
	return end_block(common) || is_to_follow(common);
}

bool common_end(struct common *common, int64_t now)
{
	common->now = now;
	return end_hold(common);
}

bool common_next(struct common *common, struct sample *sample)
{
	while (!common->holds && common->held_count > 0) {
		int next = 0;

		for (int i = 1; i < common->held_count; i++)
			if (common->held[i].start < common->held[next].start)
				next = i;
		*sample = common->held[next];
		common->held[next] = common->held[--common->held_count];
		if (is_told(common, sample) && rules_above(sample->value, sample->series->limits.ucl) > 0)
			return true;
	}
	return false;
}

int64_t common_first(const struct common *common)
{
	int64_t first = INT64_MAX;

	for (int i = 0; i < common->held_count; i++)
		if (common->held[i].start < first)
			first = common->held[i].start;
	return first;
}

void common_forget(struct common *common, const struct series *series)
{
	int kept = 0;

	for (int i = 0; i < common->held_count; i++)
		if (common->held[i].series != series)
			common->held[kept++] = common->held[i];
	common->held_count = kept;
	for (size_t i = 0; i < common->baseline.count; i++)
		if (common->baseline.items[i].key == series)
			common->baseline.items[i].key = NULL;
	common->stranger = common->stranger == series ? NULL : common->stranger;
	common->key = common->key == series ? NULL : common->key;
	common->few.key = common->few.key == series ? NULL : common->few.key;
}
