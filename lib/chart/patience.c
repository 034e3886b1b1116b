#include "chart/patience.h"

#include <utlist.h>

#include "chart/span.h"

/* When the age of this start is first above its series' limit. */
static int64_t crossing(const struct start *start)
{
	const struct series *series = start->sample.series;

	return series->judges ? span_add(span_add(start->sample.start, series->patience), 1) : INT64_MAX;
}

static void sooner(struct patience *patience, int64_t due)
{
	if (due < patience->next)
		patience->next = due;
}

void patience_add(struct patience *patience, struct start *start)
{
	struct series *series = start->sample.series;

	if (!series->open) {
		DL_APPEND2(patience->series, series, prev_open, next_open);
		sooner(patience, crossing(start));
	}
	DL_APPEND2(series->open, start, before, after);
}

void patience_drop(struct patience *patience, struct start *start)
{
	struct series *series = start->sample.series;

	if (start->state == START_SUSPECT || start->state == START_REPORTED)
		DL_DELETE2(patience->suspects, start, before, after);
	if (start->state != START_OPEN)
		return;
	DL_DELETE2(series->open, start, before, after);
	if (!series->open)
		DL_DELETE2(patience->series, series, prev_open, next_open);
}

void patience_wake(struct patience *patience)
{
	patience->next = INT64_MIN;
}

static struct start *become_suspect(struct patience *patience, struct start *start)
{
	int64_t since = crossing(start);

	patience_drop(patience, start);
	start->state = START_SUSPECT;
	start->due = span_add(since, PATIENCE_REPORT);
	DL_APPEND2(patience->suspects, start, before, after);
	return start;
}

static struct start *become_older(struct patience *patience, struct start *start)
{
	if (start->state == START_SUSPECT) {
		start->state = START_REPORTED;
		start->due = span_add(start->due, PATIENCE_HOLD - PATIENCE_REPORT);
		return start;
	}
	patience_drop(patience, start);
	start->state = START_RELEASED;
	return start;
}

struct start *patience_due(struct patience *patience, int64_t now)
{
	struct series *series;
	struct start *start;

	if (now < patience->next)
		return NULL;
	patience->next = INT64_MAX;
	for (series = patience->series; series; series = series->next_open) {
		if (crossing(series->open) <= now) {
			patience->next = INT64_MIN;
			return become_suspect(patience, series->open);
		}
		sooner(patience, crossing(series->open));
	}
	for (start = patience->suspects; start; start = start->after) {
		if (start->due <= now) {
			patience->next = INT64_MIN;
			return become_older(patience, start);
		}
		sooner(patience, start->due);
	}
	return NULL;
}
