#include "report/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "report/words.h"

#define TIME_MOST (INT64_MAX / 2)

int64_t time_bounded(int64_t ns)
{
	return ns > TIME_MOST ? TIME_MOST : ns < -TIME_MOST ? -TIME_MOST : ns;
}

int64_t time_sum(int64_t a, int64_t b)
{
	return time_bounded(time_bounded(a) + time_bounded(b));
}

int read_time(const struct fields *fields, const char *key, int64_t *ns)
{
	int found = fields_time(fields, key, ns);

	if (found > 0)
		*ns = time_bounded(*ns);
	return found;
}

char *clean_field(const struct fields *fields, const char *key)
{
	char *raw = fields_copy(fields, key), *clean = words_clean(raw ? raw : "");

	free(raw);
	return clean;
}

static struct chart_story *new_chart(struct model *model, const char *name)
{
	struct chart_story *chart = NEW(struct chart_story);

	chart->name = memory_format("%s", name);
	chart->title = memory_format("%s", "");
	HASH_ADD_KEYPTR(hh, model->charts, chart->name, strlen(chart->name), chart);
	return chart;
}

struct chart_story *model_chart(struct model *model, const char *name)
{
	struct chart_story *chart;

	HASH_FIND_STR(model->charts, name, chart);
	if (chart)
		return chart;
	if (HASH_COUNT(model->charts) < MODEL_CHARTS)
		return new_chart(model, name);
	if (!model->other_charts) {
		model->other_charts = new_chart(model, "other charts");
		stream_mark_incomplete(model->stream);
	}
	return model->other_charts;
}

static struct track *new_track(struct chart_story *chart, const char *key)
{
	struct track *track = NEW(struct track);

	track->key = memory_format("%s", key);
	track->chart = chart;
	track->center = track->lcl = track->ucl = track->greatest = track->signal_center = track->signal_limit = NAN;
	track->method = memory_format("%s", "");
	HASH_ADD_KEYPTR(hh, chart->tracks, track->key, strlen(track->key), track);
	return track;
}

/* Keys beyond the bound are counted apart, for they would falsify any other's counts. */
static struct track *find_track(struct model *model, const char *chart_name, const char *key)
{
	struct chart_story *chart = model_chart(model, chart_name);
	struct track *track;

	HASH_FIND_STR(chart->tracks, key, track);
	if (track)
		return track;
	if (HASH_COUNT(chart->tracks) < MODEL_TRACKS && model->tracks < MODEL_TRACKS_OF_ALL) {
		model->tracks++;
		return new_track(chart, key);
	}
	if (model->tracks == MODEL_TRACKS_OF_ALL)
		stream_mark_incomplete(model->stream);
	if (!chart->others)
		chart->others = new_track(chart, "other keys");
	return chart->others;
}

struct track *model_track(struct model *model, const char *chart, const char *key)
{
	struct track *track = find_track(model, chart, key);

	track->limited &= track->stream == model->streams;
	track->stream = model->streams;
	return track;
}

static void see_process(struct tally *tally, const struct identity *identity)
{
	if (!tally->identity.pid && !tally->vague)
		tally->identity = identity_copy(identity);
	if (!identity->pid || identity->pid != tally->identity.pid || strcmp(identity->program, tally->identity.program) != 0)
		tally->vague = true;
}

/* Its family, as a copy which the caller frees. */
static struct deed *copy_family(const struct deed *deed)
{
	struct deed family = family_of(deed);

	return deed_copy(&family);
}

static struct tally *find_tally(const struct model *model, const struct deed *deed)
{
	struct deed *family = copy_family(deed);
	struct tally *tally;

	HASH_FIND(hh, model->tallies, family->key, family->key_length, tally);
	free(family);
	return tally;
}

static void forget_words(struct tally *tally)
{
	free(tally->words);
	free(tally->who);
	tally->words = tally->who = NULL;
}

static void make_words(struct tally *tally)
{
	struct deed *deed;

	if (tally->words)
		return;
	deed = family_deed(&tally->deeds);
	tally->words = words_culprit(deed, 0, 0);
	tally->who = words_clean(deed->who ? deed->who : "");
	free(deed);
}

static void tally_free(struct tally *tally)
{
	family_free(&tally->deeds);
	identity_free(&tally->identity);
	forget_words(tally);
	free(tally->family);
	free(tally);
}

/* Where there are too many names to count, the first ones are: the totals are about what comes again and again. */
void model_count_blame(struct model *model, const struct culprit *culprit)
{
	struct tally *tally = find_tally(model, culprit->deed);
	double score = culprit->score;

	if (!tally) {
		if (HASH_COUNT(model->tallies) >= MODEL_TALLIES) {
			model->uncounted += score;
			return;
		}
		tally = NEW(struct tally);
		tally->family = copy_family(culprit->deed);
		HASH_ADD_KEYPTR(hh, model->tallies, tally->family->key, tally->family->key_length, tally);
	}
	see_process(tally, &culprit->identity);
	family_add(&tally->deeds, culprit->deed, score);
	forget_words(tally);
	tally->score += score;
	if (tally->last_moment != model->moments) {
		tally->last_moment = model->moments;
		tally->moments++;
	}
}

void model_see_host(struct model *model)
{
	size_t i = 0;

	while (i < model->hosts.count && strcmp(model->hosts.items[i], model->host) != 0)
		i++;
	if (i < model->hosts.count)
		return;
	if (i < MODEL_HOSTS)
		*ARRAY_ADD(&model->hosts) = memory_format("%s", model->host);
	else
		model->more_hosts = true;
}

static void forget_points(struct model *model)
{
	for (struct chart_story *chart = model->charts; chart; chart = chart->hh.next)
		for (struct track *track = chart->tracks; track; track = track->hh.next)
			track->samples.count = track->marks.count = track->levels.count = track->limits.count = 0;
}

/* What streams without one told before fits no later time. */
void model_see_wall(struct model *model)
{
	model->clock.has_wall = true;
	if (model->has_wall)
		return;
	model->has_wall = true;
	model->first = INT64_MAX;
	model->last = INT64_MIN;
	model->over = model->data = NO_TIMES;
	forget_points(model);
}

bool model_is_dated(const struct model *model)
{
	return model->clock.has_wall || !model->has_wall;
}

void model_see_times(struct times *times, int64_t first, int64_t last)
{
	times->first = first < times->first ? first : times->first;
	times->last = last > times->last ? last : times->last;
}

bool model_span(const struct model *model, int64_t *first, int64_t *last)
{
	bool watched = model->has_wall && model->watched.first <= model->watched.last;
	const struct times *here = watched ? &model->watched : &model->data;
	struct times all = model->over;

	model_see_times(&all, here->first, here->last);
	*first = all.first;
	*last = all.last;
	return *first <= *last;
}

void model_stream_over(struct model *model)
{
	struct times all;

	model_span(model, &all.first, &all.last);
	model->over = all;
	model->data = model->watched = NO_TIMES;
	model_name_devices(model);
	model->streams++;
	model->lost_before = stream_lost(model->stream) + stream_damages(model->stream);
}

bool model_has_days(const struct model *model)
{
	char from[WORDS_CLOCK_ROOM], to[WORDS_CLOCK_ROOM];
	int64_t first, last;

	if (!model->has_wall || !model_span(model, &first, &last))
		return false;
	words_day(first, from);
	words_day(last, to);
	return strcmp(from, to) != 0;
}

static int compare_tallies(const struct tally *a, const struct tally *b)
{
	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return deed_compare(a->family, b->family);
}

static const struct identity *identity_of(const struct tally *tally)
{
	return tally && !tally->vague ? &tally->identity : NULL;
}

static double share_of_all(const struct model *model, double score)
{
	return model->explained > 0 ? score / model->explained : NAN;
}

static size_t counted_verdicts(struct model *model, struct verdict *list, size_t room)
{
	struct tally *tally;
	size_t n = 0;

	HASH_SORT(model->tallies, compare_tallies);
	for (tally = model->tallies; tally && n < room; tally = tally->hh.next) {
		make_words(tally);
		list[n++] = (struct verdict){tally->words, tally->who, model->timeless ? NAN : tally->score,
					     model->timeless ? NAN : share_of_all(model, tally->score), tally->moments, identity_of(tally)};
	}
	return n;
}

size_t model_verdicts(struct model *model, struct verdict *list, size_t room)
{
	const struct culprit *culprit;
	struct tally *tally;
	size_t n;

	if (model->overall.count == 0 || model->ranked_streams > 1)
		return counted_verdicts(model, list, room);
	for (n = 0; n < model->overall.count && n < room; n++) {
		culprit = &model->overall.items[n];
		tally = find_tally(model, culprit->deed);
		list[n] = (struct verdict){culprit->words, culprit->who, culprit->score, culprit->share, tally ? tally->moments : 0,
					   identity_of(tally)};
		if (isnan(list[n].share))
			list[n].share = share_of_all(model, culprit->score);
		if (culprit->timeless)
			list[n].score = list[n].share = NAN;
	}
	return n;
}

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

static void chart_free_story(struct chart_story *chart)
{
	struct track *track, *next;

	HASH_ITER(hh, chart->tracks, track, next) {
		HASH_DEL(chart->tracks, track);
		free(track->samples.items);
		free(track->marks.items);
		free(track->levels.items);
		free(track->limits.items);
		free(track->shifts.items);
		free(track->key);
		free(track->device);
		free(track->method);
		free(track);
	}
	free(chart->name);
	free(chart->title);
	free(chart);
}

void model_free(struct model *model)
{
	struct chart_story *chart, *next_chart;
	struct tally *tally, *next_tally;
	size_t i;

	if (!model)
		return;
	HASH_ITER(hh, model->charts, chart, next_chart) {
		HASH_DEL(model->charts, chart);
		chart_free_story(chart);
	}
	HASH_ITER(hh, model->tallies, tally, next_tally) {
		HASH_DEL(model->tallies, tally);
		tally_free(tally);
	}
	for (i = 0; i < model->overall.count; i++)
		culprit_free(&model->overall.items[i]);
	for (i = 0; i < model->pending.count; i++)
		signal_free(model->pending.items[i]);
	for (i = 0; i < model->changes.count; i++)
		change_free(&model->changes.items[i]);
	for (i = 0; i < model->stages.count; i++)
		free(model->stages.items[i]);
	for (i = 0; i < model->hosts.count; i++)
		free(model->hosts.items[i]);
	free(model->hosts.items);
	free(model->stages.items);
	free(model->changes.items);
	for (i = 0; i < model->sheds.count; i++)
		shed_free(&model->sheds.items[i]);
	free(model->sheds.items);
	free(model->overall.items);
	free(model->pending.items);
	free(model->host);
	free(model->kernel);
	moment_free(model->moment);
	graph_free(model->graph);
	graph_reader_free(model->reader);
	events_free(model->events);
	who_free(model->who);
	free(model);
}
