#include "chart/sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/timestamp.h"
#include "chart/chart_field.h"
#include "chart/series.h"
#include "stream/fields.h"
#include "stream/line.h"

static int by_start(const void *a, const void *b)
{
	const struct sample *left = a, *right = b;

	return (left->start > right->start) - (left->start < right->start);
}

/* Reads the size of a rate: of how many it counts, or in how many seconds. Returns 1, or as sample_read(). */
static int read_size(struct sample *sample, const struct fields *fields, const struct policy *how)
{
	int has_size;

	if (!how->method->plots->rates)
		return 1;
	sample->size = (double)timestamp_between(sample->start, sample->end) / 1e9;
	has_size = fields_double(fields, "n", &sample->size);
	if (has_size < 0)
		return -1;
	if (has_size && sample->size == 0 && sample->value == 0)
		return 0;
	if (!(sample->size > 0))
		return fail("a rate needs n=, or start= before ts=");
	sample->unit = how->method->is_share ? "share" : has_size ? "per_n" : "per_second";
	return policy_check_rate(how, sample->value, sample->size) < 0 ? -1 : 1;
}

int sample_read(struct sample *sample, const struct fields *fields, const struct policy *how)
{
	int64_t tid = -1;
	int has_start = fields_time(fields, "start", &sample->start);

	if (has_start < 0 || fields_integer(fields, "tid", &tid) < 0)
		return -1;
	if (!fields_find(fields, "chart"))
		return fail("a sample needs a chart");
	if (fields_time(fields, "ts", &sample->end) != 1 || fields_double(fields, "value", &sample->value) != 1)
		return fail("a sample needs a ts and a value that are numbers");
	if (!has_start)
		sample->start = sample->end;
	if (sample->start > sample->end)
		return fail("a sample ends before it starts");
	sample->tid = tid >= 0 && tid <= INT32_MAX ? (int32_t)tid : -1;
	sample->by_hand = true;
	sample->unit = has_start ? NULL : "number"; /* a sample with a start is a time, which may be zero */
	return read_size(sample, fields, how);
}

void sample_sort(struct sample *samples, size_t count)
{
	if (count > 0)
		qsort(samples, count, sizeof(*samples), by_start);
}

void sample_field_name(const char *field, char label[SAMPLE_NAME_ROOM])
{
	static const char *const taken[] = {"id",     "ts",  "start", "chart", "key",  "value",
					    "center", "lcl", "ucl", "rules", "tid",   "comm", "open", "unit", "n", "mean",
					    "signs", "sign_ts", "sign_value", "trigger", "text", "match", "logged"};
	const char *prefix = "";

	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		if (!strcmp(taken[i], field))
			prefix = "event.";
	snprintf(label, SAMPLE_NAME_ROOM, "%s%s", prefix, field);
}

static void add_series(struct line *line, const struct series *series)
{
	line_text(line, "chart", series->chart);
	if (series->key)
		line_text(line, "key", series->key);
}

void sample_add_shown(struct line *line, const struct sample *sample)
{
	char value[64];

	for (int i = 0; i < sample->key_count; i++) {
		enum event_spelling spelling = sample->spelling[i];

		if (spelling != SPELL_TEXT)
			line_bytes(line, sample->keys[i].label, value,
				   chart_field_spell_number(&sample->keys[i], sample->world, spelling, sample->key[i], value, sizeof(value)));
	}
	line_append(line, sample->whole ? sample->whole : sample->show, strlen(sample->whole ? sample->whole : sample->show));
}

static bool is_called(const char *label, size_t length, const char *name)
{
	static const char front[] = "event.";

	if (length > sizeof(front) - 1 && !memcmp(label, front, sizeof(front) - 1)) {
		label += sizeof(front) - 1;
		length -= sizeof(front) - 1;
	}
	return length == strlen(name) && !strncasecmp(label, name, length);
}

/* Looks for the field in " name=value name=value"; `line` has room for one byte more. */
static int find_shown(const char *shown, size_t length, char *line, const char *name, char *text, size_t room)
{
	struct fields fields;

	*line = 'x';
	memcpy(line + 1, shown, length);
	if (fields_parse(&fields, line, length + 1) < 0)
		return -1;
	for (int i = 0; i < fields.count; i++)
		if (is_called(fields.item[i].key, fields.item[i].key_length, name))
			return (int)field_text(&fields.item[i], text, room);
	return -1;
}

int sample_field(const struct sample *sample, const char *name, char *text, size_t room)
{
	char line[SAMPLE_SHOW_ROOM + 1], *longer;
	int found;

	for (int i = 0; i < sample->key_count; i++)
		if (sample->spelling[i] != SPELL_TEXT && is_called(sample->keys[i].label, strlen(sample->keys[i].label), name))
			return (int)chart_field_spell_number(&sample->keys[i], sample->world, sample->spelling[i], sample->key[i], text, room);
	if (!sample->whole)
		return find_shown(sample->show, strlen(sample->show), line, name, text, room);
	longer = memory_new(strlen(sample->whole) + 2, 1);
	found = find_shown(sample->whole, strlen(sample->whole), longer, name, text, room);
	free(longer);
	return found;
}

/* Adds the signs; some of them may be of the signal's own time. */
static void add_signs(struct line *line, const struct series_signs *signs)
{
	line_integer(line, "signs", signs->count);
	line_time(line, "sign_ts", signs->items[0].ts);
	line_double(line, "sign_value", signs->items[0].value);
}

void sample_signal_line(struct line *line, const struct sample *sample, uint64_t id, const char *comm)
{
	char rules[RULES_ROOM];

	rules_spell(sample->rules, rules);
	line_begin(line, kind_name(KIND_SIGNAL));
	line_unsigned(line, "id", id);
	line_time(line, "ts", sample->end);
	line_time(line, "start", sample->start);
	add_series(line, sample->series);
	if (sample->by_hand || sample->plain)
		line_double(line, "value", sample->value);
	else
		line_time(line, "value", timestamp_between(sample->start, sample->end));
	if (sample->series->unit)
		line_text(line, "unit", sample->series->unit);
	if (sample->series->unit && sample->size > 0)
		line_double(line, "n", sample->size);
	if (!isnan(sample->center))
		line_double(line, "center", sample->center);
	if (sample->value < sample->center)
		line_double(line, "lcl", sample->lcl);
	if (!isnan(sample->ucl))
		line_double(line, "ucl", sample->ucl);
	line_text(line, "rules", rules);
	if (sample->tid >= 0) {
		line_integer(line, "tid", sample->tid);
		line_text(line, "comm", comm);
	}
	sample_add_shown(line, sample);
	if (sample->open)
		line_text(line, "open", "yes");
	if (sample->mean)
		line_text(line, "mean", "yes");
	if (sample->series->signs && sample->series->signs->items[0].ts < sample->end)
		add_signs(line, sample->series->signs);
}

void sample_healthy_line(struct line *line, const struct series *series, int64_t from, double median)
{
	line_begin(line, kind_name(KIND_SAMPLE));
	line_time(line, "ts", series->thin.last);
	line_time(line, "start", from);
	add_series(line, series);
	line_double(line, "value", median);
	line_unsigned(line, "count", series->thin.count);
	line_double(line, "max", series->thin.max);
	if (series->unit)
		line_text(line, "unit", series->unit);
}

void sample_summary_line(struct line *line, const struct series *series)
{
	const struct digest *digest = &series->digest;

	line_begin(line, kind_name(KIND_SUMMARY));
	add_series(line, series);
	line_unsigned(line, "count", digest->count);
	line_double(line, "mean", digest->sum / (double)digest->count);
	line_double(line, "p50", digest_quantile(digest, 0.5));
	line_double(line, "p95", digest_quantile(digest, 0.95));
	line_double(line, "p99", digest_quantile(digest, 0.99));
	line_double(line, "max", digest->max);
	line_time(line, "max_ts", digest->max_ts);
	if (series->unit)
		line_text(line, "unit", series->unit);
}

void sample_open_line(struct line *line, const struct series *series, const struct unended *unended, int64_t now)
{
	line_begin(line, kind_name(KIND_OPEN));
	line_time(line, "ts", now);
	line_time(line, "start", unended->oldest);
	add_series(line, series);
	line_unsigned(line, "count", unended->count);
	if (unended->doubt == DOUBT_CPU) {
		line_text(line, "doubt", "cpu");
		line_integer(line, "cpu", unended->cpu);
	} else if (unended->doubt == DOUBT_OVERTAKEN) {
		line_text(line, "doubt", "overtaken");
	}
}
