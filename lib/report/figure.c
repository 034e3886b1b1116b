#include "report/figure.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "chart/span.h"
#include "report/canvas.h"
#include "report/summary.h"
#include "report/words.h"

#define LEAST_VALUE 1e-9 /* a log scale has no place for nothing */

enum { ROWS_MAX = 24, ROW_COLUMNS = 26, COLUMNS_SEEN = 400, BLAME_COLUMNS = 56, PLOT_ROWS = 22, PLOTS_MAX = 4 };

/* What a time is best told in: s, ms, us, ns are units 0 to 3, as the scripts know them. */
static int unit_of(double seconds)
{
	int unit = 0;

	while (unit < 3 && seconds < 1) {
		seconds *= 1000;
		unit++;
	}
	return unit;
}

static double in_unit(double seconds, int unit)
{
	return seconds * pow(1000, unit);
}

/* For what the library has failed with. */
static char *undrawn(struct canvas *canvas, char **complaint)
{
	*complaint = memory_format("no chart: %s", fail_text());
	canvas_close(canvas);
	return NULL;
}

/* Draws, and tidies up; `settings` is freed. The picture without what comes before <svg>, for it will stand in a page.
 */
static char *drawn(struct canvas *canvas, const char *script, char *settings, char **complaint)
{
	char *text = canvas_draw(canvas, script, settings), *svg = text ? strstr(text, "<svg") : NULL;

	if (!text)
		*complaint = memory_format("no chart: %s", fail_text());
	else if (svg)
		memmove(text, svg, strlen(svg) + 1);
	free(settings);
	canvas_close(canvas);
	return text;
}

static struct canvas *new_canvas(char **complaint)
{
	struct canvas *canvas = canvas_open();

	if (!canvas)
		undrawn(NULL, complaint);
	return canvas;
}

/* "time median greatest", neither value below the least. */
static void put_point(FILE *file, int64_t at, const struct bucket *point, double least)
{
	fprintf(file, "%.6f %.9g %.9g\n", at / 1e9, fmax(point->median, least), fmax(point->greatest, least));
}

static const char far_off[] = "-1e12 1 1\n"; /* the chart: gnuplot wants a point */

static int write_points(struct canvas *canvas, const char *name, const struct points *points, double least)
{
	FILE *file = canvas_file(canvas, name);
	size_t i;

	if (!file)
		return -1;
	for (i = 0; i < points->count; i++)
		put_point(file, points->items[i].at, &points->items[i], least);
	if (points->count == 0)
		fputs(far_off, file);
	return canvas_file_close(file);
}

/* Limits hold until the next, the last ones to the end of the chart; so do those of a stream before, where the next begins earlier. */
static int write_limits(struct canvas *canvas, const struct points *limits, int64_t end, double least)
{
	FILE *file = canvas_file(canvas, "limits");
	size_t i;

	if (!file)
		return -1;
	for (i = 0; i < limits->count; i++) {
		const struct bucket *point = &limits->items[i];
		bool last = i + 1 == limits->count;

		put_point(file, point->at, point, least);
		if (last || point[1].at < point->at)
			put_point(file, end > point->at ? end : point->at, point, least);
		if (!last && point[1].at < point->at)
			fputc('\n', file); /* the line breaks */
	}
	if (limits->count == 0)
		fputs(far_off, file);
	return canvas_file_close(file);
}

static void widen(const struct points *points, int64_t *from, int64_t *to)
{
	size_t i;

	for (i = 0; i < points->count; i++) {
		*from = points->items[i].at < *from ? points->items[i].at : *from;
		*to = points->items[i].at > *to ? points->items[i].at : *to;
	}
}

static void extremes(const struct track *track, double *least, double *most)
{
	const struct points *all[] = {&track->samples, &track->limits, &track->marks, &track->levels};
	size_t i, j;

	*least = INFINITY;
	*most = -INFINITY;
	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		for (j = 0; j < all[i]->count; j++) {
			*least = fmin(*least, all[i]->items[j].median);
			*most = fmax(*most, all[i]->items[j].greatest);
		}
}

/* Latencies differ by powers of ten. Rates and plain numbers are drawn on a linear scale where they are near each other or nothing. */
static bool is_linear(const struct track *track)
{
	double least, most;

	extremes(track, &least, &most);
	return track->unit != UNIT_SECONDS && (least <= 0 || most < 100 * least);
}

/* From zero, or from below it, to a little above the largest. */
static void bounds(const struct track *track, double *low, double *high)
{
	double least, most;

	extremes(track, &least, &most);
	*low = least < 0 ? least - 0.05 * (most - least) : 0;
	if (least > 0.5 * most) /* small changes of large numbers */
		*low = least - 0.1 * (most - least);
	*high = most + 0.1 * (most - *low);
	if (!(*high > *low))
		*high = *low + 1;
}

/* The powers of ten that hold all points. */
static void decades(const struct track *track, double *low, double *high)
{
	double least, most;

	extremes(track, &least, &most);
	least = fmax(least, LEAST_VALUE);
	most = fmax(most, LEAST_VALUE);
	*low = pow(10, floor(log10(least)));
	*high = pow(10, ceil(log10(fmax(most, least))));
	if (*high <= *low)
		*high = *low * 10;
}

static char *control(const struct model *model, const struct track *track, const char *terminal, char **complaint)
{
	int64_t from = INT64_MAX, to = INT64_MIN;
	struct canvas *canvas;
	double low, high, least;

	widen(&track->samples, &from, &to);
	widen(&track->marks, &from, &to);
	widen(&track->levels, &from, &to);
	if (from > to || !(canvas = new_canvas(complaint)))
		return NULL;
	least = is_linear(track) ? -INFINITY : LEAST_VALUE;
	if (is_linear(track))
		bounds(track, &low, &high);
	else
		decades(track, &low, &high);
	if (write_points(canvas, "samples", &track->samples, least) < 0 || write_limits(canvas, &track->limits, to, least) < 0 ||
	    write_points(canvas, "marks", &track->marks, least) < 0 || write_points(canvas, "shifts", &track->levels, least) < 0)
		return undrawn(canvas, complaint);
	return drawn(canvas, "charts/control.gp",
		     memory_format("%s; unit=%d; linear=%d; low=%.9g; high=%.9g; clock=%d; from=%.6f; to=%.6f; shifts=%zu", terminal,
				   track->unit, is_linear(track), low, high, model->has_wall, from / 1e9, to / 1e9, track->levels.count),
		     complaint);
}

char *figure_control(const struct model *model, const struct track *track, char **complaint)
{
	return control(model, track, "dumb=0", complaint);
}

static int more_signals(const void *a, const void *b)
{
	const struct track *x = *(struct track *const *)a, *y = *(struct track *const *)b;

	if (x->signals != y->signals)
		return x->signals > y->signals ? -1 : 1;
	return x->values > y->values ? -1 : x->values < y->values;
}

size_t figure_tracks(const struct model *model, const struct track **list, size_t room)
{
	ARRAY(struct track *) all = {0};
	struct chart_story *chart;
	struct track *track;
	size_t i, n = 0;

	for (chart = model->charts; chart; chart = chart->hh.next)
		for (track = chart->tracks; track; track = track->hh.next)
			if (track->samples.count + track->marks.count + track->levels.count > 0)
				*ARRAY_ADD(&all) = track;
	if (all.count > 0)
		qsort(all.items, all.count, sizeof(*all.items), more_signals);
	for (i = 0; i < all.count && n < room; i++)
		if (n == 0 || all.items[i]->signals > 0)
			list[n++] = all.items[i];
	free(all.items);
	return n;
}

char *figure_plot(const struct model *model, size_t columns, char **complaint)
{
	const struct track *tracks[PLOTS_MAX];
	size_t i, n = figure_tracks(model, tracks, PLOTS_MAX), size = 0;
	char *terminal = memory_format("dumb=1; columns=%zu; rows=%d", columns, PLOT_ROWS), *text = NULL, *plot, *key,
	     *line, *rest;
	FILE *out = open_memstream(&text, &size);

	for (i = 0; i < n && !*complaint; i++) {
		plot = control(model, tracks[i], terminal, complaint);
		key = model_track_name(model, tracks[i]);
		fprintf(out, "%schart %s%s%s\n", i ? "\n" : "", tracks[i]->chart->name, *key ? " " : "", key);
		/* The terminal fills its lines up with spaces. */
		for (line = plot ? strtok_r(plot, "\n\f", &rest) : NULL; line; line = strtok_r(NULL, "\n\f", &rest)) {
			size_t length = strlen(line);

			while (length > 0 && line[length - 1] == ' ')
				length--;
			if (length > 0)
				fprintf(out, "%.*s\n", (int)length, line);
		}
		free(key);
		free(plot);
	}
	fclose(out);
	free(terminal);
	if (size > 0 && !*complaint)
		return text;
	free(text);
	return NULL;
}

/* The rows of a path, in the order in which it comes to them; the last row is for all that have no row of their own. */
struct rows {
	const char *names[ROWS_MAX];
	size_t count;
};

static size_t row_of(struct rows *rows, const char *name)
{
	size_t i;

	for (i = 0; i < rows->count; i++)
		if (!strcmp(rows->names[i], name))
			return i;
	if (rows->count < ROWS_MAX - 1) {
		rows->names[rows->count] = name;
		return rows->count++;
	}
	rows->names[ROWS_MAX - 1] = "others";
	rows->count = ROWS_MAX;
	return ROWS_MAX - 1;
}

/*
 * A piece is as wide as it took, but not too thin to be seen, at the end of the axis too. Of many thin ones, one behind the other,
 * only some are widened: else they would look like a single one that took all the time. `seen`: the end of the last one.
 */
static void widen_piece(double *from, double *to, double span, double *seen)
{
	double least = span / COLUMNS_SEEN;

	if (*to - *from < least) {
		if (*from < *seen + 2 * least)
			return;
		*from = fmin(*from, span - least);
		*to = *from + least;
	}
	*seen = *to;
}

static bool write_pieces(struct canvas *canvas, const struct story *story, int unit, struct rows *rows, bool *occurs)
{
	FILE *file = canvas_file(canvas, "pieces");
	double span = story_length(story), seen[ROWS_MAX][WHATS];
	size_t i;

	if (!file)
		return false;
	for (i = 0; i < ROWS_MAX * WHATS; i++)
		seen[i / WHATS][i % WHATS] = -span;
	for (i = 0; i < story->pieces.count; i++) {
		const struct piece *piece = &story->pieces.items[i];
		double from = (double)span_between(story->from, piece->from) / 1e9, to = (double)span_between(story->from, piece->to) / 1e9;
		size_t row = row_of(rows, piece->row);

		occurs[piece->what] = true;
		widen_piece(&from, &to, span, &seen[row][piece->what]);
		fprintf(file, "%zu\t%.9g\t%.9g\t%d\n", row, in_unit(from, unit), in_unit(to, unit), (int)piece->what);
	}
	return canvas_file_close(file) == 0;
}

static bool write_rows(struct canvas *canvas, const struct rows *rows)
{
	FILE *file = canvas_file(canvas, "rows");
	size_t i;

	if (!file)
		return false;
	for (i = 0; i < rows->count; i++) {
		fprintf(file, "%zu\t", i);
		canvas_text(file, rows->names[i], ROW_COLUMNS);
		fputc('\n', file);
	}
	return canvas_file_close(file) == 0;
}

char *figure_path(const struct story *story, char **complaint)
{
	double span = story_length(story);
	int unit = unit_of(span), what, length = 0;
	char kinds[3 * WHATS + 1] = "";
	bool occurs[WHATS] = {false};
	struct canvas *canvas;
	struct rows rows = {.count = 0};

	if (story->pieces.count == 0 || span <= 0 || !(canvas = new_canvas(complaint)))
		return NULL;
	if (!write_pieces(canvas, story, unit, &rows, occurs) || !write_rows(canvas, &rows))
		return undrawn(canvas, complaint);
	for (what = 0; what < WHATS; what++)
		if (occurs[what])
			length += sprintf(kinds + length, "%s%d", length ? " " : "", what);
	return drawn(
	    canvas, "charts/path.gp",
	    memory_format("rows=%zu; span=%.9g; unit=%d; kinds='%s'", rows.count, in_unit(span, unit), unit, kinds),
	    complaint);
}

char *figure_blame(const struct verdict *verdicts, size_t count, char **complaint)
{
	int unit = count > 0 ? unit_of(verdicts[0].score) : 0;
	struct canvas *canvas;
	double sum = 0;
	FILE *file;
	size_t i;

	if (count == 0 || !(verdicts[0].score > 0) || !(canvas = new_canvas(complaint)))
		return NULL;
	file = canvas_file(canvas, "blame");
	for (i = 0; file && i < count; i++) {
		sum += isfinite(verdicts[i].share) ? verdicts[i].share : 0;
		fprintf(file, "%zu\t%.9g\t%.6g\t", i, in_unit(verdicts[i].score, unit), 100 * sum);
		canvas_text(file, verdicts[i].name, BLAME_COLUMNS);
		fputc('\n', file);
	}
	if (!file || canvas_file_close(file) < 0)
		return undrawn(canvas, complaint);
	return drawn(canvas, "charts/blame.gp",
		     memory_format("rows=%zu; most=%.9g; unit=%d", count, in_unit(verdicts[0].score, unit), unit),
		     complaint);
}
