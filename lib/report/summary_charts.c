/* What the summary says of the charts: a line each, but one for all functions of which there is the same to say. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "report/summary.h"
#include "report/words.h"

enum { KEYS_TOLD = 6, FUNCTIONS_TOLD = 3 };

/* What there is to say of a chart. */
enum state {
	STATE_ABNORMAL,
	STATE_NORMAL,
	STATE_UNLEARNT, /* values, but no limits */
	STATE_SILENT,	/* no values */
	STATES
};

static uint64_t values_of(const struct chart_story *chart)
{
	uint64_t values = 0;

	for (const struct track *track = chart->tracks; track; track = track->hh.next)
		values += track->values;
	return values;
}

static enum state state_of(const struct chart_story *chart)
{
	bool learnt = false;

	if (chart->signals > 0)
		return STATE_ABNORMAL;
	for (const struct track *track = chart->tracks; track; track = track->hh.next)
		learnt |= !isnan(track->ucl);
	return learnt ? STATE_NORMAL : values_of(chart) > 0 ? STATE_UNLEARNT : STATE_SILENT;
}

static bool is_function(const struct chart_story *chart)
{
	return !strncmp(chart->name, "func:", strlen("func:"));
}

static bool comes_before(const struct track *a, const struct track *b)
{
	if (a->signals != b->signals)
		return a->signals > b->signals;
	return a->values > b->values;
}

/* The tracks with limits, those with the most signals first, at most `room`; *others: how many more there are. */
static size_t tracks_told(const struct chart_story *chart, const struct track **list, size_t room, unsigned *others)
{
	size_t count = 0, at;

	*others = 0;
	for (const struct track *track = chart->tracks; track; track = track->hh.next) {
		if (isnan(track->ucl)) {
			++*others;
			continue;
		}
		for (at = count; at > 0 && comes_before(track, list[at - 1]); at--)
			if (at < room)
				list[at] = list[at - 1];
		if (at < room)
			list[at] = track;
		if (count < room)
			count++;
		else
			++*others;
	}
	return count;
}

/* A key of which there are limits only has values of the same kind as the others. */
static enum unit unit_of(const struct track *track)
{
	const struct track *other = track->chart->tracks;

	if (track->unit != UNIT_NONE || track->values + track->signals > 0)
		return track->unit;
	while (other && other->unit == UNIT_NONE)
		other = other->hh.next;
	return other ? other->unit : UNIT_NONE;
}

/* A limit that has risen so much, for such values came too often to be abnormal, is why no more are told. */
#define RISE_TOLD 2

/* Of limits that were learnt anew, perhaps because of the signals, those are told that the first signal was beyond. */
static char *limits_of(const struct model *model, const struct track *track)
{
	bool upper = track->signal_limit > track->signal_center, one_host = model->hosts.count < 2;
	char *first, *later, *limits;

	if (isnan(track->signal_limit))
		return words_limits(unit_of(track), track->center, track->ucl);
	first = words_limits(unit_of(track), track->signal_center, track->signal_limit);
	if (!upper || !one_host || !(track->ucl >= RISE_TOLD * track->signal_limit))
		return first;
	later = words_value(unit_of(track), track->ucl);
	limits = memory_format("%s, later limit %s", first, later);
	free(first);
	free(later);
	return limits;
}

/* "limit 41.2 ms, median 4.5 ms"; of several keys: "loop0: limit 41.2 ms, median 4.5 ms; vda: limit ...; 2 other keys" */
static void add_limits(FILE *out, const struct model *model, const struct chart_story *chart, const char *lead)
{
	const struct track *told[KEYS_TOLD];
	unsigned others;
	size_t count = tracks_told(chart, told, KEYS_TOLD, &others);
	bool split = HASH_COUNT(chart->tracks) > 1;

	for (size_t i = 0; i < count; i++) {
		char *limits = limits_of(model, told[i]), *key = model_track_name(model, told[i]);

		fprintf(out, "%s%s%s%s", lead, split ? key : "", split ? ": " : "", limits);
		lead = "; ";
		free(limits);
		free(key);
	}
	if (count > 0 && others > 0)
		fprintf(out, "; %u other key%s", others, others == 1 ? "" : "s");
}

static const struct track *largest_of(const struct chart_story *chart, const struct track *best)
{
	for (const struct track *track = chart->tracks; track; track = track->hh.next)
		if (!isnan(track->greatest) && (!best || track->greatest > best->greatest))
			best = track;
	return best;
}

static void add_largest(FILE *out, const struct model *model, const struct track *track, const char *lead)
{
	char *value, *key;

	if (!track)
		return;
	value = words_value(track->unit, track->greatest);
	key = model_track_name(model, track);
	fprintf(out, "%slargest %s", lead, value);
	if (HASH_COUNT(track->chart->tracks) > 1)
		fprintf(out, " (%s)", key);
	free(value);
	free(key);
}

/* A value beyond the limits that is not abnormal needs a reason. There are several for one that is not far beyond; which it was is not told. */
static void add_unjudged(FILE *out, const struct track *track)
{
	if (!track || track->greatest <= track->ucl)
		return;
	if (track->greatest_is_early)
		fputs(", before there were limits", out);
	else if (track->greatest > track->ucl)
		fputs(", not enough to be abnormal", out);
}

struct hanging { /* begun and not ended, of several tracks */
	uint64_t count;
	const struct track *of; /* the oldest; NULL: there is none */
	const struct unfinished *oldest;
};

struct hangings {
	struct hanging open, doubted; /* as in struct track */
};

static void count_unfinished(struct hanging *hanging, const struct track *track, const struct unfinished *unfinished)
{
	hanging->count += unfinished->count;
	if (unfinished->count == 0 || (hanging->oldest && unfinished->oldest <= hanging->oldest->oldest))
		return;
	hanging->of = track;
	hanging->oldest = unfinished;
}

static void count_hanging(struct hangings *hangings, const struct chart_story *chart)
{
	for (const struct track *track = chart->tracks; track; track = track->hh.next) {
		count_unfinished(&hangings->open, track, &track->open);
		count_unfinished(&hangings->doubted, track, &track->doubted);
	}
}

/* "3 begun and not ended, the oldest 1.200 s ago (sdb)", behind the line of its chart, or of `many`. */
static void add_unfinished(FILE *out, const struct model *model, const struct hanging *hanging, const char *what, bool many)
{
	char count[NUMBER_ROOM], *age = words_seconds(hanging->oldest->oldest);
	char *key = many ? memory_format("%s", hanging->of->chart->name) : model_track_name(model, hanging->of);

	number_human_count(count, hanging->count);
	fprintf(out, "; %s begun%s, %s%s ago%s%s%s", count, what, hanging->count == 1 ? "" : "the oldest ", age,
		*key ? " (" : "", key, *key ? ")" : "");
	free(age);
	free(key);
}

static void add_doubted(FILE *out, const struct model *model, const struct hanging *hanging, bool many)
{
	const char *they = hanging->count == 1 ? "it" : "they", *them = hanging->count == 1 ? "it" : "them";

	add_unfinished(out, model, hanging, hanging->count == 1 ? " whose end is not in the data" : " whose ends are not in the data", many);
	fprintf(out, ": unknown if %s ended", they);
	if (hanging->oldest->overtaken)
		fprintf(out, ", as many others did that began after %s", them);
	else if (hanging->oldest->cpu >= 0)
		fprintf(out, ", as CPU %" PRId64 " was not recorded all the time", hanging->oldest->cpu);
}

static void add_hanging(FILE *out, const struct model *model, const struct hangings *hangings, bool many)
{
	if (hangings->open.count > 0) {
		add_unfinished(out, model, &hangings->open, " and not ended", many);
		fprintf(out, ": no limits to judge %s by, see --limit of cchart-filter", hangings->open.count == 1 ? "it" : "them");
	}
	if (hangings->doubted.count > 0)
		add_doubted(out, model, &hangings->doubted, many);
}

static void say_abnormal(FILE *out, const struct model *model, const struct chart_story *chart)
{
	char *moments = chart->moments > 0 ? words_count(chart->moments, "abnormal moment")
					   : memory_format("an abnormal moment that is not over"); /* totals were asked for */
	bool limits = false;

	for (const struct track *track = chart->tracks; track; track = track->hh.next)
		limits |= !isnan(track->ucl);
	fprintf(out, "%s on chart %s", moments, chart->name);
	if (*chart->title || limits) {
		fprintf(out, " (%s", chart->title);
		add_limits(out, model, chart, *chart->title ? "; " : "");
		fputs(")", out);
	}
	free(moments);
}

/* Why a chart has no values: what has begun gives one when it ends. */
static const char *why_silent(const struct chart_story *chart)
{
	if (chart->counts)
		return "nothing that it counts happened in a whole interval";
	return is_function(chart) ? "no call of it ended" : "nothing that it measures came to an end";
}

static void say_chart(FILE *out, const struct model *model, const struct chart_story *chart)
{
	char *count = words_count(values_of(chart), "value");
	bool split = HASH_COUNT(chart->tracks) > 1;
	struct hangings hangings = {0};

	switch (state_of(chart)) {
	case STATE_ABNORMAL:
		say_abnormal(out, model, chart);
		break;
	case STATE_NORMAL:
		fprintf(out, "nothing abnormal on chart %s: %s", chart->name, count);
		add_limits(out, model, chart, split ? "; " : ", ");
		add_largest(out, model, largest_of(chart, NULL), split ? "; " : ", ");
		add_unjudged(out, largest_of(chart, NULL));
		break;
	case STATE_UNLEARNT:
		fprintf(out, "chart %s: no limits were learnt: %s, too few to judge any", chart->name, count);
		break;
	default:
		fprintf(out, "no values on chart %s%s%s: %s", chart->name, *chart->title ? ", " : "", chart->title,
			why_silent(chart));
	}
	count_hanging(&hangings, chart);
	add_hanging(out, model, &hangings, false);
	free(count);
}

/* What many functions have in common: of those of which there is nothing abnormal to tell. */
static void say_functions(FILE *out, const struct model *model, enum state state, uint64_t count, uint64_t all)
{
	const struct track *largest = NULL;
	struct hangings hangings = {0};
	uint64_t values = 0;
	char *text;

	for (const struct chart_story *chart = model->charts; chart; chart = chart->hh.next)
		if (is_function(chart) && state_of(chart) == state) {
			values += values_of(chart);
			largest = largest_of(chart, largest);
			count_hanging(&hangings, chart);
		}
	text = words_count(values, "value");
	if (state == STATE_SILENT)
		fprintf(out, "%" PRIu64 " of %" PRIu64 " functions: no call of them ended", count, all);
	else if (state == STATE_UNLEARNT)
		fprintf(out, "%" PRIu64 " of %" PRIu64 " functions were called too seldom to learn limits: %s", count, all, text);
	else
		fprintf(out, "nothing abnormal of %" PRIu64 " of %" PRIu64 " functions: %s", count, all, text);
	if (state != STATE_SILENT && largest) {
		add_largest(out, model, largest, ", ");
		fprintf(out, " on %s", largest->chart->name);
		if (state == STATE_NORMAL)
			add_unjudged(out, largest);
	}
	add_hanging(out, model, &hangings, true);
	free(text);
}

/* Whether the stream has not been through cchart-filter, so that nothing can be said of its charts. */
bool summary_unfiltered(const struct model *model)
{
	if (!model->charts || model->has_kept || model->signals > 0 || model->graphs > 0)
		return false;
	for (const struct chart_story *chart = model->charts; chart; chart = chart->hh.next)
		if (chart->tracks)
			return false;
	return true;
}

static void add(struct summary *summary, const struct model *model, const struct chart_story *chart, enum state state,
		uint64_t count, uint64_t all)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (chart)
		say_chart(out, model, chart);
	else
		say_functions(out, model, state, count, all);
	fclose(out);
	*ARRAY_ADD(&summary->lines) = text;
}

void summary_charts(struct summary *summary, const struct model *model)
{
	uint64_t functions[STATES] = {0}, all = 0;

	if (summary_unfiltered(model))
		return;
	for (const struct chart_story *chart = model->charts; chart; chart = chart->hh.next)
		if (is_function(chart)) {
			functions[state_of(chart)]++;
			all++;
		}
	if (model->other_charts)
		*ARRAY_ADD(&summary->lines) = memory_format("the input has more than 16,384 charts; those that came later are told together, as "
							    "other charts, without limits");
	if (model->tracks == MODEL_TRACKS_OF_ALL)
		*ARRAY_ADD(&summary->lines) = memory_format("the charts have more than 65,536 keys; those that came later are told together, as "
							    "other keys of each chart, without limits");
	for (const struct chart_story *chart = model->charts; chart; chart = chart->hh.next) {
		enum state state = state_of(chart);

		if (!is_function(chart) || state == STATE_ABNORMAL || functions[state] <= FUNCTIONS_TOLD)
			add(summary, model, chart, state, 0, 0);
		if (chart->others && model->tracks < MODEL_TRACKS_OF_ALL)
			*ARRAY_ADD(&summary->lines) = memory_format("chart %s has more than 1,024 keys; those that came later are "
								    "told together, as other keys, without limits", chart->name);
	}
	for (enum state state = STATE_NORMAL; state < STATES; state++)
		if (functions[state] > FUNCTIONS_TOLD)
			add(summary, model, NULL, state, functions[state], all);
}
