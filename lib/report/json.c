/* The report as one JSON object; tailblame-report(5) describes it. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/group.h"
#include "report/json_put.h"
#include "report/output.h"
#include "report/summary.h"
#include "report/words.h"

enum {
	JSON_SHAPE = 1,
	WORST_LISTED = 20,
	VERDICTS_LISTED = 100,
	DUMP_FLAGS = JSON_INDENT(2) | JSON_REAL_PRECISION(15)
};

static void set_clock(json_t *object, const char *key, const struct clock *clock, int64_t ts)
{
	char text[WORDS_CLOCK_ROOM];

	if (!clock->has_wall)
		return;
	words_iso_time(time_sum(clock->wall, ts), text);
	json_put_text(object, key, text);
}

static const char *unit_name(enum unit unit)
{
	static const char *const names[] = {
		[UNIT_NONE] = "", [UNIT_SECONDS] = "seconds", [UNIT_SHARE] = "share", [UNIT_RATE] = "per_second"};

	return names[unit];
}

static json_t *signal_object(const struct report *report, const struct signal *signal, const struct clock *clock)
{
	json_t *object = json_object(), *shown = json_object();
	size_t i;

	json_put_text(object, "id", signal->id);
	json_put_words(object, "words", words_signal(report->model, signal));
	set_clock(object, "time", clock, signal->start);
	json_put_seconds(object, "start", signal->start);
	json_put_seconds(object, "end", signal->ts);
	json_put_text(object, "chart", signal->chart);
	json_put_text(object, "key", signal->key);
	json_put_real(object, "value", signal->value);
	json_put_text(object, "unit", unit_name(signal->unit));
	json_put_real(object, "center", signal->center);
	json_put_real(object, "lcl", signal->lcl);
	json_put_real(object, "ucl", signal->ucl);
	json_put_text(object, "rules", signal->rules);
	if (signal->tid)
		json_put_count(object, "tid", signal->tid);
	json_put_text(object, "comm", signal->comm);
	json_put_identity(object, "process", &signal->identity);
	json_object_set_new(object, "open", json_boolean(signal->open));
	for (i = 0; i < signal->shown.count; i++)
		json_put_text(shown, signal->shown.items[i].key, signal->shown.items[i].value);
	json_object_set_new(object, "shown", shown);
	return object;
}

static json_t *path_array(const struct story *story)
{
	json_t *array = json_array(), *object;
	const struct part *part;

	for (part = story->parts; part; part = part->hh.next) {
		object = json_object();
		json_put_text(object, "what", node_what_name(part->what));
		json_put_words(object, "words", memory_format("%s%s", part->words, part->meanwhile));
		json_put_real(object, "time", part->time);
		json_put_real(object, "share", story_share(story, part));
		json_put_count(object, "pieces", part->pieces);
		json_put_deed(object, "deed", part->deed);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *blame_array(const struct story *story)
{
	json_t *array = json_array(), *object;
	const struct culprit *culprit;
	size_t i;

	for (i = 0; i < story->culprits.count; i++) {
		culprit = &story->culprits.items[i];
		object = json_object();
		json_put_count(object, "rank", culprit->rank ? culprit->rank : i + 1);
		json_put_text(object, "name", culprit->name);
		json_put_text(object, "label", culprit->label);
		json_put_text(object, "words", culprit->fuller);
		json_put_deed(object, "deed", culprit->deed);
		json_put_real(object, "score", culprit->score);
		if (!culprit->timeless)
			json_put_real(object, "share", culprit->share);
		json_object_set_new(object, "on_path", json_boolean(culprit->on_path));
		json_put_count(object, "instances", culprit->instances);
		if (culprit->threads > 0)
			json_put_count(object, "threads", culprit->threads);
		if (culprit->processes > 0)
			json_put_count(object, "processes", culprit->processes);
		json_put_identity(object, "process", &culprit->identity);
		json_put_text(object, "algorithm", culprit->algorithm);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *story_object(const struct report *report, const struct story *story)
{
	json_t *object = json_object();

	json_put_text(object, "graph", story->graph);
	json_put_text(object, "kind", story->kind == GRAPH_WAKE ? "wake" : "rag");
	json_put_words(object, "words", words_story(report->model, story));
	if (story->signal)
		json_put_text(object, "signal", story->signal->id);
	if (story_length(story) > 0) {
		json_put_seconds(object, "from", story->from);
		json_put_seconds(object, "to", story->to);
	}
	json_put_text(object, "chain", story->chain);
	json_object_set_new(object, "path", path_array(story));
	json_object_set_new(object, "blame", blame_array(story));
	return object;
}

static json_t *group_array(const struct report *report, const struct moment *moment)
{
	json_t *array = json_array(), *object;
	struct groups groups;

	groups_make(&groups, moment);
	for (size_t i = 0; i < groups.count; i++) {
		const struct group *group = &groups.items[i];

		object = json_object();
		json_put_words(object, "words", group_words(report->model, moment, group));
		json_put_text(object, "chart", group->first->chart);
		json_put_text(object, "key", group->first->key);
		json_put_text(object, "comm", group->first->comm);
		json_object_set_new(object, "open", json_boolean(group->first->open));
		json_put_text(object, "culprit", group->culprit);
		json_put_count(object, "signals", group->count);
		json_put_count(object, "explained", group->explained);
		json_put_real(object, "sum", group->sum);
		json_put_real(object, "longest", group->longest);
		json_array_append_new(array, object);
	}
	free(groups.items);
	return array;
}

static json_t *moment_object(const struct report *report, const struct moment *moment)
{
	json_t *object = json_object(), *signals = json_array(), *graphs = json_array();
	size_t i;

	json_put_count(object, "number", moment->number);
	json_put_text(object, "window", moment->window);
	json_put_text(object, "host", moment->host);
	if (moment->to >= moment->from) {
		set_clock(object, "time", &moment->clock, moment->from);
		json_put_seconds(object, "from", moment->from);
		json_put_seconds(object, "to", moment->to);
	}
	json_object_set_new(object, "complete", json_boolean(moment->complete));
	json_put_count(object, "signals", moment->signals);
	for (i = 0; i < moment->worst.count && (i < WORST_LISTED || report->options.all); i++)
		json_array_append_new(signals, signal_object(report, moment->worst.items[i], &moment->clock));
	for (i = 0; i < moment->stories.count; i++)
		json_array_append_new(graphs, story_object(report, moment->stories.items[i]));
	json_object_set_new(object, "worst", signals);
	json_object_set_new(object, "groups", group_array(report, moment));
	json_object_set_new(object, "graphs", graphs);
	return object;
}

static json_t *shift_array(const struct report *report, const struct track *track)
{
	json_t *array = json_array(), *object;
	size_t i;

	for (i = 0; i < track->shifts.count; i++) {
		const struct shift *shift = &track->shifts.items[i];

		object = json_object();
		json_put_words(object, "words", words_shift(report->model, track, shift));
		set_clock(object, "time", &shift->clock, shift->at);
		json_put_seconds(object, "since", shift->at);
		json_put_text(object, "way", shift->up ? "up" : "down");
		json_put_real(object, "from", shift->from);
		json_put_real(object, "to", shift->to);
		json_array_append_new(array, object);
	}
	return array;
}

/* What may have ended unseen. */
static json_t *doubted_object(const struct unfinished *doubted)
{
	json_t *object = json_object();

	json_put_count(object, "count", doubted->count);
	json_put_real(object, "oldest", doubted->oldest);
	json_put_text(object, "doubt", doubted->overtaken ? "overtaken" : "cpu");
	if (!doubted->overtaken && doubted->cpu >= 0)
		json_put_count(object, "cpu", (uint64_t)doubted->cpu);
	return object;
}

static json_t *chart_object(const struct report *report, const struct chart_story *chart)
{
	json_t *object = json_object(), *keys = json_array(), *entry;
	const struct track *track;

	json_put_text(object, "name", chart->name);
	json_put_text(object, "title", chart->title);
	json_put_count(object, "signals", chart->signals);
	json_put_count(object, "moments", chart->moments);
	for (track = chart->tracks; track; track = track->hh.next) {
		entry = json_object();
		json_put_text(entry, "key", track->key);
		json_put_count(entry, "signals", track->signals);
		json_put_count(entry, "values", track->values);
		json_put_real(entry, "largest", track->greatest);
		json_put_real(entry, "center", track->center);
		json_put_real(entry, "lcl", track->lcl);
		json_put_real(entry, "ucl", track->ucl);
		json_put_count(entry, "n", track->learnt_from);
		json_put_text(entry, "method", track->method);
		json_put_text(entry, "unit", unit_name(track->unit));
		if (track->open.count > 0) {
			json_put_count(entry, "open", track->open.count);
			json_put_real(entry, "oldest", track->open.oldest);
		}
		if (track->doubted.count > 0)
			json_object_set_new(entry, "doubted", doubted_object(&track->doubted));
		if (track == chart->others)
			json_object_set_new(entry, "others", json_true());
		if (track->shifts.count > 0)
			json_object_set_new(entry, "changes", shift_array(report, track));
		json_array_append_new(keys, entry);
	}
	json_object_set_new(object, "keys", keys);
	return object;
}

static json_t *verdict_array(struct report *report)
{
	struct verdict verdicts[VERDICTS_LISTED];
	size_t i, n = model_verdicts(report->model, verdicts, VERDICTS_LISTED);
	json_t *array = json_array(), *object;

	for (i = 0; i < n; i++) {
		object = json_object();
		json_put_count(object, "rank", i + 1);
		json_put_text(object, "words", verdicts[i].name);
		json_put_real(object, "score", verdicts[i].score);
		json_put_real(object, "share", verdicts[i].share);
		json_put_count(object, "moments", verdicts[i].moments);
		json_put_identity(object, "process", verdicts[i].identity);
		json_array_append_new(array, object);
	}
	return array;
}

/* What blame-rank --diff found. */
static json_t *change_array(const struct model *model)
{
	json_t *array = json_array(), *object;
	const struct change *change;
	size_t i;

	for (i = 0; i < model->changes.count; i++) {
		change = &model->changes.items[i];
		object = json_object();
		json_put_count(object, "rank", i + 1);
		json_put_text(object, "name", change->name);
		json_put_text(object, "words", change->words);
		json_put_real(object, "good", change->good);
		json_put_real(object, "bad", change->bad);
		json_put_real(object, "p", change->p);
		json_put_text(object, "sure", change->sure);
		json_put_count(object, "good_moments", model->good_moments);
		json_put_count(object, "bad_moments", model->bad_moments);
		json_array_append_new(array, object);
	}
	return array;
}

/* Of several, what is said of the machine would be true of one. */
static void put_hosts(json_t *object, const struct model *model)
{
	json_t *hosts = json_array();

	if (model->hosts.count <= 1) {
		json_put_text(object, "host", model->host);
		json_put_text(object, "kernel", model->kernel);
	}
	for (size_t i = 0; i < model->hosts.count; i++)
		if (*model->hosts.items[i])
			json_array_append_new(hosts, json_string(model->hosts.items[i]));
	if (model->hosts.count > 1)
		json_object_set(object, "hosts", hosts);
	json_decref(hosts);
}

static json_t *report_object(struct report *report)
{
	const struct model *model = report->model;
	json_t *object = json_object(), *charts = json_array();
	const struct clock unix_clock = {.has_wall = model->has_wall};
	const struct chart_story *chart;
	int64_t first, last;

	json_put_count(object, "version", JSON_SHAPE);
	put_hosts(object, model);
	if (model_span(model, &first, &last)) {
		set_clock(object, "start", &unix_clock, first);
		set_clock(object, "end", &unix_clock, last);
		json_put_seconds(object, "span", last - first);
	}
	if (model->has_read || model->has_kept)
		json_put_count(object, "events_read", model->seen);
	if (model->has_kept)
		json_put_count(object, "events_kept", model->kept);
	json_put_count(object, "events_lost", stream_lost(report->stream));
	json_object_set_new(object, "cut", json_boolean(stream_was_cut(report->stream)));
	json_object_set_new(object, "complete",
			    json_boolean(!stream_incomplete(report->stream) && model->incomplete_moments == 0));
	for (chart = model->charts; chart; chart = chart->hh.next)
		json_array_append_new(charts, chart_object(report, chart));
	json_object_set_new(object, "charts", charts);
	json_object_set_new(object, "blame", verdict_array(report));
	if (model->uncounted > 0)
		json_put_real(object, "blame_uncounted", model->uncounted);
	if (model->compared)
		json_object_set_new(object, "changes", change_array(model));
	return object;
}

static int json_begin(struct report *report)
{
	report->state = file_temporary(NULL);
	return report->state ? 0 : -1;
}

/* Adds what jansson wrote, further in. No text of JSON has a newline in it. */
static int put_indented(const char *text, size_t length, void *out)
{
	size_t i;

	for (i = 0; i < length; i++) {
		fputc(text[i], out);
		if (text[i] == '\n')
			fputs("    ", out);
	}
	return 0;
}

static int json_moment(struct report *report, const struct moment *moment)
{
	json_t *object = moment_object(report, moment);
	FILE *moments = report->state;

	fputs(ftell(moments) > 0 ? ",\n    " : "    ", moments);
	json_dump_callback(object, put_indented, moments, DUMP_FLAGS);
	json_decref(object);
	return file_settle(moments);
}

/* The object's last key is written by hand, for an all-day run's moments would not fit into memory. */
static int json_end(struct report *report, bool failed)
{
	FILE *out = report->out;
	json_t *object;
	int status = 0;
	char *text;

	if (file_settle(report->state) < 0)
		return -1;
	if (failed)
		stream_mark_incomplete(report->stream);
	object = report_object(report);
	text = json_dumps(object, DUMP_FLAGS);
	fwrite(text, 1, strlen(text) - strlen("\n}"), out);
	fputs(",\n  \"moments\": [", out);
	if (report->model->moments > 0) {
		fputc('\n', out);
		status = report_append(report, report->state);
		fputs("\n  ", out);
	}
	fputs("]\n}\n", out);
	json_decref(object);
	free(text);
	return report_flush(report) < 0 ? -1 : status;
}

static void json_free(struct report *report)
{
	if (report->state)
		fclose(report->state);
}

const struct format format_json = {
	.name = "json", .begin = json_begin, .moment = json_moment, .end = json_end, .free = json_free};
