#include "report/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "model/label.h"
#include "model/value.h"

enum { KEYS_TOLD = 6, FUNCTIONS_TOLD = 3, SHIFTS_TOLD = 5 };

/* --- where, when, and how much ------------------------------------------------------------------------------------------- */

static void add_separator(FILE *out)
{
	if (ftell(out) > 0)
		fputs(", ", out);
}

static void add_count(FILE *out, uint64_t count, const char *what)
{
	char text[NUMBER_ROOM];

	number_human_count(text, count);
	add_separator(out);
	fprintf(out, "%s%s", text, what);
}

static void add_span(FILE *out, const struct model *model)
{
	char from[TIME_ROOM], to[TIME_ROOM];
	int64_t first, last;

	if (!site_span(model->site, &first, &last))
		return;
	add_separator(out);
	if (!model->site->has_wall) {
		fprintf(out, "%.3f s to %.3f s of the trace clock", first / 1e9, last / 1e9);
		return;
	}
	time_date(first, from);
	time_date(last, to);
	if (!strcmp(from, to)) {
		fprintf(out, "%s UTC", from);
		return;
	}
	fprintf(out, "%s to %s UTC", from, site_has_days(model->site) ? to : to + strlen("2026-11-20 "));
}

static void add_events(FILE *out, const struct model *model)
{
	uint64_t read = model->overhead.seen, lost = stream_lost(model->stream);
	bool counted = model->overhead.has_read || model->overhead.has_kept;

	if (counted)
		add_count(out, read, read == 1 ? " event read" : " events read");
	if (model->overhead.has_kept) {
		add_count(out, model->overhead.kept, " kept");
		if (model->overhead.kept > 0 && read / model->overhead.kept > 1)
			fprintf(out, " (1/%.0f)", (double)read / model->overhead.kept);
	}
	if (lost > 0)
		add_count(out, lost, counted ? " LOST" : lost == 1 ? " event LOST" : " events LOST");
	else if (ftell(out) > 0 && !stream_was_cut(model->stream) && !stream_damages(model->stream))
		fprintf(out, ", %s lost", counted ? "none" : "no events");
}

static char *say_head(const struct model *model)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	char *hosts = label_hosts(model->site);

	fputs(hosts ? hosts : "", out);
	free(hosts);
	add_span(out, model);
	add_events(out, model);
	fclose(out);
	if (size > 0)
		return text;
	free(text);
	return NULL;
}

static char *say_gaps(const struct model *model)
{
	uint64_t lost = stream_lost(model->stream), damages = stream_damages(model->stream);
	char *text = NULL, *moments;
	size_t size = 0;
	FILE *out;

	if (!stream_incomplete(model->stream) && model->counts->incomplete == 0)
		return NULL;
	out = open_memstream(&text, &size);
	if (lost > 0)
		add_count(out, lost, lost == 1 ? " event was lost" : " events were lost");
	if (damages > 0)
		add_count(out, damages, damages == 1 ? " damaged place in the stream" : " damaged places in the stream");
	if (stream_was_cut(model->stream)) {
		add_separator(out);
		fputs("the input was cut before its end", out);
	}
	if (model->counts->incomplete > 0) {
		moments = value_count(model->counts->incomplete, "moment");
		add_separator(out);
		fprintf(out, "%s with gaps", moments);
		free(moments);
	}
	if (ftell(out) == 0)
		fputs("an earlier stage had gaps in its data", out);
	fclose(out);
	moments = memory_format("INCOMPLETE: %s", text);
	free(text);
	return moments;
}

static void add_line(struct summary *summary, char *line)
{
	if (line)
		*ARRAY_ADD(&summary->lines) = line;
}

static void add_sheds(struct summary *summary, const struct model *model)
{
	uint64_t told = model->overhead.sheds.count, others = model->overhead.all_sheds - told;

	for (size_t i = 0; i < told; i++)
		add_line(summary, shed_words(&model->overhead.sheds.items[i]));
	if (others > 0)
		add_line(summary, memory_format("and %llu more before (shed records in the stream)", (unsigned long long)others));
}

/* --- the charts: a line each, but one for all functions that have the same to say ----------------------------------------- */

/* The states of a chart. */
enum state {
	STATE_ABNORMAL,
	STATE_NORMAL,
	STATE_UNLEARNT, /* values, but no limits */
	STATE_WATCHED,	/* values that no chart judged, only triggers, and none fired */
	STATE_SILENT,	/* no values */
	STATES
};

static uint64_t values_of(const struct tracked_chart *chart)
{
	uint64_t values = 0;

	for (const struct track *track = chart->tracks; track; track = track->hh.next)
		values += track->values;
	return values;
}

/* Counts all values of a chart, judged or not. */
static uint64_t summed_of(const struct tracked_chart *chart)
{
	uint64_t count = 0;

	for (const struct track *track = chart->tracks; track; track = track->hh.next)
		count += track->summed.count;
	return count;
}

static enum state state_of(const struct tracked_chart *chart)
{
	bool learnt = false;

	if (chart->signals > 0)
		return STATE_ABNORMAL;
	for (const struct track *track = chart->tracks; track; track = track->hh.next)
		learnt |= !isnan(track->ucl);
	if (learnt)
		return STATE_NORMAL;
	if (values_of(chart) > 0)
		return STATE_UNLEARNT;
	return summed_of(chart) > 0 ? STATE_WATCHED : STATE_SILENT;
}

static bool is_function(const struct tracked_chart *chart)
{
	return !strncmp(chart->name, "func:", strlen("func:"));
}

/* Tells whether no trigger looked at the values of the chart, as those of a function whose calls only make graphs. */
static bool is_unwatched(const struct model *model, const struct tracked_chart *chart)
{
	return model->tracks->asked && !chart->asked && state_of(chart) == STATE_WATCHED;
}

static bool comes_before(const struct track *a, const struct track *b)
{
	if (a->signals != b->signals)
		return a->signals > b->signals;
	return a->values > b->values;
}

/* Lists the tracks with limits, those with the most signals first, at most `room`; *others: how many tracks are not in the list. */
static size_t tracks_told(const struct tracked_chart *chart, const struct track **list, size_t room, unsigned *others)
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

/* A key that has limits but no values has the unit of the chart's other keys. */
static enum unit unit_of(const struct track *track)
{
	const struct track *other = track->chart->tracks;

	if (track->unit != UNIT_NONE || track->values + track->signals > 0)
		return track->unit;
	while (other && other->unit == UNIT_NONE)
		other = other->hh.next;
	return other ? other->unit : UNIT_NONE;
}

/* A limit rises when values beyond it come too often to be abnormal. The line tells a rise by this factor. */
#define RISE_TOLD 2

/* Limits may have been relearnt because of the signals: the line has the limits that the first signal broke. */
static char *limits_of(const struct model *model, const struct track *track)
{
	bool upper = track->signal_limit > track->signal_center, one_host = model->site->hosts.count < 2;
	char *first, *later, *limits;

	if (isnan(track->signal_limit))
		return value_limits(unit_of(track), track->center, track->ucl);
	first = value_limits(unit_of(track), track->signal_center, track->signal_limit);
	if (!upper || !one_host || !(track->ucl >= RISE_TOLD * track->signal_limit))
		return first;
	later = value_words(unit_of(track), track->ucl);
	limits = memory_format("%s, later limit %s", first, later);
	free(first);
	free(later);
	return limits;
}

/* "limit 41.2 ms, median 4.5 ms"; of several keys: "loop0: limit 41.2 ms, median 4.5 ms; vda: limit ...; 2 other keys" */
static void add_limits(FILE *out, const struct model *model, const struct tracked_chart *chart, const char *lead)
{
	const struct track *told[KEYS_TOLD];
	unsigned others;
	size_t count = tracks_told(chart, told, KEYS_TOLD, &others);
	bool split = HASH_COUNT(chart->tracks) > 1;

	for (size_t i = 0; i < count; i++) {
		char *limits = limits_of(model, told[i]), *key = tracks_name(model->tracks, told[i]);

		fprintf(out, "%s%s%s%s", lead, split ? key : "", split ? ": " : "", limits);
		lead = "; ";
		free(limits);
		free(key);
	}
	if (count > 0 && others > 0)
		fprintf(out, "; %u other key%s", others, others == 1 ? "" : "s");
}

static const struct track *largest_of(const struct tracked_chart *chart, const struct track *best)
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
	value = value_words(track->unit, track->greatest);
	key = tracks_name(model->tracks, track);
	fprintf(out, "%slargest %s", lead, value);
	if (HASH_COUNT(track->chart->tracks) > 1)
		fprintf(out, " (%s)", key);
	free(value);
	free(key);
}

/* Says why a value beyond the limits was not called abnormal. */
static void add_unjudged(FILE *out, const struct track *track)
{
	if (!track || track->greatest <= track->ucl)
		return;
	if (track->greatest_is_early)
		fputs(", before there were limits", out);
	else if (track->greatest > track->ucl)
		fputs(", not enough to be abnormal", out);
}

struct hanging { /* intervals of several tracks that began and did not end */
	uint64_t count;
	const struct track *of; /* the track of the oldest; NULL: there is none */
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

static void count_hanging(struct hangings *hangings, const struct tracked_chart *chart)
{
	for (const struct track *track = chart->tracks; track; track = track->hh.next) {
		count_unfinished(&hangings->open, track, &track->open);
		count_unfinished(&hangings->doubted, track, &track->doubted);
	}
}

/* Adds "3 begun and not ended, the oldest 1.200 s ago (sdb)" to the line of a chart, or of `many` charts. */
static void add_unfinished(FILE *out, const struct model *model, const struct hanging *hanging, const char *what, bool many)
{
	char count[NUMBER_ROOM], *age = value_seconds(hanging->oldest->oldest);
	char *key = many ? memory_format("%s", hanging->of->chart->name) : tracks_name(model->tracks, hanging->of);

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

static void say_abnormal(FILE *out, const struct model *model, const struct tracked_chart *chart)
{
	char *moments = chart->moments > 0 ? value_count(chart->moments, "abnormal moment")
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

/* Why a chart has no values: a wait gives a value when it ends. */
static const char *why_silent(const struct tracked_chart *chart)
{
	if (chart->counts)
		return "nothing that it counts happened in a whole interval";
	return is_function(chart) ? "no call of it ended" : "nothing that it measures came to an end";
}

static void say_chart(FILE *out, const struct model *model, const struct tracked_chart *chart)
{
	char *count = value_count(values_of(chart), "value");
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
	case STATE_WATCHED:
		free(count);
		count = value_count(summed_of(chart), "value");
		fprintf(out, "no trigger fired on chart %s: %s", chart->name, count);
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

/* Says the line for all functions in the same state. */
static void say_functions(FILE *out, const struct model *model, enum state state, uint64_t count, uint64_t all)
{
	const struct track *largest = NULL;
	struct hangings hangings = {0};
	uint64_t values = 0;
	char *text;

	for (const struct tracked_chart *chart = model->tracks->charts; chart; chart = chart->hh.next)
		if (is_function(chart) && state_of(chart) == state && !is_unwatched(model, chart)) {
			values += state == STATE_WATCHED ? summed_of(chart) : values_of(chart);
			largest = largest_of(chart, largest);
			count_hanging(&hangings, chart);
		}
	text = value_count(values, "value");
	if (state == STATE_SILENT)
		fprintf(out, "%" PRIu64 " of %" PRIu64 " functions: no call of them ended", count, all);
	else if (state == STATE_WATCHED)
		fprintf(out, "no trigger fired on %" PRIu64 " of %" PRIu64 " functions: %s", count, all, text);
	else if (state == STATE_UNLEARNT)
		fprintf(out, "%" PRIu64 " of %" PRIu64 " functions were called too seldom to learn limits: %s", count, all, text);
	else
		fprintf(out, "nothing abnormal of %" PRIu64 " of %" PRIu64 " functions: %s", count, all, text);
	if (state != STATE_SILENT && state != STATE_WATCHED && largest) {
		add_largest(out, model, largest, ", ");
		fprintf(out, " on %s", largest->chart->name);
		if (state == STATE_NORMAL)
			add_unjudged(out, largest);
	}
	add_hanging(out, model, &hangings, true);
	free(text);
}

/* Tells whether the stream has not been through cchart-filter, so that nothing can be said of its charts. */
static bool is_unfiltered(const struct model *model)
{
	if (!model->tracks->charts || model->overhead.has_kept || model->counts->signals > 0 || model->counts->graphs > 0)
		return false;
	for (const struct tracked_chart *chart = model->tracks->charts; chart; chart = chart->hh.next)
		if (chart->tracks)
			return false;
	return true;
}

static void add_chart(struct summary *summary, const struct model *model, const struct tracked_chart *chart, enum state state,
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

static void add_charts(struct summary *summary, const struct model *model)
{
	uint64_t functions[STATES] = {0}, all = 0;

	if (is_unfiltered(model))
		return;
	for (const struct tracked_chart *chart = model->tracks->charts; chart; chart = chart->hh.next)
		if (is_function(chart) && !is_unwatched(model, chart)) {
			functions[state_of(chart)]++;
			all++;
		}
	if (model->tracks->others)
		add_line(summary, memory_format("the input has more than 16,384 charts; later ones are counted together, as "
						"other charts, without limits"));
	if (model->tracks->count == TRACKS_OF_ALL)
		add_line(summary, memory_format("the charts have more than 65,536 keys; later ones are counted together, as "
						"other keys of each chart, without limits"));
	for (const struct tracked_chart *chart = model->tracks->charts; chart; chart = chart->hh.next) {
		enum state state = state_of(chart);

		if (is_unwatched(model, chart))
			continue;
		if (!is_function(chart) || state == STATE_ABNORMAL || functions[state] <= FUNCTIONS_TOLD)
			add_chart(summary, model, chart, state, 0, 0);
		if (chart->others && model->tracks->count < TRACKS_OF_ALL)
			add_line(summary, memory_format("chart %s has more than 1,024 keys; those that came later are in one line, other "
							"keys, without limits", chart->name));
	}
	for (enum state state = STATE_NORMAL; state < STATES; state++)
		if (functions[state] > FUNCTIONS_TOLD)
			add_chart(summary, model, NULL, state, functions[state], all);
}

/* --- changes of level ------------------------------------------------------------------------------------------------------ */

struct level_change { /* a shift of a track */
	const struct track *track;
	const struct shift *shift;
};

/* A smaller ratio, or a smaller change of a share, is not worth a line. */
#define RATIO_TOLD 1.5
#define SHARE_TOLD 0.05

/* The order of changes: worse before better, then by the ratio; 0: not worth a line. */
static double weight(enum unit unit, const struct shift *shift)
{
	double low = fmin(shift->from, shift->to), high = fmax(shift->from, shift->to), ratio;

	if (isnan(shift->from))
		return 1;
	/* the values that raised the alarm went one way, the values after it the other: the level did not change */
	if ((shift->to > shift->from) != shift->up || (unit == UNIT_SHARE && high - low < SHARE_TOLD))
		return 0;
	ratio = low > 0 ? fmin(high / low, 1e6) : 1e6;
	return ratio < RATIO_TOLD ? 0 : ratio + (shift->up ? 1e6 : 0);
}

/* Inserts the change in its order; returns the new count. */
static size_t take_place(struct level_change *found, size_t count, size_t room, struct level_change change)
{
	double weighs = weight(change.track->unit, change.shift);
	size_t at = count;

	while (at > 0 && weight(found[at - 1].track->unit, found[at - 1].shift) < weighs)
		at--;
	if (weighs == 0 || at == room)
		return count;
	if (count < room)
		count++;
	memmove(&found[at + 1], &found[at], (count - 1 - at) * sizeof(*found));
	found[at] = change;
	return count;
}

static size_t shifts_that_matter(const struct model *model, struct level_change *found, size_t room, uint64_t *others)
{
	size_t count = 0;
	uint64_t all = 0;

	for (const struct tracked_chart *chart = model->tracks->charts; chart; chart = chart->hh.next)
		for (const struct track *track = chart->tracks; track; track = track->hh.next) {
			all += track->all_shifts;
			for (size_t i = 0; i < track->shifts.count; i++)
				count = take_place(found, count, room, (struct level_change){track, &track->shifts.items[i]});
		}
	*others = all - count;
	return count;
}

static void add_shifts(struct summary *summary, const struct model *model)
{
	struct level_change found[SHIFTS_TOLD];
	uint64_t others;
	size_t count = shifts_that_matter(model, found, SHIFTS_TOLD, &others);

	for (size_t i = 0; i < count; i++)
		add_line(summary, tracks_shift_words(model->tracks, found[i].track, found[i].shift));
	if (others > 0)
		add_line(summary, memory_format("%s%llu lesser change%s of level (told by report -f json)", count > 0 ? "and " : "", (unsigned long long)others,
						others == 1 ? "" : "s"));
}

/* --- all lines ----------------------------------------------------------------------------------------------------------- */

/* Tells whether blame-rank could explain something. It explains no rates and means, and no numbers that came without events. */
static bool may_be_explained(const struct model *model)
{
	return (!model->overhead.has_kept || model->overhead.filtered > 0) && (model->counts->signals == 0 || model->counts->signals > model->counts->rates);
}

/* Says why there is nothing to report, or no blame; NULL: nothing is missing. */
static char *say_nothing(const struct model *model)
{
	if (is_unfiltered(model) && stream_was_cut(model->stream))
		return memory_format("no chart has a value: the input was cut before the first");
	if (is_unfiltered(model))
		return memory_format("the stream has not passed cchart-filter, so nothing was measured: "
				     "the pipe is trace-collect | cchart-filter | blame-rank | report");
	if (!model->tracks->charts && model->counts->moments == 0 && !verdicts_diff(model->verdicts) && !logged_calls_function(model->called, 0) &&
	    !(model->views && views_view(model->views, 0)))
		return memory_format("nothing to report: the input holds no chart, signal or graph; "
				     "the pipe is trace-collect | cchart-filter | blame-rank | report");
	if (model->counts->moments > 0 && model->counts->graphs == 0 && may_be_explained(model))
		return memory_format("who is to blame is not in the input: put blame-rank into the pipe before report");
	return NULL;
}

/* Tells whether only usage records came: then the first stage failed, and has said why. */
static bool is_empty(const struct model *model)
{
	const struct site *site = model->site;

	return !site->has_stream && !model->tracks->charts && model->counts->moments == 0 && !verdicts_diff(model->verdicts) &&
	       site->seen.first > site->seen.last && model->overhead.read == 0 && model->overhead.filtered == 0;
}

static void add_uncounted(struct summary *summary, const struct model *model)
{
	double seconds = verdicts_uncounted(model->verdicts);
	char *text = value_seconds(seconds);

	if (seconds > 0)
		add_line(summary, memory_format("more than 4,096 names were blamed: %s of blame on those that came later is in no sum", text));
	free(text);
}

/* Adds lines about what is blamed more than in another stream. */
static void add_changes(struct summary *summary, const struct model *model)
{
	const struct diff *comparison = verdicts_diff(model->verdicts);

	for (size_t i = 0; comparison && i < comparison->changes.count; i++)
		add_line(summary, memory_format("%s", comparison->changes.items[i].words));
	if (comparison)
		add_line(summary, diff_words(comparison));
}

void summary_findings(struct summary *summary, const struct model *model)
{
	*summary = (struct summary){0};
	if (is_empty(model) && contrast_line(model->contrast, 0))
		return; /* runs, and nothing else */
	if (is_empty(model)) {
		add_line(summary, memory_format("no data: the input is empty"));
		return;
	}
	if (model->counts->moments == 0 && model->records > 0)
		add_line(summary, say_gaps(model));
	add_changes(summary, model);
	add_line(summary, say_nothing(model));
}

void summary_data(struct summary *summary, const struct model *model)
{
	*summary = (struct summary){0};
	if (is_empty(model))
		return;
	add_charts(summary, model);
	add_shifts(summary, model);
	add_line(summary, say_head(model));
	if (model->counts->moments > 0 && model->records > 0)
		add_line(summary, say_gaps(model));
	add_sheds(summary, model);
	add_uncounted(summary, model);
	add_line(summary, overhead_words(&model->overhead));
}

void summary_free(struct summary *summary)
{
	size_t i;

	for (i = 0; i < summary->lines.count; i++)
		free(summary->lines.items[i]);
	free(summary->lines.items);
}

char *summary_share_of_moments(const struct model *model, const struct verdict *verdict)
{
	if (verdict->moments == 0 || model->counts->moments < 2)
		return memory_format("%s", "");
	return memory_format("%llu/%llu", (unsigned long long)verdict->moments, (unsigned long long)model->counts->moments);
}
