#include "model/moment.h"

#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "model/value.h"

void moment_free(struct moment *moment)
{
	size_t i;

	if (!moment)
		return;
	for (i = 0; i < moment->worst.count; i++)
		signal_free(moment->worst.items[i]);
	for (i = 0; i < moment->stories.count; i++)
		story_free(moment->stories.items[i]);
	free(moment->worst.items);
	free(moment->stories.items);
	free(moment->window);
	free(moment->host);
	free(moment);
}

const struct story *moment_story(const struct moment *moment)
{
	return moment->stories.count > 0 ? moment->stories.items[0] : NULL;
}

const struct signal *moment_signal(const struct moment *moment)
{
	const struct story *story = moment_story(moment);

	return story ? story->signal : moment->worst.count > 0 ? moment->worst.items[0] : NULL;
}

bool moment_is_own(const struct moment *moment)
{
	const struct story *story = moment_story(moment);
	double share = 0;

	for (size_t i = 0; story && i < story->culprits.count; i++)
		if (story->culprits.items[i].deed && story->culprits.items[i].deed->pipe)
			share += story->culprits.items[i].share;
	return share >= 0.5;
}

bool moment_began(const struct moment *moment, const struct story *story, int64_t *at)
{
	const struct signal *signal = story ? story->signal : moment->worst.count > 0 ? moment->worst.items[0] : NULL;

	*at = signal ? signal->start : story ? story->from : moment->from;
	return signal || (story ? story->from <= story->to : moment->from <= moment->to);
}

const struct story *moment_companion(const struct moment *moment, const struct story *story)
{
	for (size_t i = 0; story->signal && i < moment->stories.count; i++) {
		const struct story *other = moment->stories.items[i];

		if (other != story && other->signal == story->signal && other->kind == GRAPH_RAG &&
		    story->kind == GRAPH_WAKE)
			return other;
	}
	return NULL;
}

bool moment_is_companion(const struct moment *moment, const struct story *story)
{
	for (size_t i = 0; i < moment->stories.count && moment->stories.items[i] != story; i++)
		if (moment_companion(moment, moment->stories.items[i]) == story)
			return true;
	return false;
}

/* --- in words ------------------------------------------------------------------------------------------------------------ */

char *moment_words(const struct site *site, const struct moment *moment)
{
	if (moment->stories.count > 0)
		return story_words(site, moment->stories.items[0]);
	if (moment->worst.count > 0)
		return signal_words(site, moment->worst.items[0]);
	return memory_format("abnormal, but its signals are not in the input");
}

void moment_time(const struct moment *moment, int64_t ts, char *text)
{
	const struct story *first = moment_story(moment);
	int64_t head, at = time_sum(moment->clock.wall, ts);
	char day[TIME_ROOM], own[TIME_ROOM];

	clock_words(&moment->clock, ts, text);
	if (!moment->clock.has_wall || !moment_began(moment, first, &head))
		return;
	time_day(time_sum(moment->clock.wall, head), day);
	time_day(at, own);
	if (strcmp(own, day) != 0)
		time_date(at, text);
}

void moment_began_words(const struct moment *moment, const struct story *story, char *text)
{
	int64_t at;

	*text = '\0';
	if (moment_began(moment, story, &at))
		moment_time(moment, at, text);
}

char *moment_rest(const struct moment *moment, uint64_t told)
{
	char from[TIME_ROOM], to[TIME_ROOM], *count, *words;

	if (moment->signals <= told)
		return NULL;
	moment_time(moment, moment->from, from);
	moment_time(moment, moment->to, to);
	count = value_count(moment->signals - told, "more signal");
	words = memory_format("%s between %s and %s", count, from, to);
	free(count);
	return words;
}

/* The signal with the earliest first sign. */
static const struct signal *first_signs(const struct moment *moment)
{
	const struct signal *first = NULL;

	for (size_t i = 0; i < moment->worst.count; i++) {
		const struct signal *signal = moment->worst.items[i];

		if (signal->signs && (!first || signal->sign_ts < first->sign_ts))
			first = signal;
	}
	return first;
}

char *moment_signs(const struct moment *moment)
{
	const struct signal *signal = first_signs(moment);
	char clock[TIME_ROOM], *value, *normal, *more, *words;

	if (!signal)
		return NULL;
	moment_time(moment, signal->sign_ts, clock);
	value = value_words(signal->unit, signal->sign_value);
	normal = isnan(signal->center) ? NULL : value_words(signal->unit, signal->center);
	more = signal->signs > 1 ? memory_format(", then %llu more", (unsigned long long)signal->signs - 1) : NULL;
	words = memory_format("first sign %s, %s%s%s%s%s", clock, value, normal ? " (normal " : "", normal ? normal : "", normal ? ")" : "",
			      more ? more : "");
	free(more);
	free(normal);
	free(value);
	return words;
}

char *moment_gap(const struct moment *moment)
{
	uint64_t early = 0;
	char *count, *words;

	if (moment->complete)
		return NULL;
	if (!moment->window)
		return memory_format("INCOMPLETE: the input ended before this moment did");
	for (size_t i = 0; i < moment->worst.count; i++)
		early += moment->worst.items[i]->start < moment->data_from;
	if (moment->lost || early == 0)
		return memory_format("INCOMPLETE: events of this moment were lost or left out; pieces may be missing");
	count = value_count(early, "signal");
	words = memory_format("INCOMPLETE: %s of this moment began before the data; what came before is missing", count);
	free(count);
	return words;
}
