#include "chart/judgement.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"

enum { SUBGROUP_MOST = 25 };

/* More than this is no tail. */
#define PROBABILITY_MOST 0.01
#define PROBABILITY_UNKNOWN 1e-6 /* where all values so far came at once */

/* The value of a word; -1 after fail(). */
static int choose(const char *word, const char *const names[], const int values[])
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(word, names[i]))
			return values[i];
	return fail("unknown '%s'; there are %s, %s%s%s", word, names[0], names[1], names[2] ? ", " : "", names[2] ? names[2] : "");
}

int judgement_scale(struct judgement *how, const char *word)
{
	static const char *const names[] = {"log", "linear", NULL};
	static const int values[] = {SCALE_LOG, SCALE_LINEAR};
	int scale = choose(word, names, values);

	how->scale = scale;
	return scale < 0 ? -1 : 0;
}

int judgement_sides(struct judgement *how, const char *word)
{
	static const char *const names[] = {"upper", "lower", "both", NULL};
	static const int values[] = {SIDES_UPPER, SIDES_LOWER, SIDES_BOTH};
	int sides = choose(word, names, values);

	how->sides = sides;
	return sides < 0 ? -1 : 0;
}

int judgement_rules(struct judgement *how, const char *list)
{
	how->rules = rules_parse(list);
	return how->rules ? 0 : -1;
}

static void take_defaults(struct judgement *how)
{
	const struct method *method = how->method;

	if ((int)how->scale < 0)
		how->scale = method->scale;
	if ((int)how->sides < 0)
		how->sides = method->sides;
	if (how->min_ratio == -INFINITY)
		how->min_ratio = how->scale == SCALE_LOG || method->one_scale ? method->min_ratio : 0;
	if (how->relearn < 0)
		how->relearn = method_is_pot(method) ? 10 * NSEC_PER_SEC : 0;
	if (!how->baseline)
		how->baseline = method->baseline;
	if (method->plots != PLOTS_MEANS)
		how->subgroup = 1;
}

int judgement_check(struct judgement *how)
{
	const struct method *method = how->method;

	if (method->plots == PLOTS_MEANS && (how->subgroup < 2 || how->subgroup > SUBGROUP_MOST))
		return fail("a subgroup has 2 to %d values", SUBGROUP_MOST);
	take_defaults(how);
	if (how->baseline < method->least)
		return fail("method %s needs a baseline of at least %zu values", method->name, method->least);
	if (method->one_scale && how->scale != method->scale)
		return fail("method %s has no such scale", method->name);
	if (method_is_pot(method) && how->sides != SIDES_UPPER)
		return fail("method pot watches the upper side only");
	if (how->min_ratio < 0)
		return fail("--min-ratio must not be negative");
	if (!(how->sigma > 0))
		return fail("limits must be some sigma from the centre");
	if (!(how->weight > 0 && how->weight <= 1))
		return fail("the weight of the newest value is above 0 and at most 1");
	return 0;
}

int judgement_alarms(struct judgement *how, const char *text)
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

int judgement_check_rate(const struct judgement *how, double value, double size)
{
	if (value < 0 || (how->method->is_share && value > size))
		return fail("value=%g is not so many of n=%g", value, size);
	return 0;
}

double judgement_probability(const struct judgement *how, double rate)
{
	double probability = how->probability;

	if (probability == 0)
		probability = rate > 0 ? how->alarms / rate : PROBABILITY_UNKNOWN;
	return fmin(fmax(probability, 1e-15), PROBABILITY_MOST);
}
