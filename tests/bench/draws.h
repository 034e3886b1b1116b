/*
 * draws: random values of the four stationary streams on which false alarms are counted. Each includer has a generator of
 * its own: seed_draws() begins it, or state[] is set, not all zero.
 */
#ifndef TESTS_BENCH_DRAWS_H
#define TESTS_BENCH_DRAWS_H

#include <math.h>
#include <stdint.h>

static uint64_t state[2];

static inline void seed_draws(uint64_t seed)
{
	state[0] = seed * 0x9e3779b97f4a7c15u + 1;
	state[1] = 0x2545f4914f6cdd1du;
}

static uint64_t next_random(void) /* xorshift128+ */
{
	uint64_t a = state[0], b = state[1];

	state[0] = b;
	a ^= a << 23;
	state[1] = a ^ b ^ (a >> 17) ^ (b >> 26);
	return state[1] + b;
}

static double uniform(void)
{
	return ((double)(next_random() >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
	double radius = sqrt(-2 * log(uniform()));

	return radius * cos(2 * M_PI * uniform());
}

static inline double log_normal(void)
{
	return exp(normal());
}

static inline double gamma_of_2(void)
{
	return -log(uniform()) - log(uniform());
}

static inline double pareto(void)
{
	return pow(uniform(), -1 / 2.5);
}

static inline double two_paths(void)
{
	return uniform() < 0.01 ? 50 * exp(0.5 * normal()) : exp(0.3 * normal());
}

#endif
