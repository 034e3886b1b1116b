#include "state/query.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "state/glob.h"

static void put_path(struct rows *rows, const char *path)
{
	rows_text(rows, path, strlen(path));
}

/* Times */

int64_t query_wall(const struct history_file *file)
{
	char *text = history_fact(file, "wall");
	int64_t wall = INT64_MIN;

	if (text && number_time(text, strlen(text), &wall) < 0)
		wall = INT64_MIN;
	free(text);
	return wall;
}

/* HH:MM:SS on the day on which the history begins or, if that is before its beginning, on the next day. */
static int time_of_day(int64_t wall, int64_t from, const char *text, int64_t *ts)
{
	time_t begin = (time_t)((wall + from) / NSEC_PER_SEC);
	const char *fraction = strchr(text, '.');
	int hours, minutes, seconds, length = 0;
	int64_t rest = 0;
	struct tm day;

	if (sscanf(text, "%2d:%2d:%2d%n", &hours, &minutes, &seconds, &length) != 3 || text + length != (fraction ? fraction : text + strlen(text)) ||
	    hours > 23 || minutes > 59 || seconds > 60 || hours < 0 || minutes < 0 || seconds < 0)
		return fail("'%s' is no time HH:MM:SS", text);
	if (fraction) {
		char *whole = memory_format("0%s", fraction);
		int status = number_time(whole, strlen(whole), &rest);

		free(whole);
		if (status < 0)
			return -1;
	}
	localtime_r(&begin, &day);
	day.tm_hour = hours;
	day.tm_min = minutes;
	day.tm_sec = seconds;
	day.tm_isdst = -1;
	*ts = mktime(&day) * NSEC_PER_SEC + rest - wall;
	if (*ts < from) {
		day.tm_mday++;
		day.tm_isdst = -1;
		*ts = mktime(&day) * NSEC_PER_SEC + rest - wall;
	}
	return 0;
}

static int check_within(const struct history_file *file, const char *text, int64_t ts)
{
	char first[NUMBER_ROOM], last[NUMBER_ROOM];
	int64_t from, to;

	if (!history_span(file, &from, &to))
		return fail("the history is empty");
	if (ts >= from && ts <= to)
		return 0;
	if (strchr(text, ':')) {
		rows_spell_clock(first, query_wall(file) + from);
		rows_spell_clock(last, query_wall(file) + to);
	} else {
		int64_t shift = *text == '@' ? query_wall(file) : 0;

		number_spell_time(first, from + shift);
		number_spell_time(last, to + shift);
	}
	return fail("'%s' is outside the history, which lasts from %s to %s", text, first, last);
}

int query_time(const struct history_file *file, const char *text, int64_t *ts)
{
	int64_t wall = query_wall(file), from, to;
	bool of_day = strchr(text, ':') != NULL;

	history_span(file, &from, &to);
	if ((of_day || *text == '@') && wall == INT64_MIN)
		return fail("'%s' is a wall-clock time, which this history does not know; give seconds of the trace clock", text);
	if (of_day) {
		if (time_of_day(wall, from, text, ts) < 0)
			return -1;
	} else if (*text == '@') {
		if (number_time(text + 1, strlen(text + 1), ts) < 0)
			return -1;
		*ts -= wall;
	} else if (number_time(text, strlen(text), ts) < 0) {
		return -1;
	}
	return check_within(file, text, *ts);
}

/* at */

int query_at(struct history_file *file, int64_t ts, const char *glob, struct rows *rows)
{
	static const struct rows_column columns[] = {{"path"}, {"value"}};
	size_t count = history_count(file);
	struct state_value *values = memory_new(count + 1, sizeof(*values));
	bool *wanted = memory_new(count + 1, sizeof(*wanted));
	int64_t from, to;
	int status;

	/* With holds_end, the last interval includes the end. Without it, or at INT64_MAX, the interval ends there: ask for 1 ns earlier. */
	if (history_span(file, &from, &to) && ts == to && from < to && (ts == INT64_MAX || !history_holds_end(file)))
		ts--;
	for (size_t i = 0; i < count; i++)
		wanted[i] = glob_matches(glob, history_path(file, i));
	rows_begin(rows, columns, 2);
	status = history_at(file, ts, wanted, values);
	for (size_t i = 0; i < count; i++) {
		if (status == 0 && values[i].kind != STATE_NULL) {
			put_path(rows, history_path(file, i));
			rows_value(rows, values[i]);
		}
		state_value_drop(history_texts(file), &values[i]);
	}
	free(wanted);
	free(values);
	return status;
}

/* range */

/* How long the attribute had a value within a bucket. */
struct share {
	struct state_value value;
	int64_t total;
};

struct range {
	struct rows *rows;
	struct state_texts *texts;
	const char *path;
	int64_t from, to;
	uint64_t points, count;
	/* the buckets */
	uint64_t bucket;
	int64_t at; /* buckets are filled up to this time */
	ARRAY(struct share) shares; /* of the current bucket */
	/* the interval that may still grow */
	struct state_value value;
	int64_t since;
};

static int count_interval(void *context, int64_t from, int64_t to, struct state_value value)
{
	struct range *range = context;

	(void)from;
	(void)to;
	range->count += value.kind != STATE_NULL;
	return range->count > range->points;
}

static void put_interval(const struct range *range, int64_t from, int64_t to, struct state_value value)
{
	if (value.kind == STATE_NULL || from >= to)
		return;
	rows_time(range->rows, from);
	rows_time(range->rows, to);
	put_path(range->rows, range->path);
	rows_value(range->rows, value);
}

static int put_clipped(void *context, int64_t from, int64_t to, struct state_value value)
{
	const struct range *range = context;

	put_interval(range, from < range->from ? range->from : from, to > range->to ? range->to : to, value);
	return 0;
}

/* The time at which a bucket begins, rounded down to a ns. */
static int64_t begin_of(const struct range *range, uint64_t bucket)
{
	return range->from + (int64_t)((unsigned __int128)bucket * (uint64_t)(range->to - range->from) / range->points);
}

/* Ends the current bucket. Its value is the one with the most time, of equals the earliest. */
static void end_bucket(struct range *range)
{
	const struct share *most = range->shares.items;
	int64_t begin = begin_of(range, range->bucket);

	for (size_t i = 1; i < range->shares.count; i++)
		if (range->shares.items[i].total > most->total)
			most = &range->shares.items[i];
	if (!state_value_equal(most->value, range->value)) {
		put_interval(range, range->since, begin, range->value);
		state_value_drop(range->texts, &range->value);
		range->value = state_value_share(most->value);
		range->since = begin;
	}
	for (size_t i = 0; i < range->shares.count; i++)
		state_value_drop(range->texts, &range->shares.items[i].value);
	range->shares.count = 0;
	range->bucket++;
}

static void add_share(struct range *range, struct state_value value, int64_t time)
{
	for (size_t i = 0; i < range->shares.count; i++)
		if (state_value_equal(range->shares.items[i].value, value)) {
			range->shares.items[i].total += time;
			return;
		}
	*ARRAY_ADD(&range->shares) = (struct share){state_value_share(value), time};
}

/* Fills buckets up to `to` with the value. */
static void fill(struct range *range, int64_t to, struct state_value value)
{
	while (range->at < to) {
		int64_t end = begin_of(range, range->bucket + 1), until = end < to ? end : to;

		if (until > range->at)
			add_share(range, value, until - range->at);
		range->at = until;
		if (until == end && range->shares.count > 0)
			end_bucket(range);
		else if (until == end)
			range->bucket++; /* the bucket is shorter than a ns */
	}
}

static int fill_interval(void *context, int64_t from, int64_t to, struct state_value value)
{
	struct range *range = context;

	fill(range, from < range->to ? from : range->to, (struct state_value){0});
	fill(range, to < range->to ? to : range->to, value);
	return 0;
}

static int put_buckets(struct history_file *file, size_t index, struct range *range)
{
	range->at = range->since = range->from;
	range->bucket = 0;
	if (history_walk(file, index, range->from, range->to, fill_interval, range) < 0)
		return -1;
	fill(range, range->to, (struct state_value){0});
	put_interval(range, range->since, range->to, range->value);
	state_value_drop(range->texts, &range->value);
	return 0;
}

int query_range(struct history_file *file, int64_t from, int64_t to, const char *glob, uint64_t points, struct rows *rows)
{
	static const struct rows_column columns[] = {{"from"}, {"to"}, {"path"}, {"value"}};
	struct range range = {.rows = rows, .texts = history_texts(file), .from = from, .to = to, .points = points};
	int status = 0;

	rows_begin(rows, columns, 4);
	for (size_t i = 0; i < history_count(file) && status >= 0; i++) {
		range.path = history_path(file, i);
		if (!glob_matches(glob, range.path))
			continue;
		range.count = 0;
		if (points > 0)
			status = history_walk(file, i, from, to, count_interval, &range);
		if (status >= 0 && range.count > points)
			status = put_buckets(file, i, &range);
		else if (status >= 0)
			status = history_walk(file, i, from, to, put_clipped, &range);
	}
	free(range.shares.items);
	return status < 0 ? -1 : 0;
}

/* stats */

struct durations {
	UT_hash_handle hh;
	struct state_value value;
	ARRAY(int64_t) each;
	int64_t total;
};

struct stats {
	struct state_texts *texts;
	struct durations *values;
	int64_t from, to;
};

static int add_duration(void *context, int64_t from, int64_t to, struct state_value value)
{
	struct stats *stats = context;
	int64_t duration = (to < stats->to ? to : stats->to) - (from > stats->from ? from : stats->from);
	struct durations *durations;
	struct state_value key;

	if (value.kind == STATE_NULL || duration <= 0)
		return 0;
	memset(&key, 0, sizeof(key));
	key.kind = value.kind;
	key.number = value.number; /* a text's address: equal texts are one object */
	HASH_FIND(hh, stats->values, &key, sizeof(key), durations);
	if (!durations) {
		durations = NEW(struct durations);
		state_value_share(value);
		memcpy(&durations->value, &key, sizeof(key));
		HASH_ADD(hh, stats->values, value, sizeof(key), durations);
	}
	*ARRAY_ADD(&durations->each) = duration;
	durations->total += duration;
	return 0;
}

static int by_length(const void *a, const void *b)
{
	const int64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static int by_total(const struct durations *a, const struct durations *b)
{
	char rooms[2][STATE_VALUE_ROOM];
	size_t lengths[2];
	const char *left = state_value_spell(a->value, rooms[0], &lengths[0]), *right = state_value_spell(b->value, rooms[1], &lengths[1]);

	return a->total != b->total ? (a->total < b->total ? 1 : -1) : strcmp(left, right);
}

/* The nearest-rank percentile of the sorted durations. */
static int64_t rank(const struct durations *durations, unsigned percent)
{
	size_t at = (durations->each.count * percent + 99) / 100;

	return durations->each.items[at > 0 ? at - 1 : 0];
}

static void put_durations(struct rows *rows, struct durations *durations, double all)
{
	qsort(durations->each.items, durations->each.count, sizeof(*durations->each.items), by_length);
	rows_value(rows, durations->value);
	rows_count(rows, durations->each.count);
	rows_duration(rows, durations->total);
	rows_share(rows, all > 0 ? (double)durations->total / all : 0);
	rows_duration(rows, durations->each.items[0]);
	rows_duration(rows, rank(durations, 50));
	rows_duration(rows, rank(durations, 99));
	rows_duration(rows, durations->each.items[durations->each.count - 1]);
}

int query_stats(struct history_file *file, int64_t from, int64_t to, const char *glob, struct rows *rows)
{
	static const struct rows_column columns[] = {{"value", -24}, {"count", 10}, {"total", 8}, {"share", 7},
						     {"min", 8},     {"median", 8}, {"p99", 8},	  {"max", 8}};
	struct stats stats = {.texts = history_texts(file), .from = from, .to = to};
	struct durations *durations, *next;
	uint64_t attributes = 0;
	int status = 0;

	for (size_t i = 0; i < history_count(file) && status >= 0; i++) {
		int holds = glob_matches(glob, history_path(file, i)) ? history_holds(file, i) : 0;

		status = holds > 0 ? history_walk(file, i, from, to, add_duration, &stats) : holds;
		attributes += holds > 0;
	}
	HASH_SORT(stats.values, by_total);
	if (status == 0)
		rows_begin(rows, columns, 8);
	HASH_ITER (hh, stats.values, durations, next) {
		if (status == 0)
			put_durations(rows, durations, (double)(to - from) * (double)attributes);
		HASH_DEL(stats.values, durations);
		state_value_drop(stats.texts, &durations->value);
		free(durations->each.items);
		free(durations);
	}
	return status;
}

/* Names */

int query_paths(struct history_file *file, const char *glob, struct rows *rows)
{
	static const struct rows_column columns[] = {{"path"}};

	rows_begin(rows, columns, 1);
	for (size_t i = 0; i < history_count(file); i++) {
		int holds = glob_matches(glob, history_path(file, i)) ? history_holds(file, i) : 0;

		if (holds < 0)
			return -1;
		if (holds)
			put_path(rows, history_path(file, i));
	}
	return 0;
}

int query_views(const struct history_file *file, struct rows *rows)
{
	static const struct rows_column columns[] = {{"kind"}, {"path"}, {"title"}};
	char *key, *fact;

	rows_begin(rows, columns, 3);
	for (unsigned view = 1;; view++)
		for (size_t i = 0; i < 3; i++) {
			key = memory_format("view.%u.%s", view, columns[i].name);
			fact = history_fact(file, key);
			free(key);
			if (!fact && i == 0)
				return 0;
			put_path(rows, fact ? fact : "");
			free(fact);
		}
}
