#include "chart/patience.h"

#include <utlist.h>

#include "chart/span.h"

/* When the age of this start is first above its series' limit. */
static int64_t crossing(const struct start *start)
{
	const struct series *series = start->sample.series;

	return series->patience < INT64_MAX ? span_add(span_add(start->sample.start, series->patience), 1) : INT64_MAX;
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

/* Starts become due nearly in the order in which they come, so the search from the end is short. */
static void insert_by_due(struct start **list, struct start *start)
{
	struct start *later = *list ? (*list)->before : NULL; /* the last: utlist keeps it before the head */

	if (!later || later->due <= start->due) {
		DL_APPEND2(*list, start, before, after);
		return;
	}
	while (later != *list && later->before->due > start->due)
		later = later->before;
	DL_PREPEND_ELEM2(*list, later, start, before, after);
}

static struct start **list_of(struct patience *patience, const struct start *start)
{
	return start->state == START_SUSPECT ? &patience->suspects : &patience->reported;
}

void patience_drop(struct patience *patience, struct start *start)
{
	struct series *series = start->sample.series;

	if (start->state == START_SUSPECT || start->state == START_REPORTED)
		DL_DELETE2(*list_of(patience, start), start, before, after);
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

static struct start *become(struct patience *patience, struct start *start, enum start_state state, int64_t due)
{
	patience_drop(patience, start);
	start->state = state;
	start->due = due;
	if (state != START_RELEASED)
		insert_by_due(list_of(patience, start), start);
	patience->next = INT64_MIN; /* others may be due as well */
	return start;
}

struct start *patience_due(struct patience *patience, int64_t now)
{
	if (now < patience->next)
		return NULL;
	patience->next = INT64_MAX;
	for (struct series *series = patience->series; series; series = series->next_open) {
		struct start *start = series->open;

		if (crossing(start) <= now)
			return become(patience, start, START_SUSPECT, span_add(crossing(start), PATIENCE_REPORT));
		sooner(patience, crossing(start));
	}
	if (patience->suspects) {
		struct start *start = patience->suspects;

		if (start->due <= now)
			return become(patience, start, START_REPORTED, span_add(start->due, PATIENCE_HOLD - PATIENCE_REPORT));
		sooner(patience, start->due);
	}
	if (patience->reported) {
		if (patience->reported->due <= now)
			return become(patience, patience->reported, START_RELEASED, 0);
		sooner(patience, patience->reported->due);
	}
	return NULL;
}
