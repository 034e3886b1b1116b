/* The report as one JSON object; tailblame-report(5) describes it. What is not known has no key: absent rather than null. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "graph/graph_record.h"
#include "model/display.h"
#include "report/group.h"
#include "report/incident.h"
#include "report/output.h"

enum {
	JSON_SHAPE = 1,
	WORST_LISTED = 20,
	VERDICTS_LISTED = 100,
	LOGGED_LISTED = 100,
	DUMP_FLAGS = JSON_INDENT(2) | JSON_REAL_PRECISION(15)
};

static void json_put_text(json_t *object, const char *key, const char *text)
{
	if (text && *text)
		json_object_set_new(object, key, json_string(text));
}

static void json_put_real(json_t *object, const char *key, double value)
{
	if (isfinite(value))
		json_object_set_new(object, key, json_real(value));
}

static void json_put_count(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(object, key, json_integer(value));
}

static void json_put_seconds(json_t *object, const char *key, int64_t ns)
{
	json_put_real(object, key, ns / 1e9);
}

static void json_put_words(json_t *object, const char *key, char *words)
{
	json_put_text(object, key, words);
	free(words);
}

static void json_put_identity(json_t *object, const char *key, const struct identity *identity)
{
	json_t *process;

	if (!identity || !identity->pid)
		return;
	process = json_object();
	json_put_count(process, "pid", (uint64_t)identity->pid);
	json_put_text(process, "program", identity->program);
	json_put_text(process, "title", identity->title);
	json_put_text(process, "cgroup", identity->cgroup);
	if (identity->mostly)
		json_object_set_new(process, "mostly", json_true());
	json_object_set_new(object, key, process);
}

static void json_put_clean(json_t *object, const char *key, const char *text)
{
	if (text)
		json_put_words(object, key, display_clean(text));
}

/* Puts the keys of a deed, as records have them; a deed that is only text has none. */
static void json_put_deed(json_t *object, const struct deed *deed)
{
	struct line line = {0};
	struct fields fields;
	json_t *keys;

	if (deed->kind == DEED_TEXT)
		return;
	keys = json_object();
	line_begin(&line, "deed");
	deed_spell(deed, &line);
	if (fields_parse(&fields, line.text, line.length) < 0)
		fields.count = 0;
	for (int i = 0; i < fields.count; i++) {
		const struct field *field = &fields.item[i];
		char *name = memory_text(field->key, field->key_length), *raw = memory_new(field->value_length + 1, 1), *clean;

		field_text(field, raw, field->value_length + 1);
		clean = display_clean(raw);
		json_put_text(keys, name, clean);
		free(clean);
		free(raw);
		free(name);
	}
	json_object_set_new(object, "deed", keys);
	line_free(&line);
}

static void set_clock(json_t *object, const char *key, const struct clock *clock, int64_t ts)
{
	char text[TIME_ROOM];

	if (!clock->has_wall)
		return;
	time_iso(time_sum(clock->wall, ts), text);
	json_put_text(object, key, text);
}

static json_t *signal_object(const struct report *report, const struct signal *signal, const struct clock *clock)
{
	json_t *object = json_object(), *shown = json_object();
	size_t i;

	json_put_text(object, "id", signal->id);
	json_put_words(object, "words", signal_words(report->model->site, signal));
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
	if (signal->signs) {
		json_put_count(object, "signs", signal->signs);
		json_put_seconds(object, "sign_time", signal->sign_ts);
		json_put_real(object, "sign_value", signal->sign_value);
	}
	if (signal->tid)
		json_put_count(object, "tid", signal->tid);
	json_put_text(object, "comm", signal->comm);
	json_put_identity(object, "process", &signal->identity);
	if (signal->client)
		json_put_text(object, "client", signal->client);
	if (signal->client_tid)
		json_put_count(object, "client_tid", (uint64_t)signal->client_tid);
	json_put_identity(object, "client_process", &signal->client_identity);
	json_object_set_new(object, "open", json_boolean(signal->open));
	for (i = 0; i < signal->shown.count; i++)
		json_put_text(shown, signal->shown.items[i].key, signal->shown.items[i].value);
	json_object_set_new(object, "shown", shown);
	return object;
}

static json_t *path_array(const struct story *story)
{
	json_t *array = json_array(), *object;
	const struct story_part *part;

	for (part = story->parts; part; part = part->hh.next) {
		object = json_object();
		json_put_text(object, "what", node_what_name(part->what));
		json_put_words(object, "words", memory_format("%s%s", part->words, part->meanwhile));
		json_put_real(object, "time", part->time);
		json_put_real(object, "share", story_share(story, part));
		json_put_count(object, "pieces", part->pieces);
		json_put_deed(object, part->deed);
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
		json_put_deed(object, culprit->deed);
		if (culprit->samples > 0) {
			json_put_count(object, "samples", culprit->samples);
			json_put_count(object, "in_function", culprit->in_function);
		}
		if (*culprit->counters) {
			json_put_text(object, "counters", culprit->counters);
			json_put_real(object, "counted", (double)culprit->counted / 1e9);
		}
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
		json_put_identity(object, "whom_process", &culprit->whom_identity);
		json_put_text(object, "algorithm", culprit->algorithm);
		json_array_append_new(array, object);
	}
	return array;
}

/* The chain of waits, from the slow thread on. */
static json_t *link_array(const struct story *story)
{
	json_t *array = json_array(), *object;

	for (size_t i = 0; i < story->links.count; i++) {
		const struct chain_link *link = &story->links.items[i];

		object = json_object();
		json_put_text(object, "name", link->name);
		json_put_count(object, "tid", (uint64_t)link->tid);
		if (link->identity.pid) {
			json_put_count(object, "pid", (uint64_t)link->identity.pid);
			json_put_text(object, "program", link->identity.program);
			json_put_text(object, "title", link->identity.title);
			json_put_text(object, "unit", link->identity.cgroup);
		}
		if (link->wait) {
			json_put_clean(object, "syscall", link->wait->syscall);
			json_put_clean(object, "object", link->wait->object);
			json_put_clean(object, "lock", link->wait->lock);
			json_put_text(object, "queue", link->queue);
		}
		if (i + 1 < story->links.count)
			json_put_count(object, "waits_for", (uint64_t)story->links.items[i + 1].tid);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *story_object(const struct report *report, const struct story *story)
{
	json_t *object = json_object();

	json_put_text(object, "graph", story->graph);
	json_put_text(object, "kind", story->kind == GRAPH_WAKE ? "wake" : "rag");
	json_put_words(object, "words", story_words(report->model->site, story));
	if (story->signal)
		json_put_text(object, "signal", story->signal->id);
	if (story_length(story) > 0) {
		json_put_seconds(object, "from", story->from);
		json_put_seconds(object, "to", story->to);
	}
	json_put_text(object, "chain", story->chain);
	json_put_text(object, "hint", story->hint);
	if (story->links.count)
		json_object_set_new(object, "links", link_array(story));
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
		json_put_words(object, "words", group_words(report->model->site, moment, group));
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

/* `first`: the number of the moment that the incident began with. */
static json_t *moment_object(const struct report *report, const struct moment *moment, uint64_t first)
{
	json_t *object = json_object(), *signals = json_array(), *graphs = json_array();
	size_t i;

	json_put_count(object, "number", moment->number);
	json_put_text(object, "window", moment->window);
	if (first != moment->number)
		json_put_count(object, "goes_on_from", first);
	json_put_text(object, "host", moment->host);
	if (moment->to >= moment->from) {
		set_clock(object, "time", &moment->clock, moment->from);
		json_put_seconds(object, "from", moment->from);
		json_put_seconds(object, "to", moment->to);
	}
	json_object_set_new(object, "complete", json_boolean(moment->complete));
	if (moment_is_own(moment))
		json_object_set_new(object, "own", json_true());
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
		json_put_words(object, "words", tracks_shift_words(report->model->tracks, track, shift));
		set_clock(object, "time", &shift->clock, shift->at);
		json_put_seconds(object, "since", shift->at);
		json_put_text(object, "way", shift->up ? "up" : "down");
		json_put_real(object, "from", shift->from);
		json_put_real(object, "to", shift->to);
		json_array_append_new(array, object);
	}
	return array;
}

/* Intervals that may have ended unseen. */
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

static json_t *summed_object(const struct summed *summed)
{
	json_t *object = json_object();

	json_put_count(object, "count", summed->count);
	json_put_real(object, "mean", summed->mean);
	json_put_real(object, "p50", summed->p50);
	json_put_real(object, "p95", summed->p95);
	json_put_real(object, "p99", summed->p99);
	json_put_real(object, "max", summed->most);
	json_put_seconds(object, "max_ts", summed->most_at);
	set_clock(object, "max_time", &summed->clock, summed->most_at);
	return object;
}

static json_t *chart_object(const struct report *report, const struct tracked_chart *chart)
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
		if (track->host)
			json_put_text(entry, "host", track->host);
		json_put_words(entry, "label", tracks_label(report->model->tracks, track));
		json_put_count(entry, "signals", track->signals);
		json_put_count(entry, "values", track->values);
		json_put_real(entry, "largest", track->greatest);
		json_put_real(entry, "center", track->center);
		json_put_real(entry, "lcl", track->lcl);
		json_put_real(entry, "ucl", track->ucl);
		json_put_count(entry, "n", track->learnt_from);
		json_put_text(entry, "method", track->method);
		json_put_text(entry, "unit", unit_name(track->unit));
		if (track->summed.count > 0)
			json_object_set_new(entry, "summary", summed_object(&track->summed));
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

static void put_since(json_t *object, int64_t since)
{
	char text[TIME_ROOM];

	if (since == INT64_MAX)
		return;
	time_iso(since, text);
	json_put_text(object, "since", text);
}

static json_t *verdict_array(struct report *report)
{
	struct verdict verdicts[VERDICTS_LISTED];
	size_t i, n = verdicts_list(report->model->verdicts, verdicts, VERDICTS_LISTED);
	json_t *array = json_array(), *object;

	for (i = 0; i < n; i++) {
		object = json_object();
		json_put_count(object, "rank", i + 1);
		json_put_text(object, "words", verdicts[i].name);
		json_put_real(object, "score", verdicts[i].score);
		json_put_real(object, "share", verdicts[i].share);
		json_put_count(object, "moments", verdicts[i].moments);
		if (verdicts_hosts(report->model->verdicts) > 1) {
			json_put_count(object, "hosts", verdicts[i].hosts);
			put_since(object, verdicts[i].since);
		}
		json_put_identity(object, "process", verdicts[i].identity);
		json_array_append_new(array, object);
	}
	return array;
}

/* The findings of blame-rank --diff. */
static json_t *change_array(const struct diff *comparison)
{
	json_t *array = json_array(), *object;
	const struct change *change;
	size_t i;

	for (i = 0; i < comparison->changes.count; i++) {
		change = &comparison->changes.items[i];
		object = json_object();
		json_put_count(object, "rank", i + 1);
		json_put_text(object, "name", change->name);
		json_put_text(object, "words", change->words);
		json_put_real(object, "good", change->good);
		json_put_real(object, "bad", change->bad);
		json_put_real(object, "p", change->p);
		json_put_text(object, "sure", change->sure);
		json_put_count(object, "good_moments", comparison->good_moments);
		json_put_count(object, "bad_moments", comparison->bad_moments);
		json_array_append_new(array, object);
	}
	return array;
}

static void put_classes(json_t *object, const char *name, const double *values)
{
	json_t *pair = json_object();

	json_put_real(pair, "matched", values[LOGGED_MATCHED]);
	json_put_real(pair, "others", values[LOGGED_OTHERS]);
	json_object_set_new(object, name, pair);
}

static json_t *logged_row_object(const struct logged_row *row)
{
	json_t *object = json_object(), *requests = json_object();

	json_put_text(object, "words", row->words);
	json_put_text(object, "kind", row->kind == GRAPH_RAG ? "rag" : "wake");
	put_classes(object, "path", row->path);
	put_classes(object, "blame", row->blame);
	json_put_count(requests, "matched", row->requests[LOGGED_MATCHED]);
	json_put_count(requests, "others", row->requests[LOGGED_OTHERS]);
	json_object_set_new(object, "requests", requests);
	return object;
}

/* A trigger's requests: those that matched beside the others. */
static json_t *trigger_object(const struct logged_trigger *trigger)
{
	static const char *const names[] = {[LOGGED_MATCHED] = "matched", [LOGGED_OTHERS] = "others"};
	json_t *object = json_object(), *rows = json_array();

	json_put_text(object, "name", trigger->name);
	for (int class = 0; class < LOGGED_CLASSES; class++) {
		json_t *of_class = json_object();
		uint64_t requests = trigger->classes[class].requests;

		json_put_count(of_class, "ended", trigger->classes[class].ended);
		json_put_count(of_class, "logged", requests);
		json_put_real(of_class, "mean", requests ? trigger->classes[class].seconds / (double)requests : NAN);
		json_object_set_new(object, names[class], of_class);
	}
	for (size_t i = 0; i < trigger->rows.count && i < LOGGED_LISTED; i++)
		json_array_append_new(rows, logged_row_object(&trigger->rows.items[i]));
	json_object_set_new(object, "rows", rows);
	return object;
}

/* NULL: no trigger logged a request. */
static json_t *trigger_array(const struct model *model)
{
	const struct logged_trigger *trigger = logged_requests_trigger(model->logged, 0);
	json_t *array = trigger ? json_array() : NULL;

	for (size_t i = 0; (trigger = logged_requests_trigger(model->logged, i)); i++)
		json_array_append_new(array, trigger_object(trigger));
	return array;
}

static json_t *called_object(const struct logged_function *function)
{
	static const char *const names[] = {[LOGGED_MATCHED] = "matched", [LOGGED_OTHERS] = "others"};
	json_t *object = json_object(), *values = json_array();

	if (function->trigger)
		json_put_text(object, "trigger", function->trigger);
	json_put_text(object, "function", function->name);
	for (int class = 0; class < (function->trigger ? LOGGED_CLASSES : 1); class++) {
		json_t *of_class = json_object();
		uint64_t calls = function->calls[class];

		json_put_count(of_class, "calls", calls);
		json_put_real(of_class, "mean", calls ? function->seconds[class] / (double)calls : NAN);
		json_object_set_new(object, function->trigger ? names[class] : "all", of_class);
	}
	for (size_t i = 0; i < function->values.count && i < LOGGED_LISTED; i++) {
		json_t *value = json_object();

		json_put_text(value, "name", function->values.items[i].name);
		json_put_text(value, "value", function->values.items[i].value);
		put_classes(value, "share", function->values.items[i].share);
		json_array_append_new(values, value);
	}
	json_object_set_new(object, "values", values);
	return object;
}

/* NULL: no call was logged. */
static json_t *called_array(const struct model *model)
{
	const struct logged_function *function = logged_calls_function(model->called, 0);
	json_t *array = function ? json_array() : NULL;

	for (size_t i = 0; (function = logged_calls_function(model->called, i)); i++)
		json_array_append_new(array, called_object(function));
	return array;
}

/* Puts the host and its kernel; of several hosts, only the names. */
static void put_hosts(json_t *object, const struct model *model)
{
	json_t *hosts = json_array();

	if (model->site->hosts.count <= 1) {
		json_put_text(object, "host", model->site->host);
		json_put_text(object, "kernel", model->site->kernel);
	}
	for (size_t i = 0; i < model->site->hosts.count; i++)
		if (*model->site->hosts.items[i])
			json_array_append_new(hosts, json_string(model->site->hosts.items[i]));
	if (model->site->hosts.count > 1)
		json_object_set(object, "hosts", hosts);
	json_decref(hosts);
}

/* The moments after the worst one that the report's first lines tell. */
static void put_next(json_t *headline, const struct report *report)
{
	json_t *array = json_array(), *next;

	for (size_t i = 1; i < report->headlines.count; i++) {
		next = json_object();
		json_put_count(next, "moment", report->headlines.items[i].number);
		json_put_words(next, "words", headlines_next(&report->headlines, report->model->site, i));
		json_array_append_new(array, next);
	}
	if (json_array_size(array) > 0)
		json_object_set(headline, "next", array);
	json_decref(array);
}

/* The first lines of the report, and which moment they are about. */
static void put_headline(json_t *object, const struct report *report)
{
	json_t *lines = json_array(), *headline;
	char *first;

	if (report->headlines.count > 0) {
		first = headlines_first(&report->headlines, report->model);
		headline = json_object();
		json_put_count(headline, "moment", report->headlines.items[0].number);
		json_array_append_new(lines, json_string(first));
		if (*report->headlines.items[0].chain)
			json_array_append_new(lines, json_string(report->headlines.items[0].chain));
		if (*report->headlines.items[0].blame)
			json_array_append_new(lines, json_string(report->headlines.items[0].blame));
		json_object_set(headline, "words", lines);
		put_next(headline, report);
		json_object_set_new(object, "headline", headline);
		free(first);
	}
	json_decref(lines);
}

/* Who usually ends the waits, by window; NULL: that is not known. */
static json_t *usual_array(const struct model *model)
{
	json_t *array = NULL;
	const struct usual_window *window;

	for (size_t i = 0; (window = usual_culprit_window(model->usual, i)); i++) {
		json_t *object = json_pack("{s:s, s:s, s:O*}", "window", window->id, "words", window->lines, "culprit", window->culprit);

		if (model->hosts.count)
			json_object_set_new(object, "host", json_string(window->host));
		array = array ? array : json_array();
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *report_object(struct report *report)
{
	const struct model *model = report->model;
	json_t *object = json_object(), *charts = json_array(), *triggers, *runs, *calls, *usual;
	const struct clock unix_clock = {.has_wall = model->site->has_wall};
	const struct diff *comparison = verdicts_diff(model->verdicts);
	const struct tracked_chart *chart;
	int64_t first, last;

	json_put_count(object, "version", JSON_SHAPE);
	put_hosts(object, model);
	if (site_span(model->site, &first, &last)) {
		set_clock(object, "start", &unix_clock, first);
		set_clock(object, "end", &unix_clock, last);
		json_put_seconds(object, "span", last - first);
	}
	if (model->overhead.has_read || model->overhead.has_kept)
		json_put_count(object, "events_read", model->overhead.seen);
	if (model->overhead.has_kept)
		json_put_count(object, "events_kept", model->overhead.kept);
	json_put_count(object, "events_lost", stream_lost(report->stream));
	json_object_set_new(object, "cut", json_boolean(stream_was_cut(report->stream)));
	json_object_set_new(object, "complete",
			    json_boolean(!stream_incomplete(report->stream) && model->counts->incomplete == 0));
	for (chart = model->tracks->charts; chart; chart = chart->hh.next)
		json_array_append_new(charts, chart_object(report, chart));
	put_headline(object, report);
	json_object_set_new(object, "charts", charts);
	json_object_set_new(object, "blame", verdict_array(report));
	if (verdicts_uncounted(model->verdicts) > 0)
		json_put_real(object, "blame_uncounted", verdicts_uncounted(model->verdicts));
	if (comparison)
		json_object_set_new(object, "changes", change_array(comparison));
	triggers = trigger_array(model);
	if (triggers)
		json_object_set_new(object, "triggers", triggers);
	calls = called_array(model);
	if (calls)
		json_object_set_new(object, "calls", calls);
	usual = usual_array(model);
	if (usual)
		json_object_set_new(object, "usual", usual);
	runs = contrast_object(model->contrast);
	if (runs)
		json_object_set_new(object, "runs", runs);
	return object;
}

struct json {
	FILE *moments;
	struct incident incident;
};

static int json_begin(struct report *report)
{
	struct json *json = NEW(struct json);

	report->state = json;
	json->moments = file_temporary(NULL);
	return json->moments ? 0 : -1;
}

/* Writes the output of jansson, indented further. No JSON string contains a newline. */
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
	struct json *json = report->state;
	json_t *object;

	if (incident_goes_on(&json->incident, moment))
		incident_add(&json->incident, moment);
	else
		incident_begin(&json->incident, moment);
	object = moment_object(report, moment, json->incident.moments > 1 ? json->incident.first : moment->number);
	fputs(ftell(json->moments) > 0 ? ",\n    " : "    ", json->moments);
	json_dump_callback(object, put_indented, json->moments, DUMP_FLAGS);
	json_decref(object);
	return file_settle(json->moments);
}

/* The object's last key is written by hand: the moments of an all-day run would not fit into memory. */
static int json_end(struct report *report, bool failed)
{
	const struct json *json = report->state;
	FILE *out = report->out;
	json_t *object;
	int status = 0;
	char *text;

	if (file_settle(json->moments) < 0)
		return -1;
	if (failed)
		stream_mark_incomplete(report->stream);
	object = report_object(report);
	text = json_dumps(object, DUMP_FLAGS);
	fwrite(text, 1, strlen(text) - strlen("\n}"), out);
	fputs(",\n  \"moments\": [", out);
	if (report->model->counts->moments > 0) {
		fputc('\n', out);
		status = report_append(report, json->moments);
		fputs("\n  ", out);
	}
	fputs("]\n}\n", out);
	json_decref(object);
	free(text);
	return report_flush(report) < 0 ? -1 : status;
}

static void json_free(struct report *report)
{
	struct json *json = report->state;

	if (!json)
		return;
	if (json->moments)
		fclose(json->moments);
	incident_free(&json->incident);
	free(json);
}

const struct format format_json = {
	.name = "json", .begin = json_begin, .moment = json_moment, .end = json_end, .free = json_free};
