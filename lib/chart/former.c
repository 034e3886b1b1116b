#include "chart/former.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "chart/span.h"

struct former {
	struct former_level {
		struct limits limits;
		int64_t until; /* they are remembered */
	} level[FORMER_LEVELS];
};

void former_forget(struct former **former)
{
	free(*former);
	*former = NULL;
}

void former_remember(struct former **former, const struct limits *limits, int64_t lasted, int64_t now)
{
	struct former_level *level, *place;

	if (!*former)
		*former = NEW(struct former);
	level = place = (*former)->level;
	for (int i = 0; i < FORMER_LEVELS; i++) {
		if (level[i].until < now)
			level[i].limits.ucl = 0;
		if (level[i].limits.ucl < place->limits.ucl)
			place = &level[i];
	}
	if (limits->ucl < place->limits.ucl)
		return;
	place->limits = *limits;
	place->until = span_add(now, lasted < FORMER_MOST / FORMER_TIMES ? lasted * FORMER_TIMES : FORMER_MOST);
}

double former_limit(const struct former *former, int64_t now)
{
	double limit = 0;

	for (int i = 0; former && i < FORMER_LEVELS; i++)
		if (former->level[i].until >= now)
			limit = fmax(limit, former->level[i].limits.ucl);
	return limit;
}

double former_line(const struct former *former, const struct judgement *how, double size, int64_t now)
{
	struct lines lines;
	double limit = 0;

	for (int i = 0; former && i < FORMER_LEVELS; i++) {
		if (former->level[i].until < now || !(former->level[i].limits.ucl > 0))
			continue;
		method_lines(how, &former->level[i].limits, size, &lines);
		limit = fmax(limit, lines.ucl);
	}
	return limit;
}
