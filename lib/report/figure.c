#include "report/figure.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/timestamp.h"
#include "model/display.h"
#include "report/canvas.h"

#define LEAST_VALUE 1e-9 /* a log scale has no zero */

enum { ROWS_MAX = 24, ROW_COLUMNS = 26, COLUMNS_SEEN = 400, ARROWS_SEEN = 150, COLUMNS_MAX = 400, BLAME_COLUMNS = 56, PLOT_ROWS = 22, PLOTS_MAX = 4 };

/* --- control charts --------------------------------------------------------------------------------------------------------- */

/* Writes "time median greatest", with both values at least `least`. */
static void put_point(FILE *file, int64_t at, const struct bucket *point, double least)
{
	fprintf(file, "%.6f %.9g %.9g\n", at / 1e9, fmax(point->median, least), fmax(point->greatest, least));
}

static const char far_off[] = "-1e12 1 1\n"; /* outside the chart: gnuplot wants a point */

static int write_points(struct canvas *canvas, const char *name, const struct timeline *points, double least)
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

/* Limits hold until the next ones. The last ones hold to the end of the chart; so do the last ones of a stream if the next stream begins earlier. */
static int write_limits(struct canvas *canvas, const struct timeline *limits, int64_t end, double least)
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
			fputc('\n', file); /* a gap in the line */
	}
	if (limits->count == 0)
		fputs(far_off, file);
	return canvas_file_close(file);
}

static void widen(const struct timeline *points, int64_t *from, int64_t *to)
{
	size_t i;

	for (i = 0; i < points->count; i++) {
		*from = points->items[i].at < *from ? points->items[i].at : *from;
		*to = points->items[i].at > *to ? points->items[i].at : *to;
	}
}

static void extremes(const struct track *track, double *least, double *most)
{
	const struct timeline *all[] = {&track->samples, &track->limits, &track->marks, &track->levels};
	size_t i, j;

	*least = INFINITY;
	*most = -INFINITY;
	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		for (j = 0; j < all[i]->count; j++) {
			*least = fmin(*least, all[i]->items[j].median);
			*most = fmax(*most, all[i]->items[j].greatest);
		}
}

/* Latencies differ by powers of ten. Rates and plain numbers get a linear scale if one is zero or less, or all lie within a factor of 100. */
static bool is_linear(const struct track *track)
{
	double least, most;

	extremes(track, &least, &most);
	return track->unit != UNIT_SECONDS && (least <= 0 || most < 100 * least);
}

/* The bounds of a linear scale: from zero, or from a little below the least value, to a little above the largest. */
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

/* The bounds of a log scale: the powers of ten around all points. */
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
	if (from > to || !(canvas = canvas_open(complaint)))
		return NULL;
	least = is_linear(track) ? -INFINITY : LEAST_VALUE;
	if (is_linear(track))
		bounds(track, &low, &high);
	else
		decades(track, &low, &high);
	if (write_points(canvas, "samples", &track->samples, least) < 0 || write_limits(canvas, &track->limits, to, least) < 0 ||
	    write_points(canvas, "marks", &track->marks, least) < 0 || write_points(canvas, "shifts", &track->levels, least) < 0)
		return canvas_undrawn(canvas, complaint);
	return canvas_drawn(canvas, "charts/control.gp",
		     memory_format("%s; unit=%d; linear=%d; low=%.9g; high=%.9g; clock=%d; from=%.6f; to=%.6f; shifts=%zu", terminal,
				   track->unit, is_linear(track), low, high, model->site->has_wall, from / 1e9, to / 1e9, track->levels.count),
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
	struct tracked_chart *chart;
	struct track *track;
	size_t i, n = 0;

	for (chart = model->tracks->charts; chart; chart = chart->hh.next)
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
	char *terminal = memory_format("dumb=1; columns=%zu; rows=%d", columns, PLOT_ROWS), *text = NULL, *plot, *label,
	     *line, *rest;
	FILE *out = open_memstream(&text, &size);

	for (i = 0; i < n && !*complaint; i++) {
		plot = control(model, tracks[i], terminal, complaint);
		label = tracks_label(model->tracks, tracks[i]);
		fprintf(out, "%schart %s\n", i ? "\n" : "", label);
		/* The terminal fills its lines up with spaces. */
		for (line = plot ? strtok_r(plot, "\n\f", &rest) : NULL; line; line = strtok_r(NULL, "\n\f", &rest)) {
			size_t length = strlen(line);

			while (length > 0 && line[length - 1] == ' ')
				length--;
			if (length > 0)
				fprintf(out, "%.*s\n", (int)length, line);
		}
		free(label);
		free(plot);
	}
	fclose(out);
	free(terminal);
	if (size > 0 && !*complaint)
		return text;
	free(text);
	return NULL;
}

/* --- paths ------------------------------------------------------------------------------------------------------------------ */

/* The rows of a path: the slow thread on top, below it the threads that it waited for; the last row is for all that have no row of their own. */
struct rows {
	const char *names[ROWS_MAX];
	size_t count;
};

static const char others[] = "others";

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
	rows->names[ROWS_MAX - 1] = others;
	rows->count = ROWS_MAX;
	return ROWS_MAX - 1;
}

static bool is_interrupt(const struct story_piece *piece)
{
	return piece->what == WHAT_IRQ || piece->what == WHAT_SOFTIRQ;
}

struct row_time { /* the times that a row would show */
	const char *name;
	int64_t on_path, waiting;
	bool kept;
	UT_hash_handle hh;
};

static struct row_time *time_of(struct row_time **times, const char *name)
{
	struct row_time *row;

	HASH_FIND_STR(*times, name, row);
	if (row)
		return row;
	row = NEW(struct row_time);
	row->name = name;
	HASH_ADD_KEYPTR(hh, *times, row->name, strlen(row->name), row);
	return row;
}

static void add_time(int64_t *sum, int64_t from, int64_t to)
{
	*sum = timestamp_add(*sum, timestamp_between(from, to));
}

static int by_path(const struct row_time *a, const struct row_time *b)
{
	return (a->on_path < b->on_path) - (a->on_path > b->on_path);
}

static int by_wait(const struct row_time *a, const struct row_time *b)
{
	if (a->kept != b->kept)
		return a->kept ? -1 : 1;
	return (a->waiting < b->waiting) - (a->waiting > b->waiting);
}

/* Chooses the rows. If there are too many, the names with the most time on the path get half of them, those with the longest waits the rest. */
static struct row_time *rows_worth(const struct story *story, bool *more)
{
	struct row_time *times = NULL, *row, *next;
	unsigned count = 0;

	for (size_t i = 0; i < story->pieces.count; i++)
		add_time(&time_of(&times, story->pieces.items[i].row)->on_path, story->pieces.items[i].from, story->pieces.items[i].to);
	for (size_t i = 0; i < story->waits.count; i++)
		add_time(&time_of(&times, story->waits.items[i].row)->waiting, story->waits.items[i].from, story->waits.items[i].to);
	HASH_SORT(times, by_path);
	for (row = times; row && count < ROWS_MAX / 2; row = row->hh.next, count++)
		row->kept = true;
	HASH_SORT(times, by_wait);
	count = 0;
	HASH_ITER(hh, times, row, next) {
		if (count++ < ROWS_MAX - 1)
			continue;
		HASH_DEL(times, row);
		free(row);
	}
	*more = count >= ROWS_MAX;
	return times;
}

static void add_row(struct rows *rows, const struct row_time *worth, const char *name)
{
	struct row_time *found;

	HASH_FIND_STR(worth, name, found);
	if (found)
		row_of(rows, name);
}

/* Adds rows from the end of the path backward: it ends with the slow thread, and the waker's piece is before a wake-up. Interrupts come last. */
static void make_rows(struct rows *rows, const struct story *story)
{
	bool more;
	struct row_time *worth = rows_worth(story, &more), *row, *next;

	rows->count = 0;
	for (size_t i = 0; i < story->waits.count; i++)
		if (story->waits.items[i].waker == NO_PIECE)
			add_row(rows, worth, story->waits.items[i].row);
	for (size_t i = story->pieces.count; i-- > 0;)
		if (!is_interrupt(&story->pieces.items[i]))
			add_row(rows, worth, story->pieces.items[i].row);
	for (size_t i = story->pieces.count; i-- > 0;)
		add_row(rows, worth, story->pieces.items[i].row);
	for (size_t i = 0; i < story->waits.count; i++)
		add_row(rows, worth, story->waits.items[i].row);
	if (more)
		row_of(rows, others);
	HASH_ITER(hh, worth, row, next) {
		HASH_DEL(worth, row);
		free(row);
	}
}

/* The time axis of a story's picture. */
struct axis {
	int64_t from;
	double span; /* seconds */
	int unit;
};

static double along(const struct axis *axis, int64_t ts)
{
	return (double)timestamp_between(axis->from, ts) / 1e9;
}

/*
 * A piece is as wide as its time, but wide enough to be seen, even at the end of the axis. Of many thin pieces in a row, only some are
 * widened: otherwise they would look like one piece that took all the time. *seen: the end of the last piece wide enough.
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

/* Ends a block of the data with `nothing`, a point that draws nothing: gnuplot wants a point in each block. */
static void end_block(FILE *out, const char *nothing)
{
	fprintf(out, "%s\n\n\n", nothing);
}

static void put_rows(FILE *out, const struct rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		fprintf(out, "%zu\t", i);
		canvas_text(out, rows->names[i], ROW_COLUMNS);
		fputc('\n', out);
	}
	end_block(out, "");
}

static void put_pieces(FILE *out, const struct axis *axis, const struct story *story, struct rows *rows, bool *occurs)
{
	double seen[ROWS_MAX][WHATS];

	for (size_t i = 0; i < ROWS_MAX * WHATS; i++)
		seen[i / WHATS][i % WHATS] = -axis->span;
	for (size_t i = 0; i < story->pieces.count; i++) {
		const struct story_piece *piece = &story->pieces.items[i];
		double from = along(axis, piece->from), to = along(axis, piece->to);
		size_t row = row_of(rows, piece->row);

		occurs[piece->what] = true;
		widen_piece(&from, &to, axis->span, &seen[row][piece->what]);
		fprintf(out, "%zu\t%.9g\t%.9g\t%d\n", row, canvas_in_unit(from, axis->unit), canvas_in_unit(to, axis->unit), (int)piece->what);
	}
	end_block(out, "");
}

/* Waits too short to be seen have no bar. */
static void put_waits(FILE *out, const struct axis *axis, const struct story *story, struct rows *rows)
{
	for (size_t i = 0; i < story->waits.count; i++) {
		const struct path_wait *wait = &story->waits.items[i];
		double from = along(axis, wait->from), to = along(axis, wait->to);

		if (to - from >= axis->span / COLUMNS_SEEN)
			fprintf(out, "%zu\t%.9g\t%.9g\n", row_of(rows, wait->row), canvas_in_unit(from, axis->unit), canvas_in_unit(to, axis->unit));
	}
	end_block(out, "NaN\tNaN\tNaN");
}

/* Arrows go from the waker's row to the row of the woken thread. Of arrows too close to be told apart, only the first is drawn. */
static void put_wakes(FILE *out, const struct axis *axis, const struct story *story, struct rows *rows)
{
	double last[ROWS_MAX][ROWS_MAX];

	for (size_t i = 0; i < ROWS_MAX * ROWS_MAX; i++)
		last[i / ROWS_MAX][i % ROWS_MAX] = -axis->span;
	for (size_t i = 0; i < story->waits.count; i++) {
		const struct path_wait *wait = &story->waits.items[i];
		double at = along(axis, wait->to);
		size_t from, to;

		if (wait->waker == NO_PIECE)
			continue;
		from = row_of(rows, story->pieces.items[wait->waker].row);
		to = row_of(rows, wait->row);
		if (from == to || at < last[from][to] + axis->span / ARROWS_SEEN)
			continue;
		fprintf(out, "%.9g\t%zu\t%d\n", canvas_in_unit(at, axis->unit), from, (int)to - (int)from);
		last[from][to] = at;
	}
	end_block(out, "NaN\tNaN\tNaN");
}

/* The first line has the settings of the script, the rest is its data. */
char *figure_path_data(const struct story *story)
{
	struct axis axis = {.from = story->from, .span = story_length(story), .unit = canvas_unit(story_length(story))};
	char *text = NULL, *data = NULL, kinds[3 * WHATS + 1] = "";
	bool occurs[WHATS] = {false};
	size_t size = 0;
	struct rows rows;
	int length = 0;
	FILE *out;

	if (story->pieces.count == 0 || axis.span <= 0)
		return NULL;
	make_rows(&rows, story);
	out = open_memstream(&data, &size);
	put_rows(out, &rows);
	put_waits(out, &axis, story, &rows);
	put_pieces(out, &axis, story, &rows, occurs);
	put_wakes(out, &axis, story, &rows);
	fclose(out);
	for (int what = 0; what < WHATS; what++)
		if (occurs[what])
			length += sprintf(kinds + length, "%s%d", length ? " " : "", what);
	text = memory_format("rows=%zu; span=%.9g; unit=%d; kinds='%s'; waits=%d\n%s", rows.count, canvas_in_unit(axis.span, axis.unit), axis.unit,
			     kinds, story->waits.count > 0, data);
	free(data);
	return text;
}

char *figure_path(const char *data, char **complaint)
{
	const char *rest = strchr(data, '\n') + 1;
	struct canvas *canvas = canvas_open(complaint);
	FILE *file = canvas ? canvas_file(canvas, "path") : NULL;

	if (!canvas)
		return NULL;
	if (file)
		fputs(rest, file);
	if (!file || canvas_file_close(file) < 0)
		return canvas_undrawn(canvas, complaint);
	return canvas_drawn(canvas, "charts/path.gp", memory_text(data, (size_t)(rest - 1 - data)), complaint);
}

/* --- paths in text ---------------------------------------------------------------------------------------------------------- */

/* The letter for what a piece did. */
static char letter_of(enum node_what what)
{
	static const char letters[WHATS] = {
		[WHAT_METHOD] = '=', [WHAT_RUN] = '=',	 [WHAT_RUNNABLE] = 'r', [WHAT_WAIT] = 'z',    [WHAT_IRQ] = 'i',
		[WHAT_SOFTIRQ] = 'i', [WHAT_TIMER] = 't', [WHAT_QUEUE] = 'q',	  [WHAT_SERVICE] = 's', [WHAT_UNKNOWN] = '?'};

	return letters[what];
}

const char figure_path_legend[] = "= runs, r waits for a CPU, . waits for another, ^ is woken; q in a device's queue, s in service, t timer, "
				  "i interrupt, z asleep, ? unknown";

/* Fills a row with a letter between two times of the story. */
static void fill(char *cells, size_t columns, const struct axis *axis, int64_t from, int64_t to, char letter)
{
	size_t first = (size_t)(along(axis, from) / axis->span * (double)columns), end = (size_t)ceil(along(axis, to) / axis->span * (double)columns);

	for (size_t i = first; i < end && i < columns; i++)
		cells[i] = letter;
}

/* Draws an arrow at the column of the wake-up: its line in the rows between waker and woken thread, its head in the woken thread's row. */
static void point(char (*cells)[COLUMNS_MAX + 1], size_t columns, const struct axis *axis, int64_t at, size_t from, size_t to)
{
	size_t column = (size_t)(along(axis, at) / axis->span * (double)columns), row;

	column = column < columns ? column : columns - 1;
	for (row = from; row != to; row += to > from ? 1 : -1)
		if (row != from && (cells[row][column] == ' ' || cells[row][column] == '.'))
			cells[row][column] = '|';
	cells[to][column] = to < from ? '^' : 'v';
}

char *figure_path_text(const struct story *story, size_t width)
{
	struct axis axis = {.from = story->from, .span = story_length(story)};
	size_t columns = width > ROW_COLUMNS + 20 ? width - ROW_COLUMNS - 7 : 20, size = 0, i;
	char cells[ROWS_MAX][COLUMNS_MAX + 1], *text = NULL, *name;
	struct rows rows;
	FILE *out;

	if (story->pieces.count == 0 || axis.span <= 0)
		return NULL;
	columns = columns < COLUMNS_MAX ? columns : COLUMNS_MAX;
	make_rows(&rows, story);
	for (i = 0; i < rows.count; i++)
		snprintf(cells[i], sizeof(cells[i]), "%*s", (int)columns, "");
	for (i = 0; i < story->waits.count; i++)
		fill(cells[row_of(&rows, story->waits.items[i].row)], columns, &axis, story->waits.items[i].from, story->waits.items[i].to, '.');
	for (i = 0; i < story->pieces.count; i++)
		fill(cells[row_of(&rows, story->pieces.items[i].row)], columns, &axis, story->pieces.items[i].from,
		     story->pieces.items[i].to, letter_of(story->pieces.items[i].what));
	for (i = 0; i < story->waits.count; i++)
		if (story->waits.items[i].waker != NO_PIECE)
			point(cells, columns, &axis, story->waits.items[i].to, row_of(&rows, story->pieces.items[story->waits.items[i].waker].row),
			      row_of(&rows, story->waits.items[i].row));
	out = open_memstream(&text, &size);
	for (i = 0; i < rows.count; i++) {
		name = display_abridge(rows.names[i], ROW_COLUMNS);
		fprintf(out, "   %s%*s  |%s|\n", name, (int)(ROW_COLUMNS - display_columns(name)), "", cells[i]);
		free(name);
	}
	fclose(out);
	return text;
}

/* --- blame ------------------------------------------------------------------------------------------------------------------ */

char *figure_blame(const struct verdict *verdicts, size_t count, char **complaint)
{
	int unit = count > 0 ? canvas_unit(verdicts[0].score) : 0;
	struct canvas *canvas;
	double sum = 0;
	FILE *file;
	size_t i;

	if (count == 0 || !(verdicts[0].score > 0) || !(canvas = canvas_open(complaint)))
		return NULL;
	file = canvas_file(canvas, "blame");
	for (i = 0; file && i < count; i++) {
		sum += isfinite(verdicts[i].share) ? verdicts[i].share : 0;
		fprintf(file, "%zu\t%.9g\t%.6g\t", i, canvas_in_unit(verdicts[i].score, unit), 100 * sum);
		canvas_text(file, verdicts[i].name, BLAME_COLUMNS);
		fputc('\n', file);
	}
	if (!file || canvas_file_close(file) < 0)
		return canvas_undrawn(canvas, complaint);
	return canvas_drawn(canvas, "charts/blame.gp",
		     memory_format("rows=%zu; most=%.9g; unit=%d", count, canvas_in_unit(verdicts[0].score, unit), unit),
		     complaint);
}

/* --- runs ---------------------------------------------------------------------------------------------------------------------- */

/* Draws the runs, or the values that tell them apart. */
static char *draw_rows(const struct contrast *contrast, bool runs, double *longest, char **complaint)
{
	struct canvas *canvas = canvas_open(complaint);
	FILE *points = canvas ? canvas_file(canvas, "points") : NULL, *names = points ? canvas_file(canvas, "names") : NULL;
	size_t rows = 0;
	int status;

	if (!canvas)
		return NULL;
	if (!names) {
		if (points)
			canvas_file_close(points);
		return canvas_undrawn(canvas, complaint);
	}
	if (runs)
		*longest = contrast_put_runs(contrast, points, names, &rows);
	else
		contrast_put_values(contrast, points, names, &rows);
	status = canvas_file_close(points);
	if (canvas_file_close(names) < 0 || status < 0)
		return canvas_undrawn(canvas, complaint);
	if (rows == 0) {
		canvas_close(canvas);
		return NULL;
	}
	return canvas_drawn(canvas, runs ? "charts/runs.gp" : "charts/values.gp", memory_format("rows = %zu", rows), complaint);
}

char *figure_runs(const struct contrast *contrast, double *longest, char **complaint)
{
	return draw_rows(contrast, true, longest, complaint);
}

char *figure_values(const struct contrast *contrast, char **complaint)
{
	return draw_rows(contrast, false, NULL, complaint);
}
