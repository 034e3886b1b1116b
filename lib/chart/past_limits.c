#include "chart/past_limits.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/timestamp.h"

struct past_limits {
	struct past_level {
		struct limits limits;
		int64_t until; /* they are remembered until then */
	} level[PAST_LIMITS_LEVELS];
};

void past_limits_forget(struct past_limits **past)
{
	free(*past);
	*past = NULL;
}

void past_limits_remember(struct past_limits **past, const struct limits *limits, int64_t lasted, int64_t now)
{
	struct past_level *level, *place;

	if (!*past)
		*past = NEW(struct past_limits);
	level = place = (*past)->level;
	for (int i = 0; i < PAST_LIMITS_LEVELS; i++) {
		if (level[i].until < now)
			level[i].limits.ucl = 0;
		if (level[i].limits.ucl < place->limits.ucl)
			place = &level[i];
	}
	if (limits->ucl < place->limits.ucl)
		return;
	place->limits = *limits;
	place->until = timestamp_add(now, lasted < PAST_LIMITS_MOST / PAST_LIMITS_TIMES ? lasted * PAST_LIMITS_TIMES : PAST_LIMITS_MOST);
}

double past_limits_highest(const struct past_limits *past, int64_t now)
{
	double limit = 0;

	for (int i = 0; past && i < PAST_LIMITS_LEVELS; i++)
		if (past->level[i].until >= now)
			limit = fmax(limit, past->level[i].limits.ucl);
	return limit;
}

double past_limits_line(const struct past_limits *past, const struct policy *how, double size, int64_t now)
{
	struct chart_lines lines;
	double limit = 0;

	for (int i = 0; past && i < PAST_LIMITS_LEVELS; i++) {
		if (past->level[i].until < now || !(past->level[i].limits.ucl > 0))
			continue;
		method_lines(how, &past->level[i].limits, size, &lines);
		limit = fmax(limit, lines.ucl);
	}
	return limit;
}
