/*
 * Two hours of system calls of 31 kinds on a busy machine. One call in 500 of 30 kinds is disturbed, for five milliseconds in most cases and once in
 * a while for a second. Nothing disturbs the calls of the 31st kind, of which a lock makes one wait for 0.7 s each minute or so. The limit
 * that all kinds have in common is higher, so it is their own share of the false alarms by which these are told.
 */
#undef NDEBUG
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "../bench/draws.h"
#include "base/number.h"
#include "chart/judge.h"
#include "signals_only.h"

enum { OTHERS = 30, SECONDS = 7200, EACH = 100 /* calls a second, and 10 of the lock's kind */, LOCK_EVERY = 64, BEGIN = 900 };
#define LOCKED 0.7

static int told, others;

static int see_signal(void *context, const struct sample *sample)
{
	(void)context;
	if (sample->value == LOCKED)
		told++;
	else
		others++;
	return 0;
}

static struct series *kind(struct series_set *set, int number)
{
	const int64_t id[CHART_KEYS_MAX] = {number};
	struct series *series = series_set_find(set, id);

	return series ? series : series_set_add(set, id, "syscall", "key");
}

static void call(const struct judge *judge, struct series_set *set, int number, int64_t start, double value)
{
	struct sample sample = {.series = kind(set, number), .value = value, .tid = -1, .start = start, .end = start + (int64_t)(value * 1e9)};
	bool begun = false;

	assert(judge_time(judge, set, sample.end, &begun) == 0);
	assert(judge_value(judge, set, &sample, false, &begun) == 0);
}

static double length(void)
{
	return 1e-5 * (1 + uniform()) + (uniform() < 0.002 ? 0.005 * pow(uniform(), -0.8) : 0);
}

int main(void)
{
	struct policy how = POLICY_OPEN;
	struct series_set set = {.policy = &how, .shortest = NSEC_PER_SEC / 1000, .due = INT64_MIN};
	struct judge judge = {.policy = &how, .tell = signals_only(see_signal)};
	int locks = 0;

	how.method = method_find("pot");
	assert(policy_alarms(&how, "1/h") == 0 && policy_check(&how) == 0);
	set.disturbances = disturbances_new(&how, set.shortest);
	seed_draws(20);
	for (int64_t i = 0; i < (int64_t)SECONDS * EACH; i++) {
		int64_t now = NSEC_PER_SEC + i * (NSEC_PER_SEC / EACH);
		bool locked = i % (LOCK_EVERY * EACH) == 0 && i > BEGIN * EACH;

		call(&judge, &set, (int)(uniform() * OTHERS), now, length());
		if (i % 10 == 0)
			call(&judge, &set, OTHERS, now, locked ? LOCKED : 1e-6 * (1 + uniform()));
		locks += locked;
	}
	assert(told >= locks * 9 / 10);
	assert(others <= 6 /* two are asked for, and there are some while the limits are learnt */);
	series_set_free(&set);
	return 0;
}
