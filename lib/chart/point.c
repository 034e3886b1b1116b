#include "chart/point.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "chart/policy.h"
#include "chart/limits.h"
#include "chart/method.h"
#include "chart/sample.h"
#include "chart/statistics.h"

/* The least value whose logarithm is taken: no latency is shorter, and zero has none. */
static const double value_least = 1e-9;

double scale_to(enum scale scale, double value)
{
	return scale == SCALE_LOG ? log(fmax(value, value_least)) : value;
}

double scale_from(enum scale scale, double value)
{
	return scale == SCALE_LOG ? exp(value) : value;
}

double points_middle(const struct points *points, const double *from)
{
	double *values = memory_new(points->count, sizeof(*values)), median;

	for (size_t i = 0; i < points->count; i++)
		values[i] = from ? fabs(points->items[i].value - *from) : points->items[i].value;
	median = median_sort(values, points->count);
	free(values);
	return median;
}

void plot_free(struct plot *plot)
{
	free(plot->group.values);
}

static bool point_of_value(struct plot *plot, const struct policy *how, const struct sample *sample, bool learns, struct point *point)
{
	(void)plot;
	*point = (struct point){.value = learns ? scale_to(how->scale, sample->value) : sample->value, .size = sample->size};
	return true;
}

static double place_on_scale(struct plot *plot, const struct policy *how, const struct point *point)
{
	(void)plot;
	return scale_from(how->scale, point->value);
}

static double limit_of_point(const struct policy *how, const struct limits *limits)
{
	(void)how;
	return limits->ucl;
}

/* The values themselves. Only values to be learnt are put on the scale, because that takes a logarithm. */
const struct plotting plot_values = {
	.single = true,
	.point = point_of_value,
	.place = place_on_scale,
	.single_limit = limit_of_point,
};

static bool point_of_group(struct plot *plot, const struct policy *how, const struct sample *sample, bool learns, struct point *point)
{
	struct plot_group *group = &plot->group;
	double sum = 0;

	(void)learns;
	if (!group->values)
		group->values = memory_new(how->subgroup, sizeof(*group->values));
	if (group->count == 0 || sample->start < group->start)
		group->start = sample->start;
	group->values[group->count++] = scale_to(how->scale, sample->value);
	if (group->count < how->subgroup)
		return false;
	for (size_t i = 0; i < group->count; i++)
		sum += group->values[i];
	*point = (struct point){.value = sum / (double)group->count, .size = sample->size};
	how->method->spread(group->values, group->count, point);
	group->count = 0;
	return true;
}

/* A mean is the value of no thread. */
static void describe_weighted(const struct plot *plot, struct sample *sample)
{
	(void)plot;
	sample->plain = sample->mean = true;
	sample->passed = 0;
	sample->tid = -1;
	sample->key_count = 0;
	sample->show[0] = '\0';
	sample->whole = NULL;
}

static void describe_group(const struct plot *plot, struct sample *sample)
{
	describe_weighted(plot, sample);
	sample->start = plot->group.start;
}

static double limit_beyond(const struct policy *how, const struct limits *limits, double sigma)
{
	return scale_from(how->scale, scale_to(how->scale, limits->center) + how->sigma * sigma);
}

static double limit_beside_mean(const struct policy *how, const struct limits *limits)
{
	return limit_beyond(how, limits, limits->sigma * sqrt((double)how->subgroup));
}

const struct plotting plot_means = {
	.groups = true,
	.point = point_of_group,
	.place = place_on_scale,
	.describe = describe_group,
	.single_limit = limit_beside_mean,
};

static bool point_to_weigh(struct plot *plot, const struct policy *how, const struct sample *sample, bool learns, struct point *point)
{
	(void)plot, (void)learns;
	*point = (struct point){.value = scale_to(how->scale, sample->value), .size = sample->size};
	return true;
}

static double place_weighted(struct plot *plot, const struct policy *how, const struct point *point)
{
	plot->weighted += how->weight * (point->value - plot->weighted);
	return scale_from(how->scale, plot->weighted);
}

static double limit_beside_weighted(const struct policy *how, const struct limits *limits)
{
	return limit_beyond(how, limits, limits->sigma * sqrt((2 - how->weight) / how->weight));
}

const struct plotting plot_weighted = {
	.point = point_to_weigh,
	.place = place_weighted,
	.describe = describe_weighted,
	.single_limit = limit_beside_weighted,
};

static bool point_of_rate(struct plot *plot, const struct policy *how, const struct sample *sample, bool learns, struct point *point)
{
	(void)plot, (void)how, (void)learns;
	*point = (struct point){.value = sample->value / sample->size, .size = sample->size};
	return true;
}

static void describe_rate(const struct plot *plot, struct sample *sample)
{
	(void)plot;
	sample->plain = true;
	sample->passed = 0;
}

static double no_limit(const struct policy *how, const struct limits *limits)
{
	(void)how, (void)limits;
	return INFINITY;
}

const struct plotting plot_rates = {
	.rates = true,
	.point = point_of_rate,
	.place = place_on_scale,
	.describe = describe_rate,
	.single_limit = no_limit,
};
