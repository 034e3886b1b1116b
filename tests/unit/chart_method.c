/* Limits against numbers computed by hand. */
#undef NDEBUG
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "chart/method.h"

static void assert_near(double value, double expected)
{
	if (fabs(value - expected) <= 1e-9 * fabs(expected))
		return;
	fprintf(stderr, "%.12g is not %.12g\n", value, expected);
	assert(0);
}

/* Twenty groups 5k+1 ... 5k+5: means 5k+3, ranges 4. A2(5) = 0.5768193340851. */
static void paper(void)
{
	double values[103];
	struct limits limits;

	for (int i = 0; i < 103; i++)
		values[i] = i + 1;
	assert(method_limits(method_find("paper"), values, 100, &limits) == 0);
	assert_near(limits.center, 50.5);
	assert_near(limits.ucl, 50.5 + 0.5768193340851 * 4);
	assert_near(limits.lcl, 50.5 - 0.5768193340851 * 4);
	assert(limits.n == 100 && !strcmp(limits.method, "paper"));

	/* Three values more fill no group. */
	assert(method_limits(method_find("paper"), values, 103, &limits) == 0);
	assert_near(limits.center, 50.5);
}

/* Logs 0 1 0 1 0: median 0, moving ranges all 1, sigma 1 / 1.1283791670955. */
static void imr(void)
{
	const double values[] = {1, exp(1), 1, exp(1), 1};
	struct limits limits;

	assert(method_limits(method_find("imr"), values, 5, &limits) == 0);
	assert_near(limits.center, 1);
	assert_near(limits.ucl, exp(3 / 1.1283791670955126));
	assert_near(limits.lcl, exp(-3 / 1.1283791670955126));

	/* An even number of values: the median is between the two in the middle. */
	assert(method_limits(method_find("imr"), values, 4, &limits) == 0);
	assert_near(limits.center, exp(0.5));
}

/* No logarithm of nothing: such values count as a nanosecond. */
static void imr_of_zero(void)
{
	const double values[] = {0, -5, 0, 0};
	struct limits limits;

	assert(method_limits(method_find("imr"), values, 4, &limits) == 0);
	assert_near(limits.center, 1e-9);
	assert_near(limits.ucl, 1e-9);
}

static void too_few(void)
{
	const double values[] = {1, 2, 3, 4};
	struct limits limits;

	assert(method_limits(method_find("paper"), values, 4, &limits) < 0);
	assert(method_check_baseline(method_find("paper"), 4) < 0);
	assert(method_check_baseline(method_find("imr"), 2) == 0);
	assert(!method_find("guess"));
	assert(strstr(fail_text(), "imr") && strstr(fail_text(), "paper"));
}

int main(void)
{
	paper();
	imr();
	imr_of_zero();
	too_few();
	return 0;
}
