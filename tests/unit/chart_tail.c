/* The alarms that come against those asked for, on stationary streams of two million values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../bench/draws.h"
#include "chart/tail.h"

enum { VALUES = 2000000 };

static int count_alarms(double (*draw)(void), double p, uint64_t seed)
{
	struct tail *tail = tail_new();
	double limit = INFINITY;
	int alarms = 0;

	state[0] = seed;
	state[1] = 0x9e3779b97f4a7c15u;
	for (int i = 0; i < VALUES; i++) {
		double value = draw();

		if (value > limit) {
			alarms++;
			tail_learn_beyond(tail, limit, value);
		} else {
			tail_learn(tail, value);
		}
		if (tail_is_ready(tail))
			limit = tail_fit_limit(tail_fit(tail), p);
	}
	tail_free(tail);
	return alarms;
}

int main(void)
{
	static const struct {
		const char *name;
		double (*draw)(void);
	} streams[] = {{"log-normal", log_normal}, {"gamma", gamma_of_2}, {"pareto", pareto}, {"two paths", two_paths}};
	int bad = 0;

	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
		for (double p = 1e-4; p > 5e-6; p /= 10) {
			int asked = (int)(p * VALUES + 0.5), came = count_alarms(streams[i].draw, p, 7 + i);
			bool good = 2 * came >= asked && came <= 2 * asked;

			printf("%s - %s: %d alarms, %d asked for\n", good ? "ok" : "not ok", streams[i].name, came, asked);
			bad += !good;
		}
	return bad != 0;
}
