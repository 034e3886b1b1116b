#include "chart/pot.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "chart/normal.h"
#include "chart/span.h"

/* Limits are made anew when the number of values has grown by a tenth, and at least after so many. */
enum { REFRESH_MOST = 1 << 16, REFRESH_SOON = 8 };

/* Values from which a changed level begins. */
enum { FOLLOW_LEAST = 16 };

static const char by_lognormal[] = "pot:lognormal", by_tail[] = "pot";

struct pot *pot_new(void)
{
	struct pot *pot = NEW(struct pot);

	pot->tail = tail_new();
	pot->newest = tail_new();
	return pot;
}

void pot_free(struct pot *pot)
{
	if (!pot)
		return;
	tail_free(pot->tail);
	tail_free(pot->newest);
	level_free(&pot->level);
	former_forget(&pot->former);
	free(pot);
}

/* Few values: one beyond the limit may tell of a slow path that they did not hold. But not while it may be an incident's first. */
static void sooner(struct pot *pot)
{
	uint64_t soon = tail_count(pot->tail) + REFRESH_SOON;

	if (soon < pot->due)
		pot->due = soon;
}

/* Signals that are not so many values apart are of one incident. */
static uint64_t burst(const struct pot *pot)
{
	double most = fmin(POT_BURST_MOST, 1 / (16 * pot->probability)), known = (double)tail_count(pot->tail) / 8;

	return (uint64_t)fmax(POT_BURST, fmin(known, most));
}

static bool is_usual(const struct pot *pot, int64_t ts)
{
	return pot->since_learnt >= POT_BURST && span_between(pot->incident, ts) > POT_USUAL;
}

static void learn_beyond(struct pot *pot, double value)
{
	tail_learn_beyond(pot->tail, pot->limit, value);
	sooner(pot);
	pot->since_learnt = 0;
}

/* Strange values are learnt from now on, with those that were not. */
static void accept_strange(struct pot *pot)
{
	struct pot_strange *strange = &pot->strange;

	for (uint64_t i = 0; i < strange->count; i++)
		learn_beyond(pot, strange->largest[i > 0]);
	strange->count = 0;
	strange->largest[0] = strange->largest[1] = 0;
}

static void count_often(struct pot_strange *strange, int64_t ts)
{
	int64_t passed = span_between(strange->since, ts);

	if (strange->often == 0 || passed >= POT_LONG) {
		strange->usual = strange->often >= POT_OFTEN && passed < 2 * POT_LONG;
		strange->since = ts;
		strange->often = 0;
	}
	strange->often++;
}

static void learn_strange(struct pot *pot, double value, bool first, int64_t ts)
{
	struct pot_strange *strange = &pot->strange;

	count_often(strange, ts);
	first = first || strange->apart >= POT_APART;
	strange->apart = 0;
	if (!first && !(strange->usual && pot->since_learnt >= POT_BURST))
		return;
	strange->count++;
	if (value > strange->largest[0]) {
		strange->largest[1] = strange->largest[0];
		strange->largest[0] = value;
	} else {
		strange->largest[1] = fmax(strange->largest[1], value);
	}
	if (strange->usual || (strange->count >= 2 && strange->count * POT_SHARE >= tail_count(pot->tail)))
		accept_strange(pot);
}

static void learn_near(struct pot *pot, double value, bool first, int64_t ts)
{
	struct pot_strange *strange = &pot->strange;

	strange->near += first;
	if ((first || is_usual(pot, ts)) && strange->count <= strange->near)
		learn_beyond(pot, value);
}

static void learn_signalled(struct pot *pot, double value, int64_t ts)
{
	bool first = pot->since_signal >= burst(pot);

	if (first)
		pot->incident = ts;
	if (value > POT_STRANGE * pot->limit)
		learn_strange(pot, value, first, ts);
	else if (value > pot->limit)
		learn_near(pot, value, first, ts);
	pot->since_signal = 0;
}

static void learn_in_tail(struct pot *pot, double value, bool signalled, int64_t ts)
{
	pot->since_learnt++;
	pot->strange.apart++;
	if (signalled) {
		learn_signalled(pot, value, ts);
	} else {
		tail_learn(pot->tail, value);
		pot->since_signal++;
	}
}

bool pot_learn(struct pot *pot, double value, bool signalled, int64_t ts)
{
	int64_t since;
	bool kept = pot->level.suspect || level_has_changed(&pot->level, &since);
	bool shifted = level_add(&pot->level, value, ts);

	value = fmax(value, 1e-9); /* as in a baseline */
	pot->now = ts;
	if (pot->begun == INT64_MIN)
		pot->begun = ts;
	if (!pot->level.suspect) {
		learn_in_tail(pot, value, signalled, ts);
		return shifted;
	}
	if (!kept)
		tail_forget(pot->newest);
	tail_learn(pot->newest, value);
	return shifted;
}

static double lognormal_limit(const struct pot *pot, double probability)
{
	return exp(pot->median + normal_beyond(probability) * pot->sigma);
}

/* Of few values: where more than outliers are beyond the log-normal limit, the values are not log-normal. */
static double few_limit(const struct pot *pot, double probability)
{
	double limit = lognormal_limit(pot, probability);

	return pot->upper > limit ? TAIL_BEYOND * pot->upper : limit;
}

static size_t outliers(size_t count)
{
	return (size_t)fmax(1, POT_OUTLIERS * (double)count);
}

/* Beyond what value those of a baseline, in order, are abnormal: where there is a gap in them. */
static double fence(const struct pot *pot, const double *values, size_t count)
{
	for (size_t i = count - outliers(count) - 1; i + 1 < count; i++)
		if (values[i + 1] > fmax(POT_GAP * values[i], pot->limit))
			return values[i] * POT_GAP;
	return INFINITY;
}

/* All of a baseline happened at one time, as far as is known here. */
static void learn_baseline(struct pot *pot, const struct points *baseline)
{
	for (size_t i = 0; i < baseline->count; i++) {
		double value = exp(baseline->items[i].value);

		learn_in_tail(pot, value, value > pot->limit, 0);
	}
}

/* Nothing is known but the level. */
static void begin(struct pot *pot, double center, double sigma)
{
	tail_forget(pot->tail);
	pot->held = false;
	pot->median = log(center);
	pot->sigma = sigma;
	pot->upper = 0;
	pot->since_signal = POT_BURST_MOST;
	pot->due = 0;
	pot->strange = (struct pot_strange){0};
	pot->begun = INT64_MIN;
}

void pot_begin(struct pot *pot, const struct points *baseline, const struct limits *limits, double probability)
{
	size_t count = baseline->count;
	double *values = memory_new(count, sizeof(*values));

	begin(pot, limits->center, limits->sigma);
	pot->probability = probability;
	for (size_t i = 0; i < count; i++)
		values[i] = exp(baseline->items[i].value);
	level_begin(&pot->level, values, count);
	pot->level.median = limits->center;
	pot->upper = values[count - 1 - outliers(count)];
	pot->limit = few_limit(pot, probability);
	pot->limit = fence(pot, values, count);
	learn_baseline(pot, baseline);
	free(values);
}

void pot_resume(struct pot *pot, const struct limits *limits)
{
	begin(pot, fmax(limits->center, 1e-9), limits->sigma);
	pot->known = limits->tail;
	pot->held = true;
	pot->limit = limits->ucl;
	pot->due = 100;
	level_resume(&pot->level, exp(pot->median), pot->sigma);
}

void pot_pause(struct pot *pot)
{
	level_pause(&pot->level);
	former_forget(&pot->former);
	pot->since_signal = POT_BURST_MOST;
	pot->strange.often = 0;
	pot->strange.usual = false;
	pot->begun = INT64_MIN;
}

/* The limit of this level is kept for a while. */
static void remember(struct pot *pot)
{
	if (pot->begun != INT64_MIN)
		former_remember(&pot->former, &(struct limits){.ucl = pot->own}, span_between(pot->begun, pot->now), pot->now);
}

bool pot_follow(struct pot *pot)
{
	const struct histogram *newest = &pot->level.newest;
	struct tail *tail = pot->tail;
	double lower = histogram_quantile(newest, 0.25), upper = histogram_quantile(newest, 0.75);

	if (newest->total < FOLLOW_LEAST)
		return false;
	remember(pot);
	begin(pot, histogram_median(newest), log(upper / lower) / 1.349); /* the quartiles of a normal distribution are so many sigma apart */
	pot->upper = histogram_quantile(newest, 1 - POT_OUTLIERS);
	pot->tail = pot->newest;
	pot->newest = tail;
	tail_forget_outliers(pot->tail, POT_GAP, (int)(tail_count(pot->tail) / POT_SHARE) + 1, lognormal_limit(pot, pot->probability));
	level_follow(&pot->level);
	return true;
}

/* Of few values both guesses are poor: the wider one, within reach of what was seen. */
static double wider_limit(const struct tail_fit *fit, double lognormal, double probability)
{
	double limit = tail_fit_limit(fit, probability);

	if (fit->share * (double)fit->count >= TAIL_LEAST)
		return limit;
	return fmax(limit, fmin(lognormal, TAIL_BEYOND * fit->largest));
}

/* Of limits that are known only how far the tail reaches depends on the rate of values. */
static void hold_limits(const struct pot *pot, double probability, struct limits *limits)
{
	if (pot->known.count)
		limits->ucl = wider_limit(&pot->known, few_limit(pot, probability), probability);
}

static void make_limits(const struct pot *pot, double probability, struct limits *limits)
{
	*limits = (struct limits){.n = tail_count(pot->tail), .sigma = pot->sigma, .method = by_lognormal};
	limits->center = pot->level.median;
	limits->lcl = exp(2 * pot->median) / lognormal_limit(pot, probability);
	limits->ucl = few_limit(pot, probability);
	if (tail_is_ready(pot->tail)) {
		limits->tail = *tail_fit(pot->tail);
		limits->ucl = wider_limit(&limits->tail, limits->ucl, probability);
		limits->method = by_tail;
	}
}

void pot_limits(struct pot *pot, double probability, struct limits *limits)
{
	uint64_t count = tail_count(pot->tail), more = count / 10;

	pot->probability = probability;
	if (pot->held)
		hold_limits(pot, probability, limits);
	else
		make_limits(pot, probability, limits);
	limits->lcl = fmin(limits->lcl, limits->center);
	pot->own = fmax(limits->ucl, limits->center);
	limits->ucl = fmax(pot->own, former_limit(pot->former, pot->now));
	pot->limit = limits->ucl;
	pot->probability = probability;
	pot->due = count + (more < 1 ? 1 : more > REFRESH_MOST ? REFRESH_MOST : more);
}
