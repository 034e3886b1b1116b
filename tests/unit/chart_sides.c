/* Both sides of method pot learn on after a change of level that was none: a day's stream that once gave 2,384 alarms where one was asked for. */
#undef NDEBUG
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "../bench/draws.h"
#include "chart/judge.h"
#include "signals_only.h"

enum { SEED = 20, VALUES = 100000, STEP_NS = 100000000 };

static int signals, shifts;

static int see_signal(void *context, const struct sample *sample)
{
	(void)context;
	signals++;
	shifts += (sample->rules & RULE(RULE_SHIFT)) != 0;
	return 0;
}

int main(void)
{
	const int64_t id[CHART_KEYS_MAX] = {0};
	struct policy how = POLICY_OPEN;
	struct series_set set = {.policy = &how};
	struct judge judge = {.policy = &how, .tell = signals_only(see_signal)};
	bool begun;

	how.method = method_find("pot");
	how.rules |= RULE(RULE_SHIFT);
	how.sides = SIDES_BOTH;
	assert(policy_alarms(&how, "1/d") == 0 && policy_check(&how) == 0);
	series_set_add(&set, id, "x", NULL);
	seed_draws(SEED);
	for (int i = 0; i < 20; i++)
		next_random();
	for (int64_t i = 1; i <= VALUES; i++) {
		struct sample sample = {.series = set.series, .value = log_normal(), .tid = -1, .by_hand = true};

		sample.start = sample.end = i * STEP_NS;
		judge_value(&judge, &set, &sample, false, &begun);
	}
	assert(shifts == 1 && signals <= 5);
	series_set_free(&set);
	return 0;
}
