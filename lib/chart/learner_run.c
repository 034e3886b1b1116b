/*
 * Learns a new baseline once points in a row have been on one side of the centre for --relearn. For rates, remembers the limits of the
 * past level (chart/past_limits.h).
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/timestamp.h"
#include "chart/past_limits.h"
#include "chart/policy.h"
#include "chart/method.h"

/* With fewer points in a row on one side of the centre their level has not changed, however long they took. */
enum { RUN_LEAST = 20 };

struct run {
	int side;
	uint64_t count;
	int64_t since;
	int64_t begun; /* when the level of the limits began; INT64_MIN: not known */
	struct past_limits *past;
};

static void *run_new(void)
{
	struct run *run = NEW(struct run);

	run->begun = INT64_MIN;
	return run;
}

static void run_pause(void *state)
{
	struct run *run = state;

	past_limits_forget(&run->past);
	*run = (struct run){.begun = INT64_MIN};
}

static void run_free(void *state)
{
	run_pause(state);
	free(state);
}

static void run_begin(void *state, const struct points *baseline, double probability, struct limits *limits)
{
	struct run *run = state;

	(void)baseline, (void)probability, (void)limits;
	run->side = 0;
	run->count = 0;
}

static void count(struct run *run, const struct judged *point)
{
	int side = rules_side(point->lines, point->plotted);

	if (side != run->side) {
		run->side = side;
		run->count = 0;
		run->since = point->ts;
	}
	run->count++;
	if (run->begun == INT64_MIN)
		run->begun = point->ts;
}

static struct lesson run_learn(void *state, const struct policy *how, const struct judged *point)
{
	struct run *run = state;

	if (!how->relearn && !how->relearn_values)
		return (struct lesson){LESSON_NONE};
	count(run, point);
	if (point->learns || run->side == 0 || run->count < RUN_LEAST || !policy_has_lasted(how, timestamp_between(run->since, point->ts), run->count))
		return (struct lesson){LESSON_NONE};
	if (how->method->plots->rates)
		past_limits_remember(&run->past, point->limits, timestamp_between(run->begun, run->since), point->ts);
	run->begun = run->since;
	return (struct lesson){.kind = LESSON_OUTDATED, .side = run->side, .since = run->since};
}

static double run_past_limit(void *state, const struct policy *how, double size, int64_t now)
{
	return past_limits_line(((struct run *)state)->past, how, size, now);
}

const struct learner learner_run = {
	.new = run_new,
	.free = run_free,
	.pause = run_pause,
	.begin = run_begin,
	.learn = run_learn,
	.past_limit = run_past_limit,
};
