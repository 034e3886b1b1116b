/* Limits against numbers computed by hand. */
#undef NDEBUG
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "chart/policy.h"
#include "chart/statistics.h"

static void assert_near(double value, double expected)
{
	if (fabs(value - expected) <= 1e-9 * fabs(expected))
		return;
	fprintf(stderr, "%.12g is not %.12g\n", value, expected);
	assert(0);
}

static struct policy ask(const char *method)
{
	struct policy how = POLICY_OPEN;

	how.method = method_find(method);
	return how;
}

/* The limits that a method makes by default of these values. */
static struct limits limits_of(const char *method, const double *values, size_t count)
{
	struct policy how = ask(method);
	struct points points = {0};
	struct limits limits;

	assert(policy_check(&how) == 0);
	for (size_t i = 0; i < count; i++)
		*ARRAY_ADD(&points) = (struct point){.value = scale_to(how.scale, values[i])};
	assert(method_limits(&how, &points, &limits) == 0);
	free(points.items);
	return limits;
}

/* As printed in handbooks, and with more digits. */
static void constants(void)
{
	assert_near(normal_d2(2), 2 / sqrt(M_PI));
	assert_near(normal_d2(3), 3 / sqrt(M_PI));
	assert_near(normal_d2(5), 2.3259289472810457);
	assert(fabs(normal_d2(10) - 3.07750546) < 1e-8 && fabs(normal_d2(25) - 3.93063) < 1e-5);
	assert_near(normal_c4(2), sqrt(2 / M_PI));
	assert_near(normal_c4(5), 0.9399856029866252);
	assert(fabs(normal_c4(25) - 0.9896403755857028) < 1e-12);
	assert(fabs(normal_beyond(0.0013498980316300946) - 3) < 1e-9 && fabs(normal_beyond(0.5)) < 1e-9);
	assert(fabs(student_beyond(0.05, 10) - 1.8124611) < 1e-3 && fabs(student_beyond(0.001, 30) - 3.3851849) < 1e-3);
	assert(fabs(student_beyond(1e-4, 11) - 5.4528) < 0.03);
}

/* Twenty groups 5k+1 ... 5k+5: means 5k+3, ranges 4. A2(5) = 0.5768193340851. */
static void paper(void)
{
	double values[103];
	struct limits limits;

	for (int i = 0; i < 103; i++)
		values[i] = i + 1;
	limits = limits_of("paper", values, 100);
	assert_near(limits.center, 50.5);
	assert_near(limits.ucl, 50.5 + 0.5768193340851 * 4);
	assert_near(limits.lcl, 50.5 - 0.5768193340851 * 4);
	assert(limits.n == 100 && !strcmp(limits.method, "paper"));

	/* Three values more fill no group. */
	assert_near(limits_of("paper", values, 103).center, 50.5);
}

/* Logs 0 1 0 1 0: median 0, moving ranges all 1, sigma 1 / 1.1283791670955. */
static void imr(void)
{
	const double values[] = {1, exp(1), 1, exp(1), 1};
	struct limits limits = limits_of("imr", values, 5);

	assert_near(limits.center, 1);
	assert_near(limits.ucl, exp(3 / 1.1283791670955126));
	assert_near(limits.lcl, exp(-3 / 1.1283791670955126));

	/* An even number of values: the median is between the two in the middle. */
	assert_near(limits_of("imr", values, 4).center, exp(0.5));
}

/* No logarithm of nothing: such values count as a nanosecond. */
static void imr_of_zero(void)
{
	const double values[] = {0, -5, 0, 0};
	struct limits limits = limits_of("imr", values, 4);

	assert_near(limits.center, 1e-9);
	assert_near(limits.ucl, 1e-9);
}

static void wrong_wishes(void)
{
	struct policy how = ask("paper");

	how.baseline = 4;
	assert(policy_check(&how) < 0);
	how = ask("imr");
	how.baseline = 2;
	assert(policy_check(&how) == 0);
	how = ask("p");
	assert(policy_scale(&how, "log") == 0 && policy_check(&how) < 0);
	how = ask("xbar-r");
	how.subgroup = 1;
	assert(policy_check(&how) < 0);
	assert(policy_sides(&how, "left") < 0 && policy_rules(&how, "1,9") < 0 && policy_rules(&how, "") < 0);
	assert(!method_find("guess"));
	assert(strstr(fail_text(), "imr") && strstr(fail_text(), "paper"));
}

static void false_alarms(void)
{
	struct policy how = ask("pot");

	assert(policy_alarms(&how, "6/m") == 0);
	assert_near(policy_probability(&how, 1000), 1e-4);
	assert(policy_alarms(&how, "2.4/d") == 0);
	assert_near(policy_probability(&how, 1), 2.4 / 86400);
	assert(policy_alarms(&how, "1e-5") == 0);
	assert_near(policy_probability(&how, 0), 1e-5);
	for (const char *const *text = (const char *const[]){"", "1/w", "1/", "/h", "0/h", "2", "-1/h", "1/hh", NULL}; *text; text++)
		assert(policy_alarms(&how, *text) < 0);
}

/* Of any number of values, many of them equal, in any order. */
static void medians(void)
{
	double values[255], sorted[255];
	uint64_t seed = 7;

	for (size_t round = 0; round < 20000; round++) {
		size_t count = 1 + round % 255, range = 1 + round % 97;

		for (size_t i = 0; i < count; i++) {
			seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
			values[i] = sorted[i] = (double)((seed >> 33) % range);
		}
		assert(median_of_few(values, count) == median_sort(sorted, count));
	}
}

int main(void)
{
	medians();
	constants();
	paper();
	imr();
	imr_of_zero();
	wrong_wishes();
	false_alarms();
	return 0;
}
