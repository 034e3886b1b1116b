#include "chart/pot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "chart/normal.h"
#include "chart/span.h"

/* Limits are made anew when the number of values has grown by a tenth, and at least after so many. */
enum { REFRESH_MOST = 1 << 16 };

static const char lognormal[] = "pot:lognormal", by_tail[] = "pot";

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
	uint64_t soon = tail_count(pot->tail) + POT_BURST;

	if (soon < pot->due)
		pot->due = soon;
}

static void learn_in_tail(struct pot *pot, double value, bool signalled)
{
	if (!signalled) {
		tail_learn(pot->tail, value);
	} else if (pot->since_signal >= POT_BURST && value > pot->limit) {
		tail_learn_beyond(pot->tail, pot->limit);
		sooner(pot);
	}
	pot->since_signal = signalled ? 0 : pot->since_signal + 1;
}

bool pot_learn(struct pot *pot, double value, bool signalled, int64_t ts)
{
	bool shifted = level_add(&pot->level, value, ts);

	if (!level_is_suspect(&pot->level))
		learn_in_tail(pot, value, signalled);
	return shifted;
}

static double lognormal_limit(const struct pot *pot, double probability)
{
	return exp(pot->median + normal_beyond(probability) * pot->sigma);
}

void pot_begin(struct pot *pot, const struct points *baseline, const struct limits *limits, double probability)
{
	double *values = memory_new(baseline->count, sizeof(*values));

	tail_forget(pot->tail);
	pot->held = false;
	pot->median = log(limits->center);
	pot->sigma = limits->sigma;
	pot->limit = lognormal_limit(pot, probability);
	pot->since_signal = POT_BURST;
	pot->due = 0;
	pot->cap = 0;
	pot->steps = POT_STEPS;
	for (size_t i = 0; i < baseline->count; i++) {
		values[i] = exp(baseline->items[i].value);
		learn_in_tail(pot, values[i], values[i] > pot->limit);
	}
	level_begin(&pot->level, values, baseline->count);
	pot->level.median = limits->center;
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
	pot->since_signal = POT_BURST;
	pot->due = 100;
	level_resume(&pot->level, center, pot->sigma);
}

/* Of limits that are known only how far the tail reaches depends on the rate of values. */
static void hold_limits(const struct pot *pot, double probability, struct limits *limits)
{
	if (pot->known.count)
		limits->ucl = tail_fit_limit(&pot->known, probability);
}

/* Bounds the fit's reach: twice at once it may reach further by TAIL_BEYOND, then once in a while. */
static void bound(struct pot *pot, int64_t now, struct tail_fit *fit)
{
	double wanted = TAIL_BEYOND * fit->largest, steps;

	pot->steps = fmin(pot->steps + (double)span_between(pot->stepped, now) / (double)POT_STEP, POT_STEPS);
	pot->stepped = now;
	if (pot->cap == 0)
		pot->cap = wanted;
	steps = wanted > pot->cap ? log(wanted / pot->cap) / log(TAIL_BEYOND) : 0;
	if (steps > pot->steps)
		steps = pot->steps;
	pot->steps -= steps;
	pot->cap *= pow(TAIL_BEYOND, steps);
	fit->largest = pot->cap / TAIL_BEYOND;
}

static void make_limits(struct pot *pot, double probability, int64_t now, struct limits *limits)
{
	*limits = (struct limits){.n = tail_count(pot->tail), .sigma = pot->sigma, .method = lognormal};
	limits->center = pot->level.median;
	limits->lcl = exp(2 * pot->median) / lognormal_limit(pot, probability);
	limits->ucl = lognormal_limit(pot, probability);
	if (tail_is_ready(pot->tail)) {
		limits->tail = *tail_fit(pot->tail);
		bound(pot, now, &limits->tail);
		limits->ucl = tail_fit_limit(&limits->tail, probability);
		limits->method = by_tail;
	}
}

void pot_limits(struct pot *pot, double probability, int64_t now, struct limits *limits)
{
	uint64_t count = tail_count(pot->tail), more = count / 10;

	if (pot->held)
		hold_limits(pot, probability, limits);
	else
		make_limits(pot, probability, now, limits);
	limits->lcl = fmin(limits->lcl, limits->center);
	limits->ucl = fmax(limits->ucl, limits->center);
	pot->limit = limits->ucl;
	pot->due = count + (more < 1 ? 1 : more > REFRESH_MOST ? REFRESH_MOST : more);
}
