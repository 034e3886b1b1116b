/*
 * --table: the values of each chart and key in a few numbers, as text, JSON or csv. The filter counts them, and writes a summary record
 * for each at its end.
 */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cell.h"
#include "base/number.h"
#include "model/display.h"
#include "model/value.h"
#include "report/output.h"

enum { NUMBER_COLUMNS = 9, COUNT_COLUMNS = 10, TIME_COLUMNS = 10, LABEL_LEAST = 16, LABEL_MOST = 200 };

/* Called for each chart and key that has values. */
typedef void row_writer(struct report *report, const struct track *track, void *context);

static size_t for_each(struct report *report, row_writer *write, void *context)
{
	size_t count = 0;

	for (const struct tracked_chart *chart = report->model->tracks->charts; chart; chart = chart->hh.next)
		for (const struct track *track = chart->tracks; track; track = track->hh.next)
			if (track->summed.count > 0) {
				write(report, track, context);
				count++;
			}
	return count;
}

static int table_begin(struct report *report)
{
	(void)report;
	return 0;
}

static int table_moment(struct report *report, const struct moment *moment)
{
	(void)report, (void)moment;
	return 0;
}

static void table_free(struct report *report)
{
	(void)report;
}

/* Says when the largest value came: as wall-clock time if that is known, else as seconds of the trace clock. */
static void say_most_at(const struct summed *summed, char *text)
{
	if (summed->clock.has_wall)
		time_iso(time_sum(summed->clock.wall, summed->most_at), text);
	else
		number_spell_time(text, summed->most_at);
}

/* --- text -------------------------------------------------------------------------------------------------------------------- */

static void put_value(FILE *out, enum unit unit, double value)
{
	char *words = isnan(value) ? memory_format("-") : value_words(unit == UNIT_RATE ? UNIT_NONE : unit, value);

	fprintf(out, " %*s%s", NUMBER_COLUMNS - 1 - (unit == UNIT_RATE && !isnan(value) ? 2 : 0), words,
		unit == UNIT_RATE && !isnan(value) ? "/s" : "");
	free(words);
}

/* The columns for labels: as many as the longest label that fits into `room` needs. */
struct label_columns {
	size_t room, used;
};

static void see_label(struct report *report, const struct track *track, void *context)
{
	struct label_columns *columns = context;
	char *label = tracks_label(report->model->tracks, track);
	size_t length = display_columns(label);

	if (length <= columns->room && length > columns->used)
		columns->used = length;
	free(label);
}

static size_t label_columns(struct report *report)
{
	size_t rest = COUNT_COLUMNS + 5 * NUMBER_COLUMNS + TIME_COLUMNS, width = report->options.width;
	struct label_columns columns = {.room = LABEL_MOST, .used = LABEL_LEAST};

	if (report->options.bounded)
		columns.room = width > rest + LABEL_LEAST ? width - rest : LABEL_LEAST;
	for_each(report, see_label, &columns);
	return columns.used;
}

/* A label that does not fit has a line to itself: if it were cut, it could be taken for that of another key. */
static void put_label(FILE *out, const char *label, size_t columns)
{
	size_t length = display_columns(label);

	if (length > columns) {
		fprintf(out, "%s\n", label);
		length = 0;
		label = "";
	}
	fprintf(out, "%s%*s", label, (int)(columns - length), "");
}

static void text_row(struct report *report, const struct track *track, void *context)
{
	const struct summed *summed = &track->summed;
	char *label = tracks_label(report->model->tracks, track);
	char count[NUMBER_ROOM], clock[TIME_ROOM];
	FILE *out = report->out;

	number_human_count(count, summed->count);
	clock_words(&summed->clock, summed->most_at, clock);
	if (summed->clock.has_wall)
		clock[strlen("15:43:11")] = '\0';
	put_label(out, label, *(const size_t *)context);
	fprintf(out, "%*s", COUNT_COLUMNS, count);
	put_value(out, track->unit, summed->mean);
	put_value(out, track->unit, summed->p50);
	put_value(out, track->unit, summed->p95);
	put_value(out, track->unit, summed->p99);
	put_value(out, track->unit, summed->most);
	fprintf(out, "%*s\n", TIME_COLUMNS, clock);
	free(label);
}

static int text_end(struct report *report, bool failed)
{
	const char *const heads[] = {"mean", "p50", "p95", "p99", "max"};
	size_t columns, count;

	if (failed)
		return -1;
	columns = label_columns(report);
	fprintf(report->out, "%-*s%*s", (int)columns, "chart", COUNT_COLUMNS, "count");
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		fprintf(report->out, "%*s", NUMBER_COLUMNS, heads[i]);
	fprintf(report->out, "%*s\n", TIME_COLUMNS, "max at");
	count = for_each(report, text_row, &columns);
	if (count == 0)
		display_wrap(report->out, report->options.width, "", "no chart has a summary of its values: cchart-filter writes it at its end");
	return report_flush(report);
}

/* --- csv --------------------------------------------------------------------------------------------------------------------- */

static void put_text(FILE *out, const char *text)
{
	cell_write(out, text, strlen(text));
	fputc(',', out);
}

static void put_number(FILE *out, double value)
{
	if (!isnan(value))
		fprintf(out, "%.9g", value);
	fputc(',', out);
}

static void csv_row(struct report *report, const struct track *track, void *context)
{
	const struct summed *summed = &track->summed;
	char time[TIME_ROOM], *name = tracks_name(report->model->tracks, track);
	FILE *out = report->out;

	(void)context;
	say_most_at(summed, time);
	put_text(out, track->chart->name);
	put_text(out, name);
	fprintf(out, "%" PRIu64 ",", summed->count);
	put_number(out, summed->mean);
	put_number(out, summed->p50);
	put_number(out, summed->p95);
	put_number(out, summed->p99);
	put_number(out, summed->most);
	fprintf(out, "%s,%s\r\n", time, unit_name(track->unit));
	free(name);
}

static int csv_end(struct report *report, bool failed)
{
	if (failed)
		return -1;
	fputs("chart,key,count,mean,p50,p95,p99,max,max_at,unit\r\n", report->out);
	for_each(report, csv_row, NULL);
	return report_flush(report);
}

/* --- JSON -------------------------------------------------------------------------------------------------------------------- */

static void set_text(json_t *object, const char *key, const char *text)
{
	if (*text)
		json_object_set_new(object, key, json_string(text));
}

static void set_number(json_t *object, const char *key, double value)
{
	if (isfinite(value))
		json_object_set_new(object, key, json_real(value));
}

static void json_row(struct report *report, const struct track *track, void *context)
{
	const struct summed *summed = &track->summed;
	char time[TIME_ROOM], *label = tracks_label(report->model->tracks, track);
	json_t *object = json_object();

	say_most_at(summed, time);
	set_text(object, "chart", track->chart->name);
	set_text(object, "key", track->key);
	set_text(object, "label", label);
	json_object_set_new(object, "count", json_integer((json_int_t)summed->count));
	set_number(object, "mean", summed->mean);
	set_number(object, "p50", summed->p50);
	set_number(object, "p95", summed->p95);
	set_number(object, "p99", summed->p99);
	set_number(object, "max", summed->most);
	set_number(object, "max_ts", (double)summed->most_at / 1e9);
	if (summed->clock.has_wall)
		set_text(object, "max_time", time);
	set_text(object, "unit", unit_name(track->unit));
	json_array_append_new(context, object);
	free(label);
}

static int json_end(struct report *report, bool failed)
{
	json_t *rows;

	if (failed)
		return -1;
	rows = json_array();
	for_each(report, json_row, rows);
	json_dumpf(rows, report->out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	fputc('\n', report->out);
	json_decref(rows);
	return report_flush(report);
}

const struct format table_text = {.name = "text", .begin = table_begin, .moment = table_moment, .end = text_end, .free = table_free};
const struct format table_json = {.name = "json", .begin = table_begin, .moment = table_moment, .end = json_end, .free = table_free};
const struct format table_csv = {.name = "csv", .begin = table_begin, .moment = table_moment, .end = csv_end, .free = table_free};
