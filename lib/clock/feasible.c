#include "clock/feasible.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/timestamp.h"

/* A bound, relative to an origin and to a clock of the same speed. */
struct point {
	long double x, y;
};

struct hull { /* by x; slopes ascend (a lower hull) or descend (an upper one) */
	ARRAY(struct point) points;
};

static const double slope_most = 1e-3, rounding = 1;

/* The region that the bounds allow in the plane of slopes a and heights b: above `floor`, below `ceiling`. Each bound is a line in that plane. */
struct region {
	struct hull ceiling, floor; /* the lower hull of upper bounds; the upper hull of lower ones */
	int64_t x, y;		    /* the origin of their points */
	double flattest, steepest;
};

int64_t line_rounded(long double value)
{
	return value >= 9.2e18L ? INT64_MAX : value <= -9.2e18L ? INT64_MIN : (int64_t)roundl(value);
}

int64_t line_at(const struct clock_line *line, int64_t x)
{
	return line_rounded((long double)x + line->offset + (long double)line->slope * ((long double)x - line->origin));
}


/* --- hulls -------------------------------------------------------------------------------------------------------- */

static long double turn(struct point a, struct point b, struct point c)
{
	return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* Adds a point that is not left of the others; `sign` is 1 for a lower hull, -1 for an upper one. */
static void hull_add(struct hull *hull, struct point point, int sign)
{
	struct point *last;

	while (hull->points.count) {
		last = &hull->points.items[hull->points.count - 1];
		if (last->x == point.x) { /* the tighter bound stays */
			if (sign * (point.y - last->y) >= 0)
				return;
		} else if (hull->points.count < 2 || sign * turn(last[-1], *last, point) > 0) {
			break;
		}
		hull->points.count--;
	}
	*ARRAY_ADD(&hull->points) = point;
}

static void region_free(struct region *region)
{
	free(region->ceiling.points.items);
	free(region->floor.points.items);
}

static struct region region_new(const struct bound *bounds, size_t count)
{
	struct region region = {.x = bounds[count / 2].x, .y = bounds[count / 2].y};

	for (size_t i = 0; i < count; i++) {
		long double x = (long double)bounds[i].x - region.x, y = (long double)bounds[i].y - region.y - x;

		if (bounds[i].upper)
			hull_add(&region.ceiling, (struct point){x, y + rounding}, 1);
		else
			hull_add(&region.floor, (struct point){x, y - rounding}, -1);
	}
	return region;
}

/* --- the lines that fit ------------------------------------------------------------------------------------------- */

/*
 * The least y - a * x of a lower hull (sign 1), or the greatest of an upper one (-1). From the point on at which the hull's slope passes a, the
 * values move away from it. Without points infinite.
 */
static long double extreme(const struct hull *hull, long double a, int sign)
{
	size_t low = 0, high = hull->points.count ? hull->points.count - 1 : 0;

	if (!hull->points.count)
		return sign * INFINITY;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct point *p = &hull->points.items[middle];

		if (sign * (p[1].y - p->y - a * (p[1].x - p->x)) >= 0)
			high = middle;
		else
			low = middle + 1;
	}
	return hull->points.items[low].y - a * hull->points.items[low].x;
}

/* The highest and the lowest b that the bounds allow for lines of slope a. */
static long double highest(const struct region *region, long double a)
{
	return extreme(&region->ceiling, a, 1);
}

static long double lowest(const struct region *region, long double a)
{
	return extreme(&region->floor, a, -1);
}

static long double room(const struct region *region, long double a)
{
	return highest(region, a) - lowest(region, a);
}

struct slopes {
	ARRAY(double) a;
};

static void add_slopes(struct slopes *slopes, const struct hull *hull)
{
	for (size_t i = 1; i < hull->points.count; i++) {
		const struct point *p = &hull->points.items[i];
		double a = (double)((p->y - p[-1].y) / (p->x - p[-1].x));

		if (fabs(a) < slope_most)
			*ARRAY_ADD(&slopes->a) = a;
	}
}

static int by_size(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* The slopes at which another bound begins to limit the region, and the extreme slopes, in ascending order. */
static struct slopes corners(const struct region *region)
{
	struct slopes slopes = {0};

	*ARRAY_ADD(&slopes.a) = -slope_most;
	*ARRAY_ADD(&slopes.a) = slope_most;
	add_slopes(&slopes, &region->ceiling);
	add_slopes(&slopes, &region->floor);
	qsort(slopes.a.items, slopes.a.count, sizeof(double), by_size);
	return slopes;
}

/* The slope at which room ends, between a slope with room and one without. Room is linear between neighbours. */
static double edge(double with, long double more, double without, long double less)
{
	return (double)(with + (without - with) * (more / (more - less)));
}

/* Finds the flattest and the steepest line that fit. False: none does. Room is concave in the slope, so it is largest at a corner. */
static bool find_extremes(struct region *region, const struct slopes *slopes)
{
	size_t count = slopes->a.count, best = 0, i;
	long double *rooms = memory_new(count, sizeof(*rooms));
	const double *a = slopes->a.items;
	bool fits;

	for (i = 0; i < count; i++) {
		rooms[i] = room(region, a[i]);
		best = rooms[i] > rooms[best] ? i : best;
	}
	fits = rooms[best] >= 0;
	if (fits) {
		for (i = best; i > 0 && rooms[i - 1] >= 0; i--)
			;
		region->flattest = i ? edge(a[i], rooms[i], a[i - 1], rooms[i - 1]) : a[0];
		for (i = best; i + 1 < count && rooms[i + 1] >= 0; i++)
			;
		region->steepest = i + 1 < count ? edge(a[i], rooms[i], a[i + 1], rooms[i + 1]) : a[i];
	}
	free(rooms);
	return fits;
}

/* How far the outermost lines that fit lie apart at x. */
static long double apart(const struct region *region, const struct slopes *slopes, long double x)
{
	long double top = -INFINITY, bottom = INFINITY;

	for (size_t i = 0; i < slopes->a.count + 2; i++) {
		double a = i < slopes->a.count ? slopes->a.items[i] : i == slopes->a.count ? region->flattest : region->steepest;

		if (a < region->flattest || a > region->steepest)
			continue;
		top = fmaxl(top, a * x + highest(region, a));
		bottom = fminl(bottom, a * x + lowest(region, a));
	}
	return top - bottom;
}

/* Fits a line to the bounds, and completes *line, which has `from` and `to`. `line` may be NULL. False: no line fits. */
static bool fit(const struct bound *bounds, size_t count, struct clock_line *line)
{
	struct region region = region_new(bounds, count);
	struct slopes slopes = {0};
	bool fits = true;

	if (region.ceiling.points.count && region.floor.points.count) {
		slopes = corners(&region);
		fits = find_extremes(&region, &slopes);
	}
	if (fits && line) {
		long double flat = (highest(&region, region.flattest) + lowest(&region, region.flattest)) / 2;
		long double steep = (highest(&region, region.steepest) + lowest(&region, region.steepest)) / 2;
		bool both = slopes.a.count;

		line->slope = both ? (region.flattest + region.steepest) / 2 : 0;
		line->origin = region.x;
		line->offset = timestamp_add(region.y - region.x, both ? line_rounded((flat + steep) / 2) : 0);
		line->bounds = count;
		line->width = both ? (double)fmaxl(apart(&region, &slopes, (long double)line->from - region.x),
						   apart(&region, &slopes, (long double)line->to - region.x))
				   : INFINITY;
	}
	free(slopes.a.items);
	region_free(&region);
	return fits;
}

/* --- pieces ------------------------------------------------------------------------------------------------------- */

/*
 * How many bounds, from the first on, one line can hold for; at least 1. More bounds leave fewer lines, so that a binary search works. It begins
 * with few, so that many short lines take no more time than one long one.
 */
static size_t longest(const struct bound *bounds, size_t count)
{
	enum { GROWTH = 8 };
	size_t fits = 1, fails;

	for (fails = 2; fails < count && fit(bounds, fails, NULL); fails *= GROWTH)
		fits = fails;
	if (fails >= count && fit(bounds, count, NULL))
		return count;
	fails = fails < count ? fails : count;
	while (fits + 1 < fails) {
		size_t middle = fits + (fails - fits) / 2;

		if (fit(bounds, middle, NULL))
			fits = middle;
		else
			fails = middle;
	}
	return fits;
}

static bool both_ways(const struct bound *bounds, size_t count)
{
	bool seen[2] = {false, false};

	for (size_t i = 0; i < count; i++)
		seen[bounds[i].upper] = true;
	return seen[0] && seen[1];
}

/* The first bound, not before `first`, from which on one line holds for all bounds up to the `length` from `next` on; at most `next`. */
static size_t earliest(const struct bound *bounds, size_t first, size_t next, size_t length)
{
	size_t fits = next, fails = first;

	while (fails < fits) {
		size_t middle = fails + (fits - fails) / 2;

		if (fit(bounds + middle, next + length - middle, NULL))
			fits = middle;
		else
			fails = middle + 1;
	}
	return fits;
}

/* Tells whether each difference of the two clocks fits into the offset of a line. */
static bool fit_offsets(const struct bound *bounds, size_t count)
{
	int64_t offset;

	for (size_t i = 0; i < count; i++)
		if (__builtin_sub_overflow(bounds[i].y, bounds[i].x, &offset))
			return false;
	return true;
}

static uint64_t distance(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/*
 * Chooses where the next line begins, among the bounds `first` to `next`, which either line may have: where the clocks' difference jumps most,
 * because a step is larger than the differences between messages.
 */
static size_t change(const struct bound *bounds, size_t first, size_t next)
{
	size_t at = next;
	uint64_t most = 0;

	for (size_t i = first > 1 ? first : 1; i <= next; i++) {
		uint64_t jump = distance(bounds[i].y - bounds[i].x, bounds[i - 1].y - bounds[i - 1].x);

		if (jump >= most) {
			most = jump;
			at = i;
		}
	}
	return at;
}

/* The time at which one line ends and the next begins: midway between two bounds, where a step forward leaves a gap. */
static int64_t between(const struct bound *bounds, size_t i)
{
	return bounds[i - 1].x + (int64_t)(distance(bounds[i].x, bounds[i - 1].x) / 2);
}

size_t feasible_lines(const struct bound *bounds, size_t count, int64_t from, int64_t to, struct clock_line **lines)
{
	ARRAY(struct clock_line) found = {0};
	size_t begin = 0;

	*lines = NULL;
	if (!both_ways(bounds, count) || !fit_offsets(bounds, count))
		return 0;
	while (begin < count) {
		size_t end = begin + longest(bounds + begin, count - begin);
		struct clock_line line = {.from = begin ? between(bounds, begin) : from, .to = to};

		if (end < count) {
			size_t first = earliest(bounds, begin + 1, end, longest(bounds + end, count - end));

			end = change(bounds, first, end);
			line.to = between(bounds, end);
		}
		fit(bounds + begin, end - begin, &line);
		*ARRAY_ADD(&found) = line;
		begin = end;
	}
	*lines = found.items;
	return found.count;
}
