#include "model/value.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"

enum unit unit_read(const struct fields *fields, bool has_start)
{
	if (fields_is(fields, "unit", "share"))
		return UNIT_SHARE;
	if (fields_is(fields, "unit", "per_second"))
		return UNIT_RATE;
	return has_start && !fields_find(fields, "unit") ? UNIT_SECONDS : UNIT_NONE;
}

const char *unit_name(enum unit unit)
{
	static const char *const names[] = {
		[UNIT_NONE] = "", [UNIT_SECONDS] = "seconds", [UNIT_SHARE] = "share", [UNIT_RATE] = "per_second"};

	return names[unit];
}

const char *unit_change(enum unit unit, bool up)
{
	static const char *const words[][2] = {
		[UNIT_NONE] = {"lower", "higher"},
		[UNIT_SECONDS] = {"faster", "slower"},
		[UNIT_SHARE] = {"rarer", "more frequent"},
		[UNIT_RATE] = {"rarer", "more frequent"},
	};

	return words[unit][up];
}

char *value_count(uint64_t count, const char *noun)
{
	char number[NUMBER_ROOM];

	number_human_count(number, count);
	return memory_format("%s %s%s", number, noun, count == 1 ? "" : "s");
}

char *value_seconds(double seconds)
{
	char text[NUMBER_ROOM];
	double ns = seconds * NSEC_PER_SEC;

	if (!(fabs(ns) < 9e18))
		return memory_format("%g s", seconds);
	if (fabs(ns) < 0.5)
		return memory_format("0");
	number_human_duration(text, llround(fabs(ns)));
	return memory_format("%s%s", ns < 0 ? "-" : "", text);
}

char *value_words(enum unit unit, double value)
{
	char number[NUMBER_ROOM];

	switch (unit) {
	case UNIT_SECONDS:
		return value_seconds(value);
	case UNIT_SHARE:
		return memory_format("%.*g %%", value < 0.0995 ? 2 : 3, 100 * value);
	case UNIT_RATE:
		if (!(value >= 100 && value < 1e15))
			return memory_format("%.3g a second", value);
		number_human_count(number, (uint64_t)llround(value));
		return memory_format("%s a second", number);
	default:
		if (!(fabs(value) >= 1e6 && fabs(value) < 1e15))
			return memory_format("%g", value);
		number_human_count(number, (uint64_t)llround(fabs(value)));
		return memory_format("%s%s", value < 0 ? "-" : "", number);
	}
}

char *value_limits(enum unit unit, double center, double limit)
{
	char *bound, *middle, *words;
	const char *name = unit == UNIT_SHARE || unit == UNIT_RATE ? "normally" : "median";

	if (isnan(limit))
		return NULL;
	if (limit == 0 && center == 0 && (unit == UNIT_SHARE || unit == UNIT_RATE))
		return memory_format("normally none");
	bound = value_words(unit, limit);
	middle = value_words(unit, center);
	words = isnan(center) ? memory_format("limit %s", bound) : memory_format("limit %s, %s %s", bound, name, middle);
	free(bound);
	free(middle);
	return words;
}
