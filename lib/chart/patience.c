#include "chart/patience.h"

#include <utlist.h>

#include "base/number.h"
#include "base/timestamp.h"
#include "chart/measure_state.h"

bool start_in_silence(const struct start *start)
{
	return (start_chart(start)->turns || start_chart(start)->silences.waits) && start->silence.since;
}

/* When the age of this start is first above its series' limit. */
static int64_t crossing(const struct start *start)
{
	const struct series *series = start->sample.series;

	return series->patience < INT64_MAX ? timestamp_add(timestamp_add(start->sample.start, series->patience), 1) : INT64_MAX;
}

/* A start that is due at INT64_MAX is never due. A record may have that time; `now` stays before it. */
static int64_t before_never(int64_t now)
{
	return now < INT64_MAX ? now : INT64_MAX - 1;
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

/* When to signal that a suspect has not ended. In a chart with each=yes its context passes while there is room; then patience_hurry() is called. */
static int64_t report_at(const struct start *start)
{
	return start_chart(start)->chart->each ? INT64_MAX : timestamp_add(crossing(start), PATIENCE_REPORT);
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

/* Suspects in a silence are not reported, but due later: a turn may go on until its deadline, a wait at any time. silence_time() ends them. */
static void spare_lulls(struct patience *patience, int64_t now)
{
	struct start *start;

	while ((start = patience->suspects) && start->due <= now && start_in_silence(start)) {
		int64_t deadline = silence_deadline(&start->silence);

		patience_drop(patience, start);
		start->due = timestamp_add(start_chart(start)->turns && deadline > now ? deadline : now, PATIENCE_SWEEP);
		insert_by_due(&patience->suspects, start);
	}
}

/* The oldest start of a series, except those in a silence that may go on: these are looked at later, waits soon, because they may go on any time. */
static struct start *first_awaited(struct patience *patience, const struct series *series, int64_t now)
{
	struct start *start = series->open;

	for (; start && start_in_silence(start) && now < silence_deadline(&start->silence); start = start->after)
		sooner(patience, start_chart(start)->turns ? silence_deadline(&start->silence) : timestamp_add(now, PATIENCE_SWEEP));
	return start;
}

void patience_whole(struct patience *patience, int64_t ts)
{
	patience->whole = ts;
	patience_wake(patience);
}

/*
 * Tells whether all events before `ts` have come, or their loss is known. The collector says so. In a saved trace each CPU's next event shows it,
 * because a loss is told before that.
 */
static bool is_whole(struct measure *measure, int64_t ts)
{
	return measure->vouched ? ts <= measure->patience.whole : !recorded_is_silent(&measure->recorded, ts);
}

void patience_heard(struct measure *measure)
{
	struct patience *patience = &measure->patience;

	if (patience->awaited == INT64_MAX || !is_whole(measure, patience->awaited))
		return;
	patience->awaited = INT64_MAX;
	patience_wake(patience);
}

/*
 * A suspect is due: reports it, or lets it wait for silent CPUs (NULL). In a saved recording it waits at most until its context goes; then the end
 * of the data decides.
 */
static struct start *suspect_due(struct measure *measure, struct start *start, int64_t now)
{
	struct patience *patience = &measure->patience;
	int64_t released = timestamp_add(start->due, PATIENCE_HOLD - PATIENCE_REPORT);

	if (!is_whole(measure, start->due)) {
		patience->awaited = start->due;
		if (measure->vouched)
			return NULL;
		sooner(patience, released);
		if (released > now)
			return NULL;
		start->unheard = true;
	}
	return become(patience, start, START_REPORTED, released);
}

struct start *patience_due(struct measure *measure, int64_t now)
{
	struct patience *patience = &measure->patience;

	now = before_never(now);
	if (now < patience->next)
		return NULL;
	patience->next = INT64_MAX;
	for (struct series *series = patience->series; series; series = series->next_open) {
		struct start *start = first_awaited(patience, series, now);

		if (start && crossing(start) <= now)
			return start_in_silence(start) ? start : become(patience, start, START_SUSPECT, report_at(start));
		if (start)
			sooner(patience, crossing(start));
	}
	spare_lulls(patience, now);
	if (patience->suspects) {
		struct start *start = patience->suspects;

		if (start->due > now)
			sooner(patience, start->due);
		else if ((start = suspect_due(measure, start, now)))
			return start;
	}
	if (patience->reported) {
		if (patience->reported->due <= now)
			return become(patience, patience->reported, START_RELEASED, 0);
		sooner(patience, patience->reported->due);
	}
	return NULL;
}

void patience_hurry(struct measure *measure)
{
	struct patience *patience = &measure->patience;
	struct start *last;

	while ((last = patience->suspects ? patience->suspects->before : NULL) && last->due == INT64_MAX) {
		DL_DELETE2(patience->suspects, last, before, after);
		last->due = before_never(patience->whole < measure->now ? patience->whole : measure->now);
		insert_by_due(&patience->suspects, last);
		patience_wake(patience);
	}
}
