#include "report/group.h"

#include <stdlib.h>
#include <string.h>

#include "model/value.h"

static const char *culprit_of(const struct story *story)
{
	return story->culprits.count ? story->culprits.items[0].fuller : "";
}

static bool alike(const struct signal *a, const struct signal *b)
{
	return a->open == b->open && a->unit == b->unit && a->shift == b->shift && a->mean == b->mean &&
	       signal_is_low(a) == signal_is_low(b) && !strcmp(a->chart, b->chart) && !strcmp(a->key, b->key) && !strcmp(a->comm, b->comm);
}

static void count_in(struct group *group, const struct signal *signal)
{
	bool further = signal_is_low(signal) ? signal->value < group->longest : signal->value > group->longest;

	group->sum += signal->value;
	if (group->count++ == 0 || further)
		group->longest = signal->value;
}

static struct group *group_of(struct groups *groups, const struct signal *signal, const char *culprit)
{
	struct group *group;

	for (size_t i = 0; i < groups->count; i++)
		if (alike(groups->items[i].first, signal) && (!culprit || !strcmp(groups->items[i].culprit, culprit)))
			return &groups->items[i];
	group = ARRAY_ADD(groups);
	*group = (struct group){.first = signal, .culprit = culprit ? culprit : ""};
	return group;
}

static bool is_told(const struct moment *moment, const struct signal *signal)
{
	for (size_t i = 0; i < moment->stories.count; i++)
		if (moment->stories.items[i]->signal == signal)
			return true;
	return moment->stories.count == 0 && signal == moment->worst.items[0];
}

uint64_t groups_told_first(const struct moment *moment)
{
	return moment->stories.count > 0 ? moment->stories.items[0]->signal != NULL : moment->worst.count > 0;
}

/* The group with the most time comes first. Groups whose values are not times count as zero; signal_compare() orders equals. */
static int by_sum(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	double s = x->first->unit == UNIT_SECONDS ? x->sum : 0, t = y->first->unit == UNIT_SECONDS ? y->sum : 0;

	if (s != t)
		return s > t ? -1 : 1;
	return signal_compare(x->first, y->first);
}

void groups_make(struct groups *groups, const struct moment *moment)
{
	struct group *group;

	*groups = (struct groups){0};
	for (size_t i = 1; i < moment->stories.count; i++) {
		const struct story *story = moment->stories.items[i];

		if (!story->signal || moment_is_companion(moment, story))
			continue;
		group = group_of(groups, story->signal, culprit_of(story));
		group->story = group->explained++ ? group->story : story;
		count_in(group, story->signal);
	}
	for (size_t i = 0; i < moment->worst.count; i++)
		if (!is_told(moment, moment->worst.items[i]))
			count_in(group_of(groups, moment->worst.items[i], NULL), moment->worst.items[i]);
	if (groups->count > 0)
		qsort(groups->items, groups->count, sizeof(*groups->items), by_sum);
}

static char *say_many(const struct site *site, const struct group *group)
{
	char *subject = signal_words_of_many(site, group->first, group->count), *sum, *longest, *words;

	longest = value_words(group->first->unit, group->longest);
	if (group->first->unit == UNIT_SECONDS && !group->first->shift && !group->first->mean) {
		sum = value_seconds(group->sum);
		words = memory_format("%s %s %s in all, the longest %s", subject, group->first->open ? "not done after" : "took",
				      sum, longest);
		free(sum);
	} else {
		words = memory_format("%s, the %s %s", subject, signal_is_low(group->first) ? "lowest" : "largest", longest);
	}
	free(longest);
	free(subject);
	return words;
}

char *group_words(const struct site *site, const struct moment *moment, const struct group *group)
{
	const struct story_part *part = group->story ? group->story->parts : NULL;
	const struct story *calls = group->story ? moment_companion(moment, group->story) : NULL;
	const char *call = calls && calls->culprits.count ? calls->culprits.items[0].fuller : NULL;
	char *words, *what, *some;

	if (group->count > 1) {
		what = say_many(site, group);
		some = *group->culprit && group->explained < group->count
			   ? memory_format(" (for %s)", group->explained == 1 ? "the worst" : "the worst ones") : memory_format("%s", "");
		words = memory_format("%s%s%s%s%s", what, *group->culprit ? "; to blame" : "", some,
				      *group->culprit ? ": " : "", group->culprit);
		free(some);
	} else {
		what = group->story ? story_words(site, group->story) : signal_words(site, group->first);
		words = memory_format("%s%s%s%s%s%s%s", what, part ? ", mostly " : "", part ? part->words : "",
				      *group->culprit ? "; to blame: " : "", group->culprit, call ? "; of its calls: " : "",
				      call ? call : "");
	}
	free(what);
	return words;
}
