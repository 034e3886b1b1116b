/*
 * How often each method cries wolf, and how soon it finds what it should: the table of tailblame-methods(7). Streams of
 * independent values, a millisecond apart. Last column: of 20 incidents after few values, how many of the slow values were found.
 *
 *	charts [VALUES [SEEDS]]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart/judge.h"
#include "chart/statistics.h"
#include "draws.h"

enum { HEALTHY = 20000, STEP_NS = 1000000, SHIFT = 200, SPIKE = 5, CLIMB = 20000 };
enum { FEW = 1000, INCIDENT = 300, EVERY = 100, NEAR = 5, TRIES = 20 };
enum { SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, TURN = 20 * SECOND };

static const struct {
	const char *name;
	double (*draw)(void);
	double p999; /* passed by one value in a thousand */
} streams[] = {{"log-normal", log_normal, 21.98}, {"gamma", gamma_of_2, 9.233}, {"Pareto", pareto, 15.85}, {"two paths", two_paths, 94.9}};

enum { STREAMS = sizeof(streams) / sizeof(*streams) };

struct heard {
	int signals, shifts;
	int64_t first; /* index of the first signal; -1: none */
	int64_t at;
};

static int count_limits(void *context, const struct series *series, int64_t ts)
{
	(void)context, (void)series, (void)ts;
	return 0;
}

static int skip_healthy(void *context, const struct series *series, int64_t from, double median)
{
	(void)context, (void)series, (void)from, (void)median;
	return 0;
}

static int count_signal(void *context, const struct sample *sample)
{
	struct heard *tally = context;

	tally->signals++;
	tally->shifts += (sample->rules & RULE(RULE_SHIFT)) != 0;
	if (tally->first < 0)
		tally->first = tally->at;
	return 0;
}

struct run {
	struct judge judge;
	struct policy how;
	struct series_set set;
	struct heard tally;
	int64_t step; /* from one value to the next, ns */
};

static int sides = -1; /* enum sides; -1: the method's own */

static void begin(struct run *run, const char *method, const char *alarms, uint64_t seed)
{
	const int64_t id[CHART_KEYS_MAX] = {0};

	*run = (struct run){.how = POLICY_OPEN, .tally.first = -1, .step = STEP_NS};
	run->how.method = method_find(method);
	run->how.rules |= RULE(RULE_SHIFT);
	run->how.sides = sides;
	if (!run->how.method || policy_alarms(&run->how, alarms) < 0 || policy_check(&run->how) < 0)
		exit(2);
	run->judge.policy = run->set.policy = &run->how;
	run->judge.tell = (struct measure_listener){.context = &run->tally, .limits = count_limits, .healthy = skip_healthy,
						    .signal = count_signal};
	series_set_add(&run->set, id, "x", NULL);
	seed_draws(seed);
	for (int i = 0; i < 20; i++)
		next_random();
}

static void feed(struct run *run, double value)
{
	struct sample sample = {.series = run->set.series, .value = value, .tid = -1, .by_hand = true};
	bool begun;

	sample.start = sample.end = ++run->tally.at * run->step;
	judge_value(&run->judge, &run->set, &sample, false, &begun);
}

/* Signals of a stationary stream. */
static double stationary(const char *method, const char *alarms, int stream, int values, int seeds)
{
	double signals = 0;

	for (int seed = 0; seed < seeds; seed++) {
		struct run run;

		begin(&run, method, alarms, (uint64_t)seed + 7);
		for (int i = 0; i < values; i++)
			feed(&run, streams[stream].draw());
		signals += run.tally.signals;
		series_set_free(&run.set);
	}
	return signals / seeds;
}

/* The mean and the most of some days with ten values a second, after an hour. */
static void print_days(const char *method, const char *alarms, int days)
{
	static const struct {
		const char *name;
		enum sides sides;
	} watched[] = {{"upper", SIDES_UPPER}, {"both", SIDES_BOTH}};

	for (size_t i = 0; i < sizeof(watched) / sizeof(watched[0]); i++) {
		sides = (int)watched[i].sides;
		printf("%-8s %-8s %-5s", method, alarms, watched[i].name);
		for (int stream = 0; stream < STREAMS; stream++) {
			int all = 0, most = 0;

			for (int day = 0; day < days; day++) {
				struct run run;
				int before;

				begin(&run, method, alarms, (uint64_t)day + 7);
				run.step = 100 * STEP_NS;
				for (int n = 0; n < 36000; n++)
					feed(&run, streams[stream].draw());
				before = run.tally.signals;
				for (int n = 0; n < 24 * 36000; n++)
					feed(&run, streams[stream].draw());
				all += run.tally.signals - before;
				most = run.tally.signals - before > most ? run.tally.signals - before : most;
				series_set_free(&run.set);
			}
			printf("   %s %.1f (%d)", streams[stream].name, (double)all / days, most);
		}
		printf("\n");
		fflush(stdout);
	}
	sides = -1;
}

static double shift(int i, double value, int stream)
{
	(void)i, (void)stream;
	return 2 * value;
}

static double spike(int i, double value, int stream)
{
	return i == 0 ? 10 * streams[stream].p999 : value;
}

static double climb(int i, double value, int stream)
{
	(void)stream;
	return value * (1 + 3.0 * i / CLIMB);
}

/* Values from a planted change until the first signal, the median over seeds; *found: how many seeds had one. */
static double delay(const char *method, const char *alarms, int stream, double (*change)(int, double, int), int length, int seeds,
		    int *found)
{
	double delays[64];

	*found = 0;
	for (int seed = 0; seed < seeds; seed++) {
		struct run run;

		begin(&run, method, alarms, (uint64_t)seed + 7);
		for (int i = 0; i < HEALTHY; i++)
			feed(&run, streams[stream].draw());
		run.tally.first = -1;
		for (int i = 0; i < length; i++)
			feed(&run, change(i, streams[stream].draw(), stream));
		if (run.tally.first >= 0)
			delays[(*found)++] = (double)(run.tally.first - HEALTHY);
		series_set_free(&run.set);
	}
	return *found ? median_sort(delays, (size_t)*found) : -1;
}

/* Of few values, then one in EVERY slower by twenty to fifty times: the share of these that had a signal, at once or with their subgroup. */
static double incident(const char *method, const char *alarms, int stream)
{
	int slow = 0, found = 0;

	for (int seed = 0; seed < TRIES; seed++) {
		struct run run;
		int before = 0;

		begin(&run, method, alarms, (uint64_t)seed + 7);
		for (int i = 0; i < FEW; i++)
			feed(&run, streams[stream].draw());
		for (int i = 0; i < INCIDENT; i++) {
			bool is_slow = i % EVERY == EVERY / 2;
			double value = streams[stream].draw() * (is_slow ? 20 + 30 * uniform() : 1);

			if (is_slow)
				before = run.tally.signals;
			feed(&run, value);
			slow += is_slow;
			found += i % EVERY == EVERY / 2 + NEAR && run.tally.signals > before;
		}
		series_set_free(&run.set);
	}
	return (double)found / slow;
}

/*
 * What independent values cannot show: incidents that come again, loads that alternate, values that hang together, an incident
 * that goes on. Each prints one row, of a thousand log-normal values a second with the median 1 and sigma 0.5, whose limit is some
 * twelve times the median.
 */
static double narrow(void)
{
	return exp(0.5 * normal());
}

static void stalls(const char *method, int apart)
{
	struct run run;
	int found = 0, count = 0;

	begin(&run, method, "1/h", 7);
	for (int i = 0; i < 15 * MINUTE; i++) {
		bool stall = i % (apart * SECOND) == apart * SECOND / 2;
		int before = run.tally.signals;

		feed(&run, stall ? 400 : narrow());
		count += stall;
		found += stall && run.tally.signals > before;
	}
	printf("%-8s a stall of 400 times the median every %2d s: %d of %d found, %d other alarms\n", method, apart, found, count,
	       run.tally.signals - found);
	series_set_free(&run.set);
}

static void alternating(const char *method, double factor)
{
	struct run run;
	int first = 0;

	begin(&run, method, "1/h", 7);
	run.how.rules = RULE(1);
	for (int i = 0; i < HOUR; i++) {
		bool slow = i / TURN % 2 == 1;

		feed(&run, narrow() * (slow ? factor : 1));
		if (i == 2 * TURN)
			first = run.tally.signals;
	}
	printf("%-8s %g times as slow every other 20 s, an hour: %d alarms in the first change, %d after it\n", method, factor, first,
	       run.tally.signals - first);
	series_set_free(&run.set);
}

/* Logarithms of which each is `memory` times the one before, and chance. */
static void dependent(const char *method, double memory)
{
	struct run run;
	double log_value = 0;

	begin(&run, method, "1e-5", 7);
	for (int i = 0; i < HOUR; i++) {
		log_value = memory * log_value + sqrt(1 - memory * memory) * normal();
		feed(&run, exp(0.5 * log_value));
	}
	printf("%-8s values that hang together (%g), an hour: %d alarms for 36 asked, %d of them changes of level\n", method, memory,
	       run.tally.signals, run.tally.shifts);
	series_set_free(&run.set);
}

/* A tenth of all values becomes thirty times as slow, and stays so. */
static void lasting(const char *method)
{
	struct run run;
	int soon = 0;

	begin(&run, method, "1/h", 7);
	for (int i = 0; i < 10 * MINUTE; i++) {
		feed(&run, narrow() * (i >= MINUTE && i % 10 == 0 ? 30 : 1));
		if (i == MINUTE)
			run.tally.signals = 0;
		if (i == MINUTE + 10 * SECOND)
			soon = run.tally.signals;
	}
	printf("%-8s every tenth value is 30 times as slow from then on: %d alarms in 10 s, %d in the nine minutes after\n", method, soon,
	       run.tally.signals - soon);
	series_set_free(&run.set);
}

/* From the second minute on one of `every` values is `slow` times as slow. */
static void joining(const char *method, int every, double slow)
{
	struct run run;
	int soon = 0;

	begin(&run, method, "1/h", 7);
	for (int i = 0; i < 10 * MINUTE; i++) {
		feed(&run, i >= MINUTE && i % every == 0 ? slow * narrow() : narrow());
		if (i == MINUTE)
			run.tally.signals = 0;
		if (i == 3 * MINUTE)
			soon = run.tally.signals;
	}
	printf("%-8s every %dth value is %g times as slow from then on: %d alarms in 2 min, %d in the seven after\n", method, every, slow, soon,
	       run.tally.signals - soon);
	series_set_free(&run.set);
}

/* Of values that are all equal, twenty in a row are ten times as slow: an incident, and no other level. */
static void bursts(const char *method)
{
	struct run run;

	begin(&run, method, "1/h", 7);
	for (int i = 0; i < 15 * MINUTE; i++)
		feed(&run, i % (10 * SECOND) >= 10 * SECOND - 20 ? 10 : 1);
	printf("%-8s 20 of equal values in a row are 10 times as slow, every 10 s, 90 times: %d told as changes of level\n", method, run.tally.shifts);
	series_set_free(&run.set);
}

static void print_long_runs(const char *method)
{
	stalls(method, 3);
	stalls(method, 10);
	stalls(method, 60);
	alternating(method, 2);
	alternating(method, 6);
	dependent(method, 0.9);
	dependent(method, 0.999);
	lasting(method);
	bursts(method);
	joining(method, 50, 15);
	joining(method, 300, 400);
	joining(method, 1000, 400);
	fflush(stdout);
}

static void print_row(const char *method, const char *alarms, int values, int seeds)
{
	for (int stream = 0; stream < STREAMS; stream++) {
		static const struct {
			double (*change)(int, double, int);
			int length;
		} changes[] = {{shift, SHIFT}, {spike, SPIKE}, {climb, CLIMB}};

		printf("%-8s %-8s %-10s %12.1f", method, alarms, streams[stream].name, stationary(method, alarms, stream, values, seeds));
		for (int i = 0; i < 3; i++) {
			int found;
			double late = delay(method, alarms, stream, changes[i].change, changes[i].length, TRIES, &found);

			printf("   %5.0f (%2d/20)", late, found);
		}
		printf("   %3.0f %%\n", 100 * incident(method, alarms, stream));
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	static const char *const others[] = {"imr", "paper", "xbar-r", "xbar-s", "ewma"};
	int values = argc > 1 ? atoi(argv[1]) : 2000000, seeds = argc > 2 ? atoi(argv[2]) : 20;

	printf("%-8s %-8s %-10s %12s   %s\n", "method", "asked", "stream", "alarms", "values until found: shift, spike, climb; incident");
	print_row("pot", "1e-4", values, seeds);
	print_row("pot", "1e-5", values, seeds);
	print_row("pot", "1e-6", values, seeds);
	print_long_runs("pot");
	printf("alarms a day of ten values a second, mean of %d days and the most of one\n", seeds);
	print_days("pot", "1/h", seeds);
	print_days("pot", "1/d", seeds);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		print_row(others[i], "1/h", values, 1);
	return 0;
}
