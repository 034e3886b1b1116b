#include "chart/policy.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "chart/chart.h"
#include "chart/statistics.h"

enum {
	SUBGROUP_MOST = 25,
	INTERVAL_LEAST = 1000000, /* ns */
	KEYS_USUAL = 32, /* assumed keys of a split chart of rates, to share out the false alarms */
};

static const int64_t relearn_after = 10 * NSEC_PER_SEC; /* of charts that count, if the user does not choose */

/* A larger share of values is no tail. */
#define PROBABILITY_MOST 0.01
#define PROBABILITY_UNKNOWN 1e-6 /* as long as all values so far came at once, so that their rate is not known */

/* The value of a word; -1 after fail(). */
static int choose(const char *word, const char *const names[], const int values[])
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(word, names[i]))
			return values[i];
	return fail("unknown '%s'; there are %s, %s%s%s", word, names[0], names[1], names[2] ? ", " : "", names[2] ? names[2] : "");
}

int policy_scale(struct policy *how, const char *word)
{
	static const char *const names[] = {"log", "linear", NULL};
	static const int values[] = {SCALE_LOG, SCALE_LINEAR};
	int scale = choose(word, names, values);

	how->scale = scale;
	return scale < 0 ? -1 : 0;
}

int policy_sides(struct policy *how, const char *word)
{
	static const char *const names[] = {"upper", "lower", "both", NULL};
	static const int values[] = {SIDES_UPPER, SIDES_LOWER, SIDES_BOTH};
	int sides = choose(word, names, values);

	how->sides = sides;
	return sides < 0 ? -1 : 0;
}

int policy_rules(struct policy *how, const char *list)
{
	how->rules = rules_parse(list);
	return how->rules ? 0 : -1;
}

int policy_relearn(struct policy *how, const char *text)
{
	size_t length = strlen(text);

	if (length > 0 && text[length - 1] == 'v') {
		how->relearn = 0;
		if (number_count(text, length - 1, &how->relearn_values) < 0 || how->relearn_values == 0)
			return fail("'%s' is not a number of values, such as 200v", text);
		return 0;
	}
	return number_duration(text, length, &how->relearn);
}

static void take_defaults(struct policy *how)
{
	const struct method *method = how->method;

	how->open = (struct policy_open){(int)how->scale < 0, (int)how->sides < 0, how->min_ratio == -INFINITY,
					    how->relearn < 0, how->baseline == BASELINE_OPEN, how->sigma == -INFINITY};
	if (how->open.sigma)
		how->sigma = 3;
	if (how->open.scale)
		how->scale = method->scale;
	if (how->open.sides)
		how->sides = method->sides;
	if (how->open.min_ratio)
		how->min_ratio = how->scale == SCALE_LOG || method->one_scale ? method->min_ratio : 0;
	if (how->open.relearn)
		how->relearn = method->relearn;
	if (how->open.baseline)
		how->baseline = method->baseline;
	if (!method->plots->groups)
		how->subgroup = 1;
}

int policy_check(struct policy *how)
{
	const struct method *method = how->method;

	if (method->plots->groups && (how->subgroup < 2 || how->subgroup > SUBGROUP_MOST))
		return fail("a subgroup has 2 to %d values", SUBGROUP_MOST);
	take_defaults(how);
	if (how->baseline == 0)
		return fail("a baseline has one value or more");
	if (how->baseline < method->least)
		return fail("method %s needs a baseline of at least %zu values", method->name, method->least);
	if (method->one_scale && how->scale != method->scale)
		return fail("method %s has no such scale", method->name);
	if (how->min_ratio < 0)
		return fail("--min-ratio must not be negative");
	if (how->interval >= 0 && how->interval < INTERVAL_LEAST)
		return fail("--interval must be a millisecond or more");
	if (!(how->sigma > 0))
		return fail("limits must be some sigma from the centre");
	if (!(how->weight > 0 && how->weight <= 1))
		return fail("the weight of the newest value is above 0 and at most 1");
	return 0;
}

struct policy policy_of_rates(const struct policy *how, const struct chart *chart)
{
	struct policy rates = *how;
	double points;

	rates.method = chart->method;
	rates.scale = SCALE_LINEAR;
	rates.subgroup = 1;
	rates.least = chart->least;
	rates.interval = how->interval >= 0 ? how->interval : chart->interval;
	if (how->open.sides)
		rates.sides = SIDES_UPPER;
	if (how->open.min_ratio)
		rates.min_ratio = 2;
	if (how->open.relearn)
		rates.relearn = relearn_after;
	if (how->open.baseline)
		rates.baseline = chart->method->baseline;
	points = 1e9 / (double)rates.interval * (chart_has_keys(chart) ? KEYS_USUAL : 1);
	if (how->open.sigma)
		rates.sigma = fmax(3, normal_beyond(policy_probability(how, points)));
	return rates;
}

int policy_alarms(struct policy *how, const char *text)
{
	static const char units[] = "smhd";
	static const double seconds[] = {1, 60, 3600, 86400};
	const char *slash = strchr(text, '/'), *unit = slash && slash[1] && !slash[2] ? strchr(units, slash[1]) : NULL;
	double number = 0;

	if (number_double(text, slash ? (size_t)(slash - text) : strlen(text), &number) < 0 || !(number > 0) ||
	    (slash ? !unit : number >= 1))
		return fail("'%s' is not a rate of false alarms, such as 6/m, 1/h or 2/d, nor a probability", text);
	how->alarms = unit ? number / seconds[unit - units] : 0;
	how->probability = unit ? 0 : number;
	return 0;
}

int policy_check_rate(const struct policy *how, double value, double size)
{
	if (value < 0 || (how->method->is_share && value > size))
		return fail("value=%g is not a part of n=%g", value, size);
	return 0;
}

double policy_probability(const struct policy *how, double rate)
{
	double probability = how->probability;

	if (probability == 0)
		probability = rate > 0 ? how->alarms / rate : PROBABILITY_UNKNOWN;
	return fmin(fmax(probability, 1e-15), PROBABILITY_MOST);
}

int policy_fix(struct policy *how, const char *text)
{
	const char *equals = strrchr(text, '='), *number = equals ? equals + 1 : text;
	struct policy_fixed *fixed = &how->fixed[how->fixed_count];

	if (how->fixed_count == FIXED_MOST)
		return fail("more than %d limits", FIXED_MOST);
	*fixed = (struct policy_fixed){.chart = equals ? text : NULL, .length = equals ? (size_t)(equals - text) : 0};
	if (number_duration(number, strlen(number), &fixed->limit) < 0 || fixed->limit == 0 || equals == text)
		return fail("'%s' is not a limit, such as 200ms or block=200ms", text);
	how->fixed_count++;
	return 0;
}

/* The user's limits stand behind the chart's in the list, so one that names this chart wins. */
struct policy policy_of_each(const struct policy *how, const char *chart)
{
	struct policy each = *how;

	each.only_fixed = true;
	memmove(each.fixed + 1, how->fixed, (size_t)how->fixed_count * sizeof(*how->fixed));
	each.fixed[0] = (struct policy_fixed){.chart = chart, .length = strlen(chart)};
	each.fixed_count++;
	return each;
}

bool policy_is_of(const struct policy_fixed *fixed, const char *chart)
{
	return fixed->chart && fixed->length == strlen(chart) && !strncmp(fixed->chart, chart, fixed->length);
}

int64_t policy_fixed(const struct policy *how, const char *chart, bool is_time)
{
	int64_t limit = INT64_MAX;

	for (int i = how->fixed_count - 1; i >= 0; i--) {
		const struct policy_fixed *fixed = &how->fixed[i];

		if (policy_is_of(fixed, chart))
			return fixed->limit;
		if (!fixed->chart && is_time && limit == INT64_MAX)
			limit = fixed->limit;
	}
	return limit;
}
