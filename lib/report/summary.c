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
	int64_t first, last;

	if (!model_span(model, &first, &last))
		return;
	add_separator(out);
	if (!model->has_wall) {
		fprintf(out, "%.3f s to %.3f s of the trace clock", first / 1e9, last / 1e9);
		return;
	}
	words_date(first, from);
	words_date(last, to);
	if (!strcmp(from, to)) {
		fprintf(out, "%s UTC", from);
		return;
	}
	fprintf(out, "%s to %s UTC", from, model_has_days(model) ? to : to + strlen("2026-11-20 "));
}

static void add_events(FILE *out, const struct model *model)
{
	uint64_t read = model->seen, lost = stream_lost(model->stream);
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
	else if (ftell(out) > 0 && !stream_was_cut(model->stream) && !stream_damages(model->stream))
		fprintf(out, ", %s lost", counted ? "none" : "no events");
}

char *summary_head(const struct model *model)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	char *hosts = words_hosts(model);

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

char *summary_gaps(const struct model *model)
{
	uint64_t lost = stream_lost(model->stream), damages = stream_damages(model->stream);
	char *text = NULL, *moments;
	size_t size = 0;
	FILE *out;

	if (!stream_incomplete(model->stream) && model->incomplete_moments == 0)
		return NULL;
	out = open_memstream(&text, &size);
	if (lost > 0)
		add_count(out, lost, "", lost == 1 ? " event was lost" : " events were lost");
	if (damages > 0)
		add_count(out, damages, "", damages == 1 ? " damaged place in the stream" : " damaged places in the stream");
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

/* "trace-collect and cchart-filter" */
static void add_stages(FILE *out, const struct model *model)
{
	for (size_t i = 0; i < model->stages.count; i++)
		fprintf(out, "%s%s", i == 0 ? "" : i + 1 < model->stages.count ? ", " : " and ", model->stages.items[i]);
}

/*
 * "trace-collect and cchart-filter took 0.50 s of CPU time in 12 s, 2.1 % of 2 CPUs, for 100,361 events traced and
 * 6.4 MiB read a second". What a stage did before it began, such as placing probes, is no part of that share.
 */
static void say_cost(FILE *out, const struct model *model)
{
	uint64_t read = model->has_read ? model->read : model->filtered;
	double seconds = model->ran, share = 100 * model->cpu / model->capacity;
	char cpu[NUMBER_ROOM], wall[NUMBER_ROOM], events[NUMBER_ROOM], bytes[NUMBER_ROOM];

	if (!(seconds > 0))
		return;
	number_human_duration(cpu, (int64_t)(model->cpu * 1e9));
	number_human_duration(wall, (int64_t)(seconds * 1e9));
	number_human_count(events, (uint64_t)((double)read / seconds));
	number_human_size(bytes, (uint64_t)((double)(model->bytes + model->most) / seconds));
	add_stages(out, model);
	fprintf(out, " took %s of CPU time in %s, %.*f %% of ", cpu, wall, share < 1 ? 2 : 1, share);
	if (model->unlike)
		fputs("all CPUs", out);
	else if (model->watched_cpus > 1)
		fprintf(out, "%llu CPUs", (unsigned long long)model->watched_cpus);
	else
		fputs("one CPU", out);
	fprintf(out, ", for %s events traced and %s read a second", events, bytes);
	if (model->setup > 0) {
		number_human_duration(cpu, (int64_t)(model->setup * 1e9));
		fprintf(out, "; and %s to get ready", cpu);
	}
}

/* Whether there is something that blame-rank could explain: not rates, which name who, nor means, nor numbers by hand without events. */
static bool may_be_explained(const struct model *model)
{
	return (!model->has_kept || model->filtered > 0) && (model->signals == 0 || model->signals > model->rates);
}

static void say_nothing(FILE *out, const struct model *model)
{
	if (summary_unfiltered(model) && stream_was_cut(model->stream))
		fputs("no chart has a value: the input was cut before any was told", out);
	else if (summary_unfiltered(model))
		fputs("the stream has not passed cchart-filter, so nothing was measured: "
		      "the pipe is trace-collect | cchart-filter | blame-rank | report",
		      out);
	else if (!model->charts && model->moments == 0 && !model->compared)
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

static void add_sheds(struct summary *summary, const struct model *model)
{
	uint64_t told = model->sheds.count, others = model->all_sheds - told;

	for (size_t i = 0; i < told; i++)
		add_line(summary, words_shed(&model->sheds.items[i]));
	if (others > 0)
		add_line(summary, memory_format("and %llu more before (shed records in the stream)", (unsigned long long)others));
}

/* Nothing came but what the stages tell of themselves: the first of them failed, and has said why. */
static bool is_empty(const struct model *model)
{
	return !model->has_stream && !model->charts && model->moments == 0 && !model->compared && model->first > model->last &&
	       model->read == 0 && model->filtered == 0;
}

void summary_make(struct summary *summary, const struct model *model)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out;

	*summary = (struct summary){0};
	if (is_empty(model)) {
		add_line(summary, memory_format("no data: the input is empty"));
		return;
	}
	add_line(summary, summary_head(model));
	if (model->records > 0)
		add_line(summary, summary_gaps(model));
	add_sheds(summary, model);
	summary_charts(summary, model);
	if (model->uncounted > 0) {
		text = words_seconds(model->uncounted);
		add_line(summary, memory_format("more than 4,096 names were blamed: %s of blame on those that came later is in no sum", text));
		free(text);
		text = NULL;
	}
	add_shifts(summary, model);
	for (size_t i = 0; i < model->changes.count; i++)
		add_line(summary, memory_format("%s", model->changes.items[i].words));
	add_line(summary, words_changes(model));
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

char *summary_share_of_moments(const struct model *model, const struct verdict *verdict)
{
	if (verdict->moments == 0 || model->moments < 2)
		return memory_format("%s", "");
	return memory_format("%llu/%llu", (unsigned long long)verdict->moments, (unsigned long long)model->moments);
}
