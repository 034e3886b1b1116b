/* The running median against the exact one: of one mode, of two, of values that drift. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../bench/draws.h"
#include "chart/histogram.h"

enum { VALUES = 20000, EACH = 97 };

static double one_mode(int i)
{
	(void)i;
	return 1e-3 * log_normal() + 1e-4 * gamma_of_2();
}

static double slow_path(int i)
{
	(void)i;
	return two_paths() * pareto();
}

static double two_modes(int i)
{
	(void)i;
	return uniform() < 0.6 ? 1e-6 * exp(0.1 * normal()) : 50e-3 * exp(0.1 * normal());
}

static double near_half(int i)
{
	(void)i;
	return uniform() < 0.505 ? 45e-9 : 20e-6 * exp(normal());
}

static double drifting(int i)
{
	return 1e-3 * exp(0.5 * normal() + 3.0 * i / VALUES);
}

static double integers(int i)
{
	return i % 7 + 1;
}

static double nothing(int i)
{
	(void)i;
	return -1;
}

static int by_value(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* How far it is off at worst: as a ratio, where it lies between no two values in the middle. */
static double error(double (*draw)(int))
{
	static double values[VALUES], sorted[VALUES];
	struct histogram histogram = {0};
	double worst = 0;

	for (int i = 0; i < VALUES; i++) {
		int n = i + 1;
		double median;

		histogram_add(&histogram, values[i] = draw(i));
		if (n % EACH && n > 20)
			continue;
		for (int j = 0; j < n; j++)
			sorted[j] = fmax(values[j], 1e-9);
		qsort(sorted, (size_t)n, sizeof(*sorted), by_value);
		median = histogram_median(&histogram);
		worst = fmax(worst, fmax(log(sorted[(n - 1) / 2] / median), log(median / sorted[n / 2])));
		if (fabs(histogram_above(&histogram, sorted[n * 9 / 10]) - (n - 1 - n * 9 / 10)) > 0.03 * n + 1 && draw != integers && draw != nothing)
			worst = INFINITY;
	}
	histogram_forget(&histogram);
	return worst;
}

/* What is old counts less, and what is halved again and again stays in order. */
static double after_long(void)
{
	struct histogram histogram = {0};
	double found;

	for (int i = 0; i < 8000000; i++)
		histogram_add(&histogram, i < 7000000 ? two_modes(i) : 3e-3);
	found = histogram_median(&histogram);
	histogram_forget(&histogram);
	return fabs(log(found / 3e-3));
}

int main(void)
{
	static const struct {
		const char *name;
		double (*draw)(int);
	} streams[] = {{"one mode", one_mode}, {"slow path", slow_path}, {"two modes", two_modes}, {"nearly half", near_half}, {"drifting", drifting},
		       {"integers", integers}, {"nothing", nothing}};
	int bad = 0;
	double off;

	state[0] = 7;
	state[1] = 0x9e3779b97f4a7c15u;
	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
		off = error(streams[i].draw);
		printf("%s - %s: %.2g off\n", off <= 0.022 ? "ok" : "not ok", streams[i].name, off);
		bad += !(off <= 0.022);
	}
	off = after_long();
	printf("%s - after long: %.2g off\n", off <= 1e-9 ? "ok" : "not ok", off);
	bad += !(off <= 1e-9);
	return bad != 0;
}
