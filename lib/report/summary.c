#include "report/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "report/words.h"

static void add_separator(FILE *out)
{
	if (ftell(out) > 0)
		fputs(", ", out);
}

static void add_count(FILE *out, uint64_t count, const char *before, const char *after)
{
	char text[NUMBER_ROOM];

	number_human_count(text, count);
	add_separator(out);
	fprintf(out, "%s%s%s", before, text, after);
}

static void add_span(FILE *out, const struct model *model)
{
	char from[WORDS_CLOCK_ROOM], to[WORDS_CLOCK_ROOM];
	bool same_day;

	if (model->first > model->last)
		return;
	add_separator(out);
	if (!model->has_wall) {
		fprintf(out, "%.3f s to %.3f s of the trace clock", model->first / 1e9, model->last / 1e9);
		return;
	}
	words_date(model->first, from);
	words_date(model->last, to);
	if (!strcmp(from, to)) {
		fprintf(out, "%s UTC", from);
		return;
	}
	same_day = !strncmp(from, to, strlen("2026-11-20"));
	fprintf(out, "%s to %s UTC", from, same_day ? to + strlen("2026-11-20 ") : to);
}

static void add_events(FILE *out, const struct model *model)
{
	/* what the recorder keeps in the kernel until a window asks for it is read by the filter alone */
	uint64_t read = model->read > model->filtered ? model->read : model->filtered;
	uint64_t lost = stream_lost(model->stream);
	bool counted = model->has_read || model->has_kept;

	if (counted)
		add_count(out, read, "", read == 1 ? " event read" : " events read");
	if (model->has_kept) {
		add_count(out, model->kept, "", " kept");
		if (model->kept > 0 && read / model->kept > 1)
			fprintf(out, " (1/%.0f)", (double)read / model->kept);
	}
	if (lost > 0)
		add_count(out, lost, "", counted ? " LOST" : lost == 1 ? " event LOST" : " events LOST");
	else if (ftell(out) > 0 && !stream_was_cut(model->stream))
		fprintf(out, ", %s lost", counted ? "none" : "no events");
}

char *summary_head(const struct model *model)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (*model->host)
		fprintf(out, "host %s", model->host);
	add_span(out, model);
	add_events(out, model);
	fclose(out);
	if (size > 0)
		return text;
	free(text);
	return NULL;
}

char *summary_gaps(const struct model *model)
{
	uint64_t lost = stream_lost(model->stream);
	char *text = NULL, *moments;
	size_t size = 0;
	FILE *out;

	if (!stream_incomplete(model->stream) && model->incomplete_moments == 0)
		return NULL;
	out = open_memstream(&text, &size);
	if (lost > 0)
		add_count(out, lost, "", lost == 1 ? " event was lost" : " events were lost");
	if (stream_was_cut(model->stream)) {
		add_separator(out);
		fputs("the input was cut before its end", out);
	}
	if (model->incomplete_moments > 0) {
		moments = words_count(model->incomplete_moments, "moment");
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

struct track *summary_main_track(const struct chart_story *chart)
{
	struct track *track, *best = chart->tracks;

	for (track = chart->tracks; track; track = track->hh.next)
		if (track->signals > best->signals || (track->signals == best->signals && track->values > best->values))
			best = track;
	return best;
}

char *summary_key(const struct model *model, const struct track *track)
{
	char name[64];

	if (strncmp(track->chart->name, "block", 5))
		return memory_format("%s", track->key);
	return memory_format("%s", model_device_name(model, track->key, name, sizeof(name)));
}

/*
 * Of limits that were learnt anew, perhaps because of the signals, those are told that the first signal was beyond:
 * "; limit 41.2 ms, median 4.5 ms"; of several keys: "; loop0: limit 41.2 ms, median 4.5 ms; 2 others"
 */
static void add_limits(FILE *out, const struct model *model, const struct chart_story *chart, const struct track *track,
		       const char *lead)
{
	bool signalled = !isnan(track->signal_ucl);
	char *limits = words_limits(track->unit, signalled ? track->signal_center : track->center,
				    signalled ? track->signal_ucl : track->ucl);
	char *key = summary_key(model, track);
	unsigned others = HASH_COUNT(chart->tracks) - 1;

	if (limits && others > 0)
		fprintf(out, "%s%s: %s; %u other%s", lead, key, limits, others, others == 1 ? "" : "s");
	else if (limits)
		fprintf(out, "%s%s", lead, limits);
	free(limits);
	free(key);
}

static void say_chart(FILE *out, const struct model *model, const struct chart_story *chart)
{
	const struct track *track = summary_main_track(chart), *t;
	const char *title = chart->title;
	char *moments = words_count(chart->moments, "abnormal moment"), *count, *greatest;
	uint64_t values = 0;

	for (t = chart->tracks; t; t = t->hh.next)
		values += t->values;
	count = words_count(values, "value");
	if (chart->signals > 0) {
		fprintf(out, "%s on chart %s", moments, chart->name);
		if (*title || !isnan(track->ucl)) {
			fprintf(out, " (%s", title);
			add_limits(out, model, chart, track, *title ? "; " : "");
			fputs(")", out);
		}
	} else if (values == 0 && (!track || isnan(track->ucl))) {
		fprintf(out, "no values on chart %s%s%s: nothing that it measures happened", chart->name,
			*title ? ", " : "", title);
	} else if (isnan(track->ucl)) {
		fprintf(out, "chart %s: no limits were learnt: %s, too few to judge any", chart->name, count);
	} else {
		fprintf(out, "nothing abnormal on chart %s: %s", chart->name, count);
		add_limits(out, model, chart, track, ", ");
		greatest = words_value(track->unit, track->greatest);
		fprintf(out, "%s%s", isnan(track->greatest) ? "" : ", largest ",
			isnan(track->greatest) ? "" : greatest);
		free(greatest);
	}
	free(count);
	free(moments);
}

/* "tailblame itself: 0.50 s of CPU time in 12 s, 2.1 % of 2 CPUs; 100,361 events traced and 6.4 MiB read a second" */
static void say_cost(FILE *out, const struct model *model)
{
	uint64_t read = model->has_read ? model->read : model->filtered;
	double seconds = model->ran, share = 100 * model->cpu / seconds / (double)(model->cpus ? model->cpus : 1);
	char cpu[NUMBER_ROOM], wall[NUMBER_ROOM], events[NUMBER_ROOM], bytes[NUMBER_ROOM];

	if (!(seconds > 0))
		return;
	number_human_duration(cpu, (int64_t)(model->cpu * 1e9));
	number_human_duration(wall, (int64_t)(seconds * 1e9));
	number_human_count(events, (uint64_t)((double)read / seconds));
	number_human_size(bytes, (uint64_t)((double)(model->bytes + model->most) / seconds));
	fprintf(out, "tailblame itself took %s of CPU time in %s, %.*f %% of ", cpu, wall, share < 1 ? 2 : 1, share);
	if (model->cpus > 1)
		fprintf(out, "%llu CPUs", (unsigned long long)model->cpus);
	else
		fputs("one CPU", out);
	fprintf(out, ", for %s events traced and %s read a second", events, bytes);
}

/* Whether there is something that blame-rank could explain: not rates, which name who, nor numbers by hand without events. */
static bool may_be_explained(const struct model *model)
{
	return (!model->has_kept || model->filtered > 0) && (model->signals == 0 || model->signals > model->rates);
}

static void say_nothing(FILE *out, const struct model *model)
{
	if (model->records == 0)
		fputs("no data: the input is empty", out);
	else if (!model->charts && model->moments == 0 && !model->changes.count)
		fputs("nothing to report: the input holds no chart, signal or graph; "
		      "the pipe is trace-collect | cchart-filter | blame-rank | report",
		      out);
	else if (model->moments > 0 && model->graphs == 0 && may_be_explained(model))
		fputs("who is to blame is not in the input: put blame-rank into the pipe before report", out);
}

static void add_line(struct summary *summary, char *line)
{
	if (line)
		*ARRAY_ADD(&summary->lines) = line;
}

enum { SHIFTS_TOLD = 5 };

static void add_shifts(struct summary *summary, const struct model *model)
{
	struct level_change found[SHIFTS_TOLD];
	uint64_t others;
	size_t count = shifts_that_matter(model, found, SHIFTS_TOLD, &others);

	for (size_t i = 0; i < count; i++)
		add_line(summary, words_shift(model, found[i].track, found[i].shift));
	if (others > 0)
		add_line(summary, memory_format("%s%llu lesser change%s of level (told by report -f json)", count > 0 ? "and " : "", (unsigned long long)others,
						others == 1 ? "" : "s"));
}

void summary_make(struct summary *summary, const struct model *model)
{
	struct chart_story *chart;
	char *text = NULL;
	size_t size = 0;
	FILE *out;

	*summary = (struct summary){0};
	add_line(summary, summary_head(model));
	if (model->records > 0)
		add_line(summary, summary_gaps(model));
	for (chart = model->charts; chart; chart = chart->hh.next) {
		out = open_memstream(&text, &size);
		say_chart(out, model, chart);
		fclose(out);
		add_line(summary, text);
	}
	add_shifts(summary, model);
	for (size_t i = 0; i < model->changes.count; i++)
		add_line(summary, memory_format("%s", model->changes.items[i].words));
	out = open_memstream(&text, &size);
	say_cost(out, model);
	fclose(out);
	if (size > 0)
		add_line(summary, text);
	else
		free(text);
	out = open_memstream(&text, &size);
	say_nothing(out, model);
	fclose(out);
	if (size > 0)
		add_line(summary, text);
	else
		free(text);
}

void summary_free(struct summary *summary)
{
	size_t i;

	for (i = 0; i < summary->lines.count; i++)
		free(summary->lines.items[i]);
	free(summary->lines.items);
}

char *summary_verdict(const struct model *model, const struct verdict *verdict)
{
	char *moments;
	char *words;

	if (verdict->moments == 0 || model->moments < 2)
		return memory_format("%s", verdict->name);
	moments = words_count(model->moments, "moment");
	words = memory_format("%s, in %llu of %s", verdict->name, (unsigned long long)verdict->moments, moments);
	free(moments);
	return words;
}
