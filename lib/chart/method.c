#include "chart/method.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "chart/median.h"

/*
 * d2(n): the mean range of n values of a normal distribution, in standard deviations. Here for the moving range of
 * two and for the groups of five.
 */
static const double d2_of_2 = 1.1283791670955126, d2_of_5 = 2.3259289472810457;

enum { GROUP = 5 };

/* Where a logarithm is taken: no latency is shorter, and a value of zero has none. */
static const double value_least = 1e-9;

/*
 * X-bar/R: limits of the means of groups of five, A2 = 3 / (d2 sqrt 5), by which the paper judges single values
 * (control charts, section 4.3.4). Values that fill no group are left out.
 */
static void limits_paper(const double *values, size_t count, struct limits *limits)
{
	size_t groups = count / GROUP;
	double means = 0, ranges = 0;

	for (size_t group = 0; group < groups; group++) {
		const double *value = values + group * GROUP;
		double least = value[0], most = value[0];

		for (int i = 0; i < GROUP; i++) {
			means += value[i] / GROUP;
			least = fmin(least, value[i]);
			most = fmax(most, value[i]);
		}
		ranges += most - least;
	}
	limits->center = means / (double)groups;
	limits->ucl = limits->center + 3 / (d2_of_5 * sqrt(GROUP)) * ranges / (double)groups;
	limits->lcl = 2 * limits->center - limits->ucl;
}

/*
 * Individuals and moving range, on a logarithmic scale because latencies are skewed: the centre is the median, sigma
 * the mean moving range of two over d2(2). An incident in the baseline hardly moves either: of a run of slow values
 * only the first and the last step are in the moving range.
 */
static void limits_imr(const double *values, size_t count, struct limits *limits)
{
	double *logs = memory_new(count, sizeof(*logs)), ranges = 0, middle, sigma;

	for (size_t i = 0; i < count; i++) {
		logs[i] = log(fmax(values[i], value_least));
		if (i > 0)
			ranges += fabs(logs[i] - logs[i - 1]);
	}
	middle = median_sort(logs, count);
	sigma = ranges / (double)(count - 1) / d2_of_2;
	free(logs);
	limits->center = exp(middle);
	limits->ucl = exp(middle + 3 * sigma);
	limits->lcl = exp(middle - 3 * sigma);
}

static const struct method methods[] = {
	{"imr", "individuals and moving range on a log scale, centre by median", 2, limits_imr},
	{"paper", "X-bar/R limits from groups of 5, single values judged", GROUP, limits_paper},
};

enum { METHODS = sizeof(methods) / sizeof(*methods) };

const struct method *method_find(const char *name)
{
	char names[256] = "";

	for (int i = 0; i < METHODS; i++) {
		if (!strcmp(methods[i].name, name))
			return &methods[i];
		strcat(strcat(names, i ? ", " : ""), methods[i].name);
	}
	fail("unknown method '%s'; there are %s", name, names);
	return NULL;
}

int method_check_baseline(const struct method *method, uint64_t baseline)
{
	if (baseline < method->least)
		return fail("method %s needs a baseline of at least %zu values", method->name, method->least);
	return 0;
}

int method_limits(const struct method *method, const double *values, size_t count, struct limits *limits)
{
	if (count < method->least)
		return fail("method %s needs at least %zu values, there are %zu", method->name, method->least, count);
	method->limits(values, count, limits);
	limits->n = count;
	limits->method = method->name;
	return 0;
}
