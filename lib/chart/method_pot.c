/*
 * Method pot: a limit asked for as a rate of false alarms. It comes from peaks over threshold (chart/tail.h), and follows the level of the
 * values (chart/level.h).
 *
 * The method begins with a baseline. If a value of it is POT_GAP times the next lower one, and beyond the robust limit of the log-normal
 * distribution, that value and all above it are taken for abnormal, if they are POT_OUTLIERS of the baseline at most. The rest is the
 * beginning of the tail. While there are too few values for a tail, the limit is the log-normal one: it is so far above the median that a
 * value is beyond it with the probability asked for.
 *
 * Limits say what is usual, so a value that is signalled must not make itself usual: Shewhart's limits are made without the values that have
 * a special cause, and then stay. But a tail that never learns what lies beyond its limit is cut there again and again (chart/tail.h).
 * Both are true, and distance tells which one applies: if a tail falls with the power -a, a share of POT_STRANGE^-a of the values beyond the
 * limit is beyond POT_STRANGE times the limit, 6 % with a = 2.5. So
 *
 * - a value up to POT_STRANGE times the limit is learnt as one beyond the limit, unless most incidents beyond it were farther out, because
 *   then this value is of the same kind;
 * - a value farther out is strange to the tail and is not learnt, however often it comes. There are two exceptions: strange values are one in
 *   POT_SHARE of all values, and two at least (a slow path that the baseline was too short for); or POT_OFTEN of them came in POT_LONG.
 *   Then they are what the machine does, and are learnt as beyond the limit; the new limits show it.
 *
 * Of an incident only the first value counts: a value beyond the limit that comes soon after another belongs to the same incident. Soon is
 * within an eighth of the number of values known, because values that never came among these and now come every hundredth time are not usual.
 * It is at most POT_BURST_MOST values (for strange values POT_APART, because a slow path may be one value in a hundred), and at most a
 * sixteenth of the values between two false alarms. While the level is suspect nothing is learnt.
 *
 * When the level changes, a new tail begins with the values since the change was suspected, without outliers, as in a baseline. The limit of
 * the level before is remembered for some time (chart/past_limits.h), in which the limit is not lower.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "chart/past_limits.h"
#include "chart/policy.h"
#include "chart/level.h"
#include "chart/method.h"
#include "chart/statistics.h"

/* Limits are made anew when the number of values has grown by a tenth, and at the latest after REFRESH_MOST values. */
enum { REFRESH_MOST = 1 << 16, REFRESH_SOON = 8 };

/* Values from which a changed level begins. */
enum { FOLLOW_LEAST = 16 };

/* Each with the row of the bench (tests/bench/charts.c; here with 60000 values and 3 seeds) that gets worse without it. */
enum {
	POT_BURST_MOST = 512,	/* values between two incidents, at most: a bound on what is taken for one */
	POT_APART = 64,		/* the same of strange values; "every 300th value": 234 alarms before it is usual, not 211 */
	POT_SHARE = TAIL_USUAL, /* a value that is one in POT_SHARE is usual however far out; see TAIL_USUAL */
	POT_OFTEN = 120,	/* this many strange values in POT_LONG are usual; "every 300th value": else 1,399 more alarms */
};
#define POT_GAP 5.0	  /* times the next lower value: an outlier of a baseline; column "incident", two paths: else 13 %, not 15, and fewer alarms */
#define POT_STRANGE 3.0	  /* times the limit; "a stall every 3 s": else 5 of 300 found, not 300 */
/* Few values: times what all but POT_OUTLIERS of them are within. One in 20,000 log-normal values with sigma 1.5 is beyond that. */
#define POT_FEW_BEYOND 30.0
#define POT_OUTLIERS 0.05 /* of a baseline, at most; more of them are its tail */
#define POT_LONG (60 * NSEC_PER_SEC)

/* Values beyond POT_STRANGE times the limit that were not learnt. */
struct pot_strange {
	uint64_t count;	   /* incidents */
	uint64_t apart;	   /* values since the last strange one; POT_APART of them separate incidents in any case */
	uint64_t near;	   /* incidents of values beyond the limit, but not so far out */
	double largest[2]; /* the larger first */
	int64_t since;	   /* when a period of POT_LONG began... */
	uint64_t often;	   /* ... and how many strange values came in it */
	bool usual;	   /* the period before had POT_OFTEN of them, so they are learnt in this one */
};

struct pot {
	struct tail *tail;
	struct tail *newest;   /* values since the level became suspect */
	struct tail_fit known; /* from a file */
	bool held;	       /* the limits came from a file, and stay until the level changes or a new baseline is learnt */
	struct level level;
	double median, sigma; /* of the logarithms; sigma is a robust estimate */
	double upper;	      /* of few values: all but POT_OUTLIERS of them are not above this */
	uint64_t since_signal; /* values since the last signal */
	struct pot_strange strange;
	struct past_limits *past;
	int64_t begun, now;    /* when the level began; time of the newest value */
	uint64_t due;	       /* the number of values learnt at which limits are made anew */
	double own;	       /* the limit of this level alone */
	double limit;	       /* the limit in use */
	double probability;    /* of a value beyond it */
	struct pot *below;     /* the same for the reciprocal values, if the lower side is watched; NULL: it is not, or not yet */
};

static const char by_lognormal[] = "pot:lognormal", by_tail[] = "pot";

static void *pot_new(void)
{
	struct pot *pot = NEW(struct pot);

	pot->tail = tail_new();
	pot->newest = tail_new();
	return pot;
}

static void pot_free(void *state)
{
	struct pot *pot = state;

	if (pot->below)
		pot_free(pot->below);
	tail_free(pot->tail);
	tail_free(pot->newest);
	level_free(&pot->level);
	past_limits_forget(&pot->past);
	free(pot);
}

/* A value beyond the limit may be of a slow path that was not seen before: limits are due soon, not at once, as it may be an incident's first. */
static void sooner(struct pot *pot)
{
	uint64_t soon = tail_count(pot->tail) + REFRESH_SOON;

	if (soon < pot->due)
		pot->due = soon;
}

/* Signals that are fewer values apart than this are of one incident. */
static uint64_t burst(const struct pot *pot)
{
	double most = fmin(POT_BURST_MOST, 1 / (16 * pot->probability)), known = (double)tail_count(pot->tail) / 8;

	return (uint64_t)fmax(1, fmin(known, most));
}

static void learn_beyond(struct pot *pot, double value)
{
	tail_learn_beyond(pot->tail, pot->limit, value);
	sooner(pot);
}

/* Strange values are usual: learns those that were not learnt so far. */
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
	int64_t passed = timestamp_between(strange->since, ts);

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
	if (!first && !strange->usual)
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

static void learn_near(struct pot *pot, double value, bool first)
{
	struct pot_strange *strange = &pot->strange;

	strange->near += first;
	if (first && strange->count <= strange->near)
		learn_beyond(pot, value);
}

static void learn_signalled(struct pot *pot, double value, int64_t ts)
{
	bool first = pot->since_signal >= burst(pot);

	if (value > POT_STRANGE * pot->limit)
		learn_strange(pot, value, first, ts);
	else if (value > pot->limit)
		learn_near(pot, value, first);
	pot->since_signal = 0;
}

static void learn_in_tail(struct pot *pot, double value, bool signalled, int64_t ts)
{
	pot->strange.apart++;
	if (signalled) {
		learn_signalled(pot, value, ts);
	} else {
		tail_learn(pot->tail, value);
		pot->since_signal++;
	}
}

static bool learn(struct pot *pot, double value, bool signalled, int64_t ts)
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

/*
 * The limit of few values. If more of them than outliers are beyond the log-normal limit, the values are not log-normal. Few values of two kinds,
 * such as short and long requests, look spread over decades, with a limit of minutes: nothing would be signalled until there is a tail.
 */
static double few_limit(const struct pot *pot, double probability)
{
	double limit = lognormal_limit(pot, probability);

	if (pot->upper > limit)
		return TAIL_BEYOND * pot->upper;
	return pot->upper > 0 ? fmin(limit, POT_FEW_BEYOND * pot->upper) : limit;
}

static size_t outliers(size_t count)
{
	return (size_t)fmax(1, POT_OUTLIERS * (double)count);
}

/* The value beyond which those of a sorted baseline are abnormal, because there is a gap; INFINITY: there is none. */
static double fence(const struct pot *pot, const double *values, size_t count)
{
	for (size_t i = count - outliers(count) - 1; i + 1 < count; i++)
		if (values[i + 1] > fmax(POT_GAP * values[i], pot->limit))
			return values[i] * POT_GAP;
	return INFINITY;
}

/* The times of a baseline's values are not known here: all get the same. */
static void learn_baseline(struct pot *pot, const struct points *baseline)
{
	for (size_t i = 0; i < baseline->count; i++) {
		double value = exp(baseline->items[i].value);

		learn_in_tail(pot, value, value > pot->limit, 0);
	}
}

/* Begins anew: nothing is known but the level. */
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

static void begin_with(struct pot *pot, const struct points *baseline, const struct limits *limits, double probability)
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

static void pot_resume(void *state, const struct limits *limits)
{
	struct pot *pot = state;

	begin(pot, fmax(limits->center, 1e-9), limits->sigma);
	pot->known = limits->tail;
	pot->held = true;
	pot->limit = limits->ucl;
	pot->due = 100;
	level_resume(&pot->level, exp(pot->median), pot->sigma);
}

static void forget_below(struct pot *pot)
{
	if (pot->below)
		pot_free(pot->below);
	pot->below = NULL;
}

static void pot_pause(void *state)
{
	struct pot *pot = state;

	forget_below(pot);
	level_pause(&pot->level);
	past_limits_forget(&pot->past);
	pot->since_signal = POT_BURST_MOST;
	pot->strange.often = 0;
	pot->strange.usual = false;
	pot->begun = INT64_MIN;
}

/* Keeps the limit of this level for a while. */
static void remember(struct pot *pot)
{
	if (pot->begun != INT64_MIN)
		past_limits_remember(&pot->past, &(struct limits){.ucl = pot->own}, timestamp_between(pot->begun, pot->now), pot->now);
}

/* The level has changed: its newest values are what is usual from now on. False: there are too few of them. */
static bool follow(struct pot *pot)
{
	const struct histogram *newest = &pot->level.newest;
	struct tail *tail = pot->tail;
	double lower = histogram_quantile(newest, 0.25), upper = histogram_quantile(newest, 0.75);

	if (newest->total < FOLLOW_LEAST)
		return false;
	remember(pot);
	forget_below(pot);
	begin(pot, histogram_median(newest), log(upper / lower) / 1.349); /* the quartiles of a normal distribution are 1.349 sigma apart */
	pot->upper = histogram_quantile(newest, 1 - POT_OUTLIERS);
	pot->tail = pot->newest;
	pot->newest = tail;
	tail_forget_outliers(pot->tail, POT_GAP, (int)(tail_count(pot->tail) / POT_SHARE) + 1, lognormal_limit(pot, pot->probability));
	level_follow(&pot->level);
	return true;
}

/* With few values both limits are poor guesses: takes the wider one, within reach of the largest value. */
static double wider_limit(const struct tail_fit *fit, double lognormal, double probability)
{
	double limit = tail_fit_limit(fit, probability);

	if (fit->share * (double)fit->count >= TAIL_LEAST)
		return limit;
	return fmax(limit, fmin(lognormal, TAIL_BEYOND * fit->largest));
}

/* The line that values pass four times as often as the limit; 0: there are too few values to tell. */
static double warning_limit(const struct tail_fit *fit, double probability)
{
	return fit->share * (double)fit->count >= TAIL_LEAST ? tail_fit_limit(fit, fmin(4 * probability, fit->share)) : 0;
}

/* Limits from a file stay, but how far their tail reaches depends on the rate of values. */
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

static void set_due(struct pot *pot)
{
	uint64_t count = tail_count(pot->tail), more = count / 10;

	pot->due = count + (more < 1 ? 1 : more > REFRESH_MOST ? REFRESH_MOST : more);
}

/* The limit of the reciprocal values. */
static double limit_below(struct pot *below, double probability)
{
	struct limits limits;

	below->probability = probability;
	make_limits(below, probability, &limits);
	below->limit = below->own = fmax(limits.ucl, limits.center);
	set_due(below);
	return below->limit;
}

/* With both sides watched, each has half of the false alarms. */
static void pot_limits(void *state, double probability, struct limits *limits)
{
	struct pot *pot = state;

	if (pot->below)
		probability /= 2;
	pot->probability = probability;
	if (pot->held)
		hold_limits(pot, probability, limits);
	else
		make_limits(pot, probability, limits);
	if (pot->below)
		limits->lcl = 1 / limit_below(pot->below, probability);
	limits->warning = warning_limit(&limits->tail, probability);
	limits->lcl = fmin(limits->lcl, limits->center);
	pot->own = fmax(limits->ucl, limits->center);
	limits->ucl = fmax(pot->own, past_limits_highest(pot->past, pot->now));
	pot->limit = limits->ucl;
	set_due(pot);
}

static void pot_begin(void *state, const struct points *baseline, double probability, struct limits *limits)
{
	begin_with(state, baseline, limits, probability);
	pot_limits(state, probability, limits);
}

static bool is_due(const struct pot *pot)
{
	return tail_count(pot->tail) >= pot->due && !pot->level.suspect;
}

/* The lower side: the tail of the reciprocal values. It begins with nothing but the level of the values. */
static void learn_below(struct pot *pot, const struct judged *point, bool signalled)
{
	if (!pot->below) {
		pot->below = pot_new();
		begin(pot->below, 1 / fmax(point->limits->center, 1e-9), pot->sigma);
		pot->below->probability = pot->probability;
		level_resume(&pot->below->level, exp(pot->below->median), pot->sigma);
		limit_below(pot->below, pot->probability / 2);
	}
	learn(pot->below, 1 / fmax(point->value, 1e-9), signalled, point->ts);
}

/*
 * Follows a change of level on the lower side, which began with few values, or with the upper side's width, and may find that its level is
 * another. That is no lesson, because only the upper side reports levels. Without this the lower side learnt nothing more, and signalled one in
 * 400 values for good.
 */
static bool follow_below(struct pot *below, const struct policy *how, int64_t ts)
{
	int64_t since;

	return level_has_changed(&below->level, &since) &&
	       policy_has_lasted(how, timestamp_between(since, ts), (uint64_t)below->level.newest.total) && follow(below);
}

static struct lesson pot_learn(void *state, const struct policy *how, const struct judged *point)
{
	struct pot *pot = state;
	struct lesson lesson = {LESSON_NONE};

	bool is_low = point->value < point->limits->center;

	if (pot->probability == 0) /* the limits are from a file, and were not made anew yet */
		pot->probability = policy_probability(how, 0);
	lesson.shift = learn(pot, point->value, point->signalled && !is_low, point->ts);
	if (how->sides & SIDES_LOWER)
		learn_below(pot, point, point->signalled && is_low);
	if (lesson.shift)
		lesson.level = histogram_median(&pot->level.newest);
	if (level_has_changed(&pot->level, &lesson.since) &&
	    policy_has_lasted(how, timestamp_between(lesson.since, point->ts), (uint64_t)pot->level.newest.total))
		lesson.kind = follow(pot) ? LESSON_FOLLOWED : LESSON_NONE;
	else if (is_due(pot) || (pot->below && (follow_below(pot->below, how, point->ts) || is_due(pot->below))))
		lesson.kind = LESSON_REFINED;
	return lesson;
}

/* The median, and the median distance from it: up to half of the values may be of an incident. */
static void baseline_robust(const struct policy *how, const struct points *points, struct limits *limits)
{
	(void)how;
	limits->center = points_middle(points, NULL);
	limits->sigma = points_middle(points, &limits->center) * 1.4826022185056018;
}

const struct learner learner_pot = {
	.judges_baseline = true,
	.continues = true,
	.new = pot_new,
	.free = pot_free,
	.pause = pot_pause,
	.resume = pot_resume,
	.begin = pot_begin,
	.learn = pot_learn,
	.limits = pot_limits,
};

/* By false-alarm rate, from the tail of the values. The default. */
const struct method method_pot = {
	.name = "pot",
	.name_of_few = by_lognormal,
	.plots = &plot_values,
	.learner = &learner_pot,
	.scale = SCALE_LOG,
	.one_scale = true,
	.sides = SIDES_UPPER,
	.min_ratio = 2,
	.baseline = 100,
	.relearn = 10 * NSEC_PER_SEC,
	.least = 8,
	.baseline_limits = baseline_robust,
};
