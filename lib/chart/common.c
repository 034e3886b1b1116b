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
 * of what came before a moment. If it was too short, only one value a second counts, so that an incident of some seconds is no habit.
 * On eight pieces of 40 s of a machine on which several programs were built and tested, COMMON_LEAST = 12, with the limit that 12 values
 * make until there is a tail, gave 172 signals of system calls, this gives 11.
 */
#define COMMON_HOLD (3 * NSEC_PER_SEC)
#define COMMON_BLOCK COMMON_EVERY
#define COMMON_APART NSEC_PER_SEC
enum { COMMON_LEAST = 5, COMMON_BASELINE = 12 /* of the method */, COMMON_MOST = 512, COMMON_HELD = SERIES_WORST };
enum { BURSTS_LEAST = 2 };
#define BURSTS_BEYOND 4.0 /* times the largest burst; at TAIL_BEYOND 5 false moments of waits for a CPU in 5 minutes, not 3 */
#define COMMON_BEYOND 4.0 /* the limit of few values is at most four times the second largest: one incident does not lift it */

struct common_block {
	int64_t ts;
	double largest;
};

/* Few values in short: the mean of their logarithms, the sum of the squared distances from it, and the two largest values. */
struct common_few {
	uint64_t count;
	double mean, squares, largest[2];
};

struct common {
	struct policy policy;
	void *learnt; /* of the method; NULL: not yet */
	struct limits limits;
	struct common_few few; /* for as long as there is no tail */
	double limit;
	bool all;    /* common_see() takes each value */
	bool learns; /* the method has its baseline */
	ARRAY(struct common_block) baseline; /* values of a key's own baseline come late, and in any order */
	bool judges, holds;
	int64_t begun, now; /* INT64_MIN: no time has come */
	uint64_t sharers;   /* limits that share the false alarms */
	int64_t first;	    /* when the first value ended; INT64_MAX: none has come */
	int64_t apart;	    /* the time in which only one value counts */
	int64_t due;	    /* once it judges: when the block at hand ends */
	int64_t incident;   /* when a value beyond the limit of few was learnt; INT64_MIN: none was */
	double largest;	    /* of it; 0: there was none */
	uint64_t blocks;    /* with a value */
	struct sample *held; /* COMMON_HELD, if there are any */
	int held_count;
};

static void begin(struct common *common)
{
	common->begun = common->now = common->due = common->incident = INT64_MIN;
	common->first = INT64_MAX;
	common->largest = 0;
	common->blocks = 0;
	common->held_count = 0;
	common->baseline.count = 0;
	common->holds = !common->judges;
	if (common->holds)
		common->apart = COMMON_BLOCK;
}

struct common *common_new(const struct policy *policy, bool all)
{
	struct common *common;

	if (policy->method->learner != &learner_pot || policy->only_fixed || policy->sides != SIDES_UPPER ||
	    (policy->rules & ~RULE(RULE_SHIFT)) != RULE(1))
		return NULL;
	common = NEW(struct common);
	common->policy = *policy;
	common->policy.scale = SCALE_LOG;
	common->all = all;
	common->sharers = 1;
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
	struct common empty = {.policy = common->policy, .all = common->all, .sharers = 1};

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

int64_t common_limit(const struct common *common)
{
	if (common->holds)
		return INT64_MAX;
	return common->judges ? (int64_t)fmin(common->limit * 1e9, 9e18) : 0;
}

static bool is_beyond(const struct common *common, double value)
{
	return !common->judges || value > common->limit;
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
		block->largest = fmax(block->largest, sample->value);
		return;
	}
	if (common->baseline.count < COMMON_MOST)
		*ARRAY_ADD(&common->baseline) = (struct common_block){sample->end, sample->value};
	common->blocks++;
}

static void take(struct common *common, const struct sample *sample)
{
	if (sample->end < common->first)
		common->first = sample->end;
	if (common->judges)
		common->largest = fmax(common->largest, sample->value);
	else
		gather(common, sample);
}

void common_see(struct common *common, const struct sample *sample)
{
	if (common->all)
		take(common, sample);
}

bool common_judge(struct common *common, const struct sample *sample)
{
	if (!common->all)
		take(common, sample);
	if (common->holds && !sample->rules) /* else a limit that was given has told it */
		remember(common, sample);
	return !common->holds && is_beyond(common, sample->value);
}

/* Of a false alarm per value. */
static double probability(const struct common *common)
{
	int64_t passed = span_between(common->first, common->now);

	return policy_probability(&common->policy, passed > 0 ? (double)common->blocks * (double)common->sharers * 1e9 / (double)passed : 0);
}

static void add_few(struct common_few *few, double value)
{
	double logarithm = scale_to(SCALE_LOG, value), off = logarithm - few->mean;

	few->count++;
	few->mean += off / (double)few->count;
	few->squares += off * (logarithm - few->mean);
	if (value > few->largest[0]) {
		few->largest[1] = few->largest[0];
		few->largest[0] = value;
	} else {
		few->largest[1] = fmax(few->largest[1], value);
	}
}

/*
 * The next value exceeds this limit with the probability if logarithms are normal. Student's distribution, because few values estimate the spread.
 */
static double few_limit(const struct common_few *few, double probability)
{
	double count = (double)few->count, sigma = sqrt(few->squares / (count - 1));
	double beyond = few->mean + student_beyond(probability, few->count - 1) * sigma * sqrt(1 + 1 / count);

	return fmin(exp(beyond), COMMON_BEYOND * few->largest[1]);
}

static bool has_tail(const struct common *common)
{
	return common->learns && common->limits.tail.count > 0;
}

static bool is_near(const struct common_block *a, const struct common_block *b)
{
	return span_near(a->ts, b->ts, 2 * COMMON_BLOCK);
}

/* The largest burst and those beside it are an incident's, if the largest is beyond the limit that the others make. */
static void leave_out_incident(struct common *common)
{
	struct common_block *items = common->baseline.items, largest = items[0];
	struct common_few others = {0};
	size_t kept = 0;

	for (size_t i = 1; i < common->baseline.count; i++)
		if (items[i].largest > largest.largest)
			largest = items[i];
	for (size_t i = 0; i < common->baseline.count; i++)
		if (!is_near(&items[i], &largest))
			add_few(&others, items[i].largest);
	if (others.count < BURSTS_LEAST || largest.largest <= few_limit(&others, probability(common)))
		return;
	for (size_t i = 0; i < common->baseline.count; i++)
		if (!is_near(&items[i], &largest))
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

/* Bursts are few, so the limit of the largest of them may reach farther than that of single values. */
static double tail_limit(const struct common *common)
{
	const struct limits *limits = &common->limits;

	return common->all ? fmax(limits->ucl, tail_fit_limit_within(&limits->tail, probability(common), BURSTS_BEYOND)) : limits->ucl;
}

/* True: it is another one. */
static bool make_limit(struct common *common)
{
	double before = common->limit;

	common->limit = has_tail(common) ? tail_limit(common) : few_limit(&common->few, probability(common));
	return common->limit != before;
}

/* True: there are limits now. */
static bool make_limits(struct common *common)
{
	if (common->judges || common->baseline.count < (common->all ? BURSTS_LEAST : COMMON_LEAST))
		return false;
	if (common->all)
		leave_out_incident(common);
	for (size_t i = 0; i < common->baseline.count; i++)
		add_few(&common->few, common->baseline.items[i].largest);
	if (common->baseline.count >= COMMON_BASELINE)
		begin_learning(common);
	common->judges = true;
	make_limit(common);
	return true;
}

/* Whether few values learn from one beyond their limit: an incident of some seconds is but a few of these. */
static bool may_learn_beyond(struct common *common)
{
	if (common->incident != INT64_MIN && span_between(common->incident, common->now) < COMMON_APART)
		return false;
	common->incident = common->now;
	return true;
}

static void learn_few(struct common *common, double value, bool beyond)
{
	double taken = beyond ? fmin(value, TAIL_BEYOND * common->limit) : value;

	if (beyond && !may_learn_beyond(common))
		return;
	add_few(&common->few, taken);
	if (common->learns)
		return;
	*ARRAY_ADD(&common->baseline) = (struct common_block){common->now, taken};
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

bool common_time(struct common *common, int64_t now, uint64_t sharers)
{
	common->sharers = sharers;
	if (common->begun == INT64_MIN)
		common->begun = now;
	common->now = now;
	if (common->holds && span_between(common->begun, now) < COMMON_HOLD && !(common->all && common->baseline.count >= BURSTS_LEAST))
		return false;
	if (!common->judges)
		return end_hold(common);
	if (now < common->due)
		return false;
	common->due = span_add(now, common->apart);
	return end_block(common);
}

bool common_end(struct common *common)
{
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
		if (is_beyond(common, sample->value) && rules_above(sample->value, sample->series->limits.ucl) > 0)
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
}
