/* Pictures of views: state lanes, volumes and rates, and the way of a request over processes and hosts. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/timestamp.h"
#include "report/canvas.h"
#include "report/figure_view.h"

enum { ROWS_SHOWN = 32, LINES_SHOWN = 8, COLOURS = 9, ROW_COLUMNS = 44, VALUE_COLUMNS = 28, COLUMNS = 900, SLOTS = 300 /* points of a rate */ };

/* The part of a view that the picture shows: its rows with the most changes, by name, and the time. */
struct shown {
	const struct view_row *rows[ROWS_SHOWN];
	size_t count;
	int64_t from, to;
	double span; /* s */
	int unit;
};

static int by_changes(const void *a, const void *b)
{
	const struct view_row *x = *(struct view_row *const *)a, *y = *(struct view_row *const *)b;

	if (x->changes != y->changes)
		return x->changes > y->changes ? -1 : 1;
	return strcmp(x->path, y->path);
}

static int by_path(const void *a, const void *b)
{
	const struct view_row *x = *(struct view_row *const *)a, *y = *(struct view_row *const *)b;

	return strcmp(x->path, y->path);
}

/* Chooses the rows and the time to show. False: there is nothing to draw. */
static bool choose(struct shown *shown, const struct view *view, size_t most)
{
	const struct view_row **all = memory_new(view->rows.count + 1, sizeof(struct view_row *));

	*shown = (struct shown){.from = INT64_MAX, .to = INT64_MIN};
	for (size_t i = 0; i < view->rows.count; i++)
		all[i] = view->rows.items[i];
	qsort(all, view->rows.count, sizeof(*all), by_changes);
	for (size_t i = 0; i < view->rows.count && shown->count < most; i++) {
		if (all[i]->marks.count == 0)
			continue;
		shown->rows[shown->count++] = all[i];
		for (size_t k = 0; k < all[i]->marks.count; k++) {
			const struct view_mark *mark = &all[i]->marks.items[k];

			shown->from = mark->from < shown->from ? mark->from : shown->from;
			shown->to = mark->to > shown->to ? mark->to : shown->to;
		}
	}
	free(all);
	qsort(shown->rows, shown->count, sizeof(*shown->rows), by_path);
	shown->span = shown->count ? (double)timestamp_between(shown->from, shown->to) / 1e9 : 0;
	shown->unit = canvas_unit(shown->span);
	return shown->span > 0;
}

static double at(const struct shown *shown, int64_t ts)
{
	return canvas_in_unit((double)timestamp_between(shown->from, ts) / 1e9, shown->unit);
}

/* Gives the values that held longest a colour each; by_value: the colour of each value, COLOURS if it has none. Returns the number of colours. */
static size_t colour_values(const struct shown *shown, const struct view *view, size_t *of_colour, unsigned char *by_value)
{
	double *times = memory_new(view->values.count, sizeof(*times));
	size_t count = 0;

	for (size_t i = 0; i < shown->count; i++)
		for (size_t k = 0; k < shown->rows[i]->marks.count; k++) {
			const struct view_mark *mark = &shown->rows[i]->marks.items[k];

			times[mark->number] += (double)(mark->to - mark->from) + 1;
		}
	memset(by_value, COLOURS, view->values.count);
	times[VIEW_SEVERAL] = 0;
	for (size_t longest; count < COLOURS; count++) {
		longest = VIEW_SEVERAL;
		for (size_t i = 1; i < view->values.count; i++)
			if (times[i] > times[longest])
				longest = i;
		if (longest == VIEW_SEVERAL)
			break;
		times[longest] = 0;
		of_colour[count] = longest;
		by_value[longest] = (unsigned char)count;
	}
	free(times);
	return count;
}

/* Ends a block, which began with the name of its kind of mark; gnuplot wants a point in each block. */
static void end_block(FILE *out)
{
	fputs("NaN\tNaN\tNaN\n\n\n", out);
}

/* Begins a block. The title is quoted: gnuplot takes an empty line for the end of a block, and one with a '#' for a comment. */
static void put_title(FILE *out, const char *text, size_t columns)
{
	fputc('"', out);
	canvas_text(out, text, columns);
	fputs("\"\n", out);
}

static void put_names(FILE *out, const struct shown *shown)
{
	for (size_t i = 0; i < shown->count; i++) {
		fprintf(out, "%zu\t", i);
		canvas_text(out, shown->rows[i]->path, ROW_COLUMNS);
		fputc('\n', out);
	}
	fputs("\n\n", out);
}

/* Puts the marks of one colour. Marks too thin to be seen get the least width that can be seen. */
static void put_lanes(FILE *out, const struct shown *shown, const unsigned char *by_value, size_t colour)
{
	for (size_t i = 0; i < shown->count; i++)
		for (size_t k = 0; k < shown->rows[i]->marks.count; k++) {
			const struct view_mark *mark = &shown->rows[i]->marks.items[k];

			if (by_value[mark->number] == colour)
				fprintf(out, "%zu\t%.9g\t%.9g\n", i, at(shown, mark->from),
					fmax(at(shown, mark->to), at(shown, mark->from) + canvas_in_unit(shown->span, shown->unit) / COLUMNS));
		}
	end_block(out);
}

static void put_alarms(FILE *out, const struct shown *shown, const struct views *views)
{
	const struct view_alarm *alarm;

	for (size_t i = 0; (alarm = views_alarm(views, i)); i++)
		if (alarm->ts >= shown->from && alarm->ts <= shown->to)
			fprintf(out, "%.9g\t-0.5\t%zu\n", at(shown, alarm->ts), shown->count);
	end_block(out);
}

static char *draw_lanes(const struct shown *shown, const struct views *views, const struct view *view, char **complaint)
{
	size_t of_colour[COLOURS], colours;
	struct canvas *canvas = canvas_open(complaint);
	FILE *out = canvas ? canvas_file(canvas, "view") : NULL;
	unsigned char *by_value;

	if (!out)
		return canvas ? canvas_undrawn(canvas, complaint) : NULL;
	by_value = memory_new(view->values.count, 1);
	colours = colour_values(shown, view, of_colour, by_value);
	put_names(out, shown);
	for (size_t i = 0; i < colours; i++) {
		put_title(out, view->values.items[of_colour[i]], VALUE_COLUMNS);
		put_lanes(out, shown, by_value, i);
	}
	fputs("others\n", out);
	put_lanes(out, shown, by_value, COLOURS);
	put_alarms(out, shown, views);
	free(by_value);
	if (canvas_file_close(out) < 0)
		return canvas_undrawn(canvas, complaint);
	return canvas_drawn(canvas, "charts/lanes.gp",
			    memory_format("rows=%zu; span=%.9g; unit=%d; colours=%zu; arrows=0; alarms=%d", shown->count, canvas_in_unit(shown->span, shown->unit),
					  shown->unit, colours, views_alarms(views) > 0), complaint);
}

/* Puts the numbers as they came. */
static void put_volume(FILE *out, const struct shown *shown, const struct view_row *row)
{
	for (size_t i = 0; i < row->marks.count; i++)
		fprintf(out, "%.9g\t%" PRId64 "\n", at(shown, row->marks.items[i].from), row->marks.items[i].number);
	fprintf(out, "%.9g\t%" PRId64 "\n", at(shown, shown->to), row->marks.items[row->marks.count - 1].number);
}

/* Puts how much the number grows per second, in each of SLOTS parts of the time. */
static void put_rate(FILE *out, const struct shown *shown, const struct view_row *row)
{
	int64_t width = timestamp_between(shown->from, shown->to) / SLOTS + 1;
	double before = (double)row->marks.items[0].number, now = before;
	size_t next = 0;

	for (int slot = 0; slot < SLOTS; slot++, before = now) {
		int64_t begin = shown->from + slot * width;

		for (; next < row->marks.count && row->marks.items[next].from < begin + width; next++)
			now = (double)row->marks.items[next].number;
		fprintf(out, "%.9g\t%.9g\n", at(shown, begin), (now - before) / ((double)width / 1e9));
	}
}

static char *draw_lines(const struct shown *shown, const struct view *view, char **complaint)
{
	struct canvas *canvas = canvas_open(complaint);
	FILE *out = canvas ? canvas_file(canvas, "view") : NULL;

	if (!out)
		return canvas ? canvas_undrawn(canvas, complaint) : NULL;
	for (size_t i = 0; i < shown->count; i++) {
		put_title(out, shown->rows[i]->path, ROW_COLUMNS);
		(view->kind == VIEW_RATE ? put_rate : put_volume)(out, shown, shown->rows[i]);
		fputs("\n\n", out);
	}
	if (canvas_file_close(out) < 0)
		return canvas_undrawn(canvas, complaint);
	return canvas_drawn(canvas, "charts/volume.gp",
			    memory_format("lines=%zu; span=%.9g; unit=%d; rate=%d", shown->count, canvas_in_unit(shown->span, shown->unit), shown->unit,
					  view->kind == VIEW_RATE), complaint);
}

char *figure_view(const struct views *views, const struct view *view, size_t *rows, int64_t *from, char **complaint)
{
	struct shown shown;

	if (!choose(&shown, view, view->kind == VIEW_LANES ? ROWS_SHOWN : LINES_SHOWN))
		return NULL;
	*rows = shown.count;
	*from = shown.from;
	return view->kind == VIEW_LANES ? draw_lanes(&shown, views, view, complaint) : draw_lines(&shown, view, complaint);
}

/* --- a request ------------------------------------------------------------------------------------------------------- */

static size_t row_shown(size_t row)
{
	return row < ROWS_SHOWN - 1 ? row : ROWS_SHOWN - 1;
}

static void put_calls(FILE *out, const struct shown *shown, const struct view_flow *flow)
{
	for (size_t i = 0; i < flow->spans.count; i++) {
		const struct view_span *span = &flow->spans.items[i];
		size_t caller = span->caller == SIZE_MAX ? span->row : flow->spans.items[span->caller].row;

		if (row_shown(caller) != row_shown(span->row))
			fprintf(out, "%.9g\t%zu\t%d\n", at(shown, span->from), row_shown(caller), (int)row_shown(span->row) - (int)row_shown(caller));
	}
	end_block(out);
}

char *figure_flow(const struct view_flow *flow, char **complaint)
{
	struct shown shown = {.from = flow->from, .to = flow->to, .span = (double)timestamp_between(flow->from, flow->to) / 1e9};
	size_t rows = flow->rows.count < ROWS_SHOWN ? flow->rows.count : ROWS_SHOWN;
	struct canvas *canvas;
	FILE *out;

	if (!(shown.span > 0) || !(canvas = canvas_open(complaint)))
		return NULL;
	shown.unit = canvas_unit(shown.span);
	out = canvas_file(canvas, "view");
	if (!out)
		return canvas_undrawn(canvas, complaint);
	for (size_t i = 0; i < rows; i++) {
		fprintf(out, "%zu\t", i);
		canvas_text(out, i < ROWS_SHOWN - 1 ? flow->rows.items[i] : "others", ROW_COLUMNS);
		fputc('\n', out);
	}
	fputs("\n\nserves\n", out);
	for (size_t i = 0; i < flow->spans.count; i++)
		fprintf(out, "%zu\t%.9g\t%.9g\n", row_shown(flow->spans.items[i].row), at(&shown, flow->spans.items[i].from), at(&shown, flow->spans.items[i].to));
	end_block(out);
	fputs("others\n", out);
	end_block(out);
	put_calls(out, &shown, flow);
	if (canvas_file_close(out) < 0)
		return canvas_undrawn(canvas, complaint);
	return canvas_drawn(canvas, "charts/lanes.gp",
			    memory_format("rows=%zu; span=%.9g; unit=%d; colours=1; arrows=1; alarms=0", rows, canvas_in_unit(shown.span, shown.unit), shown.unit), complaint);
}
