#include "chart/method.h"

#include <math.h>

#include "base/fail.h"
#include "chart/policy.h"

static void set_limits(const struct policy *how, struct limits *limits)
{
	double reach = how->sigma * limits->sigma;

	limits->lcl = scale_from(how->scale, limits->center - reach);
	limits->ucl = scale_from(how->scale, limits->center + reach);
	limits->center = scale_from(how->scale, limits->center);
	if (how->method->plots->rates)
		limits->lcl = fmax(limits->lcl, 0);
	if (how->method->is_share)
		limits->ucl = fmin(limits->ucl, 1);
}

int method_limits(const struct policy *how, const struct points *points, struct limits *limits)
{
	if (points->count < how->method->least)
		return fail("method %s needs at least %zu values, there are %zu", how->method->name, how->method->least,
			    points->count);
	*limits = (struct limits){.n = points->count, .method = how->method->name};
	if (!how->method->one_scale)
		limits->axis = how->scale == SCALE_LOG ? "log" : "linear";
	if (how->method->plots->groups)
		limits->subgroup = how->subgroup;
	how->method->baseline_limits(how, points, limits);
	set_limits(how, limits);
	return 0;
}

double method_sigma(const struct policy *how, const struct limits *limits)
{
	double center = scale_to(how->scale, limits->center), below = center - scale_to(how->scale, limits->lcl);

	return (below > 0 ? below : scale_to(how->scale, limits->ucl) - center) / how->sigma;
}

void method_lines(const struct policy *how, const struct limits *limits, double size, struct chart_lines *lines)
{
	struct limits here = *limits;
	double center = scale_to(how->scale, limits->center);

	if (how->method->sigma) {
		here.sigma = how->method->sigma(limits->center, size) * fmax(limits->dispersion, 1);
		set_limits(how, &here);
	}
	*lines = (struct chart_lines){.center = here.center, .lcl = here.lcl, .ucl = here.ucl};
	for (int i = 0; i < 2; i++) {
		lines->upper[i] = scale_from(how->scale, center + (i + 1) * here.sigma);
		lines->lower[i] = scale_from(how->scale, center - (i + 1) * here.sigma);
	}
}
