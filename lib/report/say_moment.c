/* Moments in words: what they are about, what more there is, what they lack. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/words.h"

/* Where the graph begins later than its signal, the events before that were lost or left out. */
static char *say_explained(const struct model *model, const struct story *story)
{
	char *words = words_signal(model, story->signal), *time, *both;
	bool late = story->from > story->signal->start && story->to == story->signal->ts;
	bool early = story->from == story->signal->start && story->to < story->signal->ts;

	if (story->kind != GRAPH_WAKE || (!late && !early))
		return words;
	time = words_seconds(story_length(story));
	both = memory_format(late ? "%s, the last %s of it in the data" : "%s, the first %s of it explained", words, time);
	free(time);
	free(words);
	return both;
}

char *words_story(const struct model *model, const struct story *story)
{
	char *time, *words;

	if (story->signal)
		return say_explained(model, story);
	if (story_length(story) == 0)
		return memory_format("graph %s%s%s", story->graph, *story->root ? " of " : "", story->root);
	time = words_seconds(story_length(story));
	if (*story->root && story->kind == GRAPH_WAKE)
		words = memory_format("%s of %s (graph %s)", time, story->root, story->graph);
	else if (*story->root)
		words = memory_format("%s took %s (graph %s)", story->root, time, story->graph);
	else
		words = memory_format("graph %s took %s", story->graph, time);
	free(time);
	return words;
}

char *words_moment(const struct model *model, const struct moment *moment)
{
	if (moment->stories.count > 0)
		return words_story(model, moment->stories.items[0]);
	if (moment->worst.count > 0)
		return words_signal(model, moment->worst.items[0]);
	return memory_format("abnormal, but its signals are not in the input");
}

void words_time(const struct moment *moment, int64_t ts, char *text)
{
	const struct story *first = moment->stories.count > 0 ? moment->stories.items[0] : NULL;
	int64_t head, at = time_sum(moment->clock.wall, ts);
	char day[WORDS_CLOCK_ROOM], own[WORDS_CLOCK_ROOM];

	words_clock(&moment->clock, ts, text);
	if (!moment->clock.has_wall || !moment_began(moment, first, &head))
		return;
	words_day(time_sum(moment->clock.wall, head), day);
	words_day(at, own);
	if (strcmp(own, day) != 0)
		words_date(at, text);
}

void words_began(const struct moment *moment, const struct story *story, char *text)
{
	int64_t at;

	*text = '\0';
	if (moment_began(moment, story, &at))
		words_time(moment, at, text);
}

char *words_hosts(const struct model *model)
{
	size_t named = 0, told = 0, size = 0;
	char *text = NULL;
	FILE *out;

	for (size_t i = 0; i < model->hosts.count; i++)
		named += *model->hosts.items[i] != '\0';
	if (named == 0)
		return NULL;
	out = open_memstream(&text, &size);
	fputs(named > 1 ? "hosts " : "host ", out);
	for (size_t i = 0; i < model->hosts.count; i++)
		if (*model->hosts.items[i]) {
			fprintf(out, "%s%s", told == 0 ? "" : told + 1 < named || model->more_hosts ? ", " : " and ", model->hosts.items[i]);
			told++;
		}
	fputs(model->more_hosts ? " and others" : "", out);
	fclose(out);
	return text;
}

char *words_rest(const struct moment *moment, uint64_t told)
{
	char from[WORDS_CLOCK_ROOM], to[WORDS_CLOCK_ROOM], *count, *words;

	if (moment->signals <= told)
		return NULL;
	words_time(moment, moment->from, from);
	words_time(moment, moment->to, to);
	count = words_count(moment->signals - told, "more signal");
	words = memory_format("%s between %s and %s", count, from, to);
	free(count);
	return words;
}

char *words_gap(const struct moment *moment)
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
	count = words_count(early, "signal");
	words = memory_format("INCOMPLETE: %s of this moment began before the data; what came before is missing", count);
	free(count);
	return words;
}
