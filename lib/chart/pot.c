#include "chart/pot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "chart/normal.h"
#include "chart/span.h"

/* Limits are made anew when the number of values has grown by a tenth, and at least after so many. */
enum { REFRESH_MOST = 1 << 16, REFRESH_SOON = 8 };

static const char by_lognormal[] = "pot:lognormal", by_tail[] = "pot";

struct pot *pot_new(void)
{
	struct pot *pot = NEW(struct pot);

	pot->tail = tail_new();
	return pot;
}

void pot_free(struct pot *pot)
{
	if (pot)
		tail_free(pot->tail);
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

static void learn_signalled(struct pot *pot, double value, int64_t ts)
{
	bool first = pot->since_signal >= burst(pot);

	if (first)
		pot->incident = ts;
	if (value > pot->limit && (first || is_usual(pot, ts))) {
		tail_learn_beyond(pot->tail, pot->limit, value);
		sooner(pot);
		pot->since_learnt = 0;
	}
	pot->since_signal = 0;
}

static void learn_in_tail(struct pot *pot, double value, bool signalled, int64_t ts)
{
	pot->since_learnt++;
	if (signalled) {
		learn_signalled(pot, value, ts);
	} else {
		tail_learn(pot->tail, value);
		pot->since_signal++;
	}
}

bool pot_learn(struct pot *pot, double value, bool signalled, int64_t ts)
{
	bool shifted = level_add(&pot->level, value, ts);

	if (!level_is_suspect(&pot->level))
		learn_in_tail(pot, value, signalled, ts);
	return shifted;
}

static double lognormal_limit(const struct pot *pot, double probability)
{
	return exp(pot->median + normal_beyond(probability) * pot->sigma);
}

/* Beyond what value those of a baseline, in order, are abnormal: where there is a gap in them. */
static double fence(const struct pot *pot, const double *values, size_t count)
{
	for (size_t i = count / 2; i + 1 < count; i++)
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

void pot_begin(struct pot *pot, const struct points *baseline, const struct limits *limits, double probability)
{
	double *values = memory_new(baseline->count, sizeof(*values));

	tail_forget(pot->tail);
	pot->held = false;
	pot->median = log(limits->center);
	pot->sigma = limits->sigma;
	pot->probability = probability;
	pot->since_signal = POT_BURST_MOST;
	pot->due = 0;
	pot->limit = lognormal_limit(pot, probability);
	for (size_t i = 0; i < baseline->count; i++)
		values[i] = exp(baseline->items[i].value);
	level_begin(&pot->level, values, baseline->count);
	pot->level.median = limits->center;
	pot->limit = fence(pot, values, baseline->count);
	learn_baseline(pot, baseline);
	free(values);
}

void pot_resume(struct pot *pot, const struct limits *limits)
{
	double center = fmax(limits->center, 1e-9);

	tail_forget(pot->tail);
	pot->known = limits->tail;
	pot->held = true;
	pot->median = log(center);
	pot->sigma = limits->sigma;
	pot->limit = limits->ucl;
	pot->since_signal = POT_BURST_MOST;
	pot->due = 100;
	level_resume(&pot->level, center, pot->sigma);
}

/* Of limits that are known only how far the tail reaches depends on the rate of values. */
static void hold_limits(const struct pot *pot, double probability, struct limits *limits)
{
	if (pot->known.count)
		limits->ucl = tail_fit_limit(&pot->known, probability);
}

/* Of few values both guesses are poor: the wider one, within reach of what was seen. */
static double wider_limit(const struct tail_fit *fit, double lognormal, double probability)
{
	double limit = tail_fit_limit(fit, probability);

	if (fit->share * (double)fit->count >= TAIL_LEAST)
		return limit;
	return fmax(limit, fmin(lognormal, TAIL_BEYOND * fit->largest));
}

static void make_limits(const struct pot *pot, double probability, struct limits *limits)
{
	*limits = (struct limits){.n = tail_count(pot->tail), .sigma = pot->sigma, .method = by_lognormal};
	limits->center = pot->level.median;
	limits->lcl = exp(2 * pot->median) / lognormal_limit(pot, probability);
	limits->ucl = lognormal_limit(pot, probability);
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
	limits->ucl = fmax(limits->ucl, limits->center);
	pot->limit = limits->ucl;
	pot->probability = probability;
	pot->due = count + (more < 1 ? 1 : more > REFRESH_MOST ? REFRESH_MOST : more);
}
