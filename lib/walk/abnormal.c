#include "walk/abnormal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "wake/wake.h"
#include "walk/whole_words.h"

enum { ID_ROOM = 64, NAME_ROOM = 256 };
#define NO_SIGNAL ULLONG_MAX /* the number of a signal without id, which no window can name */

/* Reads how bad a signal is: the time lost beyond the centre. A plain number or a change of level lost none. */
static int read_badness(const struct fields *fields, struct whole_signal *signal)
{
	double center = 0, ucl = 0;

	if (fields_double(fields, "value", &signal->value) < 0 || fields_double(fields, "center", &center) < 0 || fields_double(fields, "ucl", &ucl) < 0)
		return -1;
	signal->lost = fields_find(fields, "start") && !fields_find(fields, "unit") && !fields_is(fields, "rules", "shift") ? signal->value - center : -1;
	signal->excess = ucl > 0 ? signal->value / ucl : signal->value;
	return 0;
}

static int read_signal(struct whole *whole, const struct fields *fields)
{
	char id[ID_ROOM] = "", chart[NAME_ROOM] = "", key[NAME_ROOM] = "", name[2 * NAME_ROOM];
	struct whole_signal signal = {.ts = TIME_NONE};
	int64_t tid = 0;

	if (fields_time(fields, "ts", &signal.ts) < 0)
		return -1;
	if (signal.ts == TIME_NONE)
		return fail("a signal needs ts=");
	signal.start = signal.ts;
	if (fields_time(fields, "start", &signal.start) < 0 || fields_integer(fields, "tid", &tid) < 0 || read_badness(fields, &signal) < 0)
		return -1;
	fields_text(fields, "id", id, sizeof(id));
	fields_text(fields, "chart", chart, sizeof(chart));
	fields_text(fields, "key", key, sizeof(key));
	snprintf(name, sizeof(name), "%s%s%s", chart, *key ? " " : "", key);
	signal.start = wake_time(signal.start);
	signal.ts = wake_time(signal.ts);
	signal.tid = tid > 0 && tid <= INT32_MAX ? (int32_t)tid : 0;
	signal.id = whole_word(whole, id);
	signal.number = *id ? strtoull(id, NULL, 10) : NO_SIGNAL;
	signal.name = whole_word(whole, name);
	*ARRAY_ADD(&whole->signals) = signal;
	return 0;
}

/* Signals of threads are worse than others, because only these can be walked; then more time lost; then the limit exceeded by more. */
static bool is_worse(const struct whole_signal *a, const struct whole_signal *b)
{
	if (!a->tid != !b->tid)
		return a->tid != 0;
	if (a->lost > b->lost || a->lost < b->lost)
		return a->lost > b->lost;
	return a->excess > b->excess;
}

static void take_signals(struct whole *whole, struct whole_window *window, unsigned long long first, unsigned long long last)
{
	while (whole->settled < whole->signals.count &&
	       (whole->signals.items[whole->settled].in_window || whole->signals.items[whole->settled].number == NO_SIGNAL))
		whole->settled++;
	for (size_t i = whole->settled; i < whole->signals.count; i++) {
		struct whole_signal *signal = &whole->signals.items[i];

		if (signal->number == NO_SIGNAL || signal->number < first || signal->number > last || signal->in_window)
			continue;
		signal->in_window = true;
		if (window->signal == NUMBER_NONE || is_worse(signal, &whole->signals.items[window->signal]))
			window->signal = (uint32_t)i;
	}
}

static int read_window(struct whole *whole, const struct fields *fields)
{
	struct whole_window window = {.from = TIME_NONE, .to = TIME_NONE, .signal = NUMBER_NONE};
	char id[ID_ROOM] = "", signals[ID_ROOM] = "", *end;
	unsigned long long first, last;

	if (fields_time(fields, "from", &window.from) < 0 || fields_time(fields, "to", &window.to) < 0)
		return -1;
	if (window.from == TIME_NONE || window.to == TIME_NONE || window.from > window.to)
		return fail("a window needs from= and to=");
	window.from = wake_time(window.from);
	window.to = wake_time(window.to);
	fields_text(fields, "id", id, sizeof(id));
	fields_text(fields, "signals", signals, sizeof(signals));
	window.id = whole_word(whole, id);
	first = last = strtoull(signals, &end, 10);
	if (*end == '-')
		last = strtoull(end + 1, NULL, 10);
	if (*signals)
		take_signals(whole, &window, first, last);
	*ARRAY_ADD(&whole->windows) = window;
	return 0;
}

int abnormal_read(struct whole *whole, enum kind kind, const struct fields *fields)
{
	return kind == KIND_SIGNAL ? read_signal(whole, fields) : read_window(whole, fields);
}

static int compare_windows(const void *a, const void *b)
{
	const struct whole_window *one = a, *other = b;

	if (one->from != other->from)
		return one->from < other->from ? -1 : 1;
	return one->to < other->to ? -1 : one->to > other->to;
}

/* A signal, listed by its thread and also by tid 0, sorted by tid and start. `until`: the latest end of this tid's signals so far. */
struct busy {
	int32_t tid;
	int64_t start, until;
};

struct busy_list {
	size_t count;
	struct busy items[];
};

static int compare_busy(const void *a, const void *b)
{
	const struct busy *one = a, *other = b;

	if (one->tid != other->tid)
		return one->tid < other->tid ? -1 : 1;
	return one->start < other->start ? -1 : one->start > other->start;
}

static struct busy_list *list_busy(const struct whole *whole)
{
	struct busy_list *list = memory_new(1, sizeof(*list) + 2 * whole->signals.count * sizeof(list->items[0]));

	for (size_t i = 0; i < whole->signals.count; i++) {
		const struct whole_signal *signal = &whole->signals.items[i];

		list->items[list->count++] = (struct busy){0, signal->start, signal->ts};
		if (signal->tid)
			list->items[list->count++] = (struct busy){signal->tid, signal->start, signal->ts};
	}
	qsort(list->items, list->count, sizeof(list->items[0]), compare_busy);
	for (size_t i = 1; i < list->count; i++)
		if (list->items[i].tid == list->items[i - 1].tid)
			list->items[i].until = later(list->items[i].until, list->items[i - 1].until);
	return list;
}

void abnormal_ready(struct whole *whole)
{
	for (size_t i = 0; i < whole->signals.count; i++) {
		const struct whole_signal *signal = &whole->signals.items[i];

		if (!signal->in_window)
			*ARRAY_ADD(&whole->windows) =
				(struct whole_window){.from = signal->start, .to = signal->ts, .id = signal->id, .signal = (uint32_t)i};
	}
	if (whole->windows.count)
		qsort(whole->windows.items, whole->windows.count, sizeof(*whole->windows.items), compare_windows);
	abnormal_free(whole);
	whole->busy = list_busy(whole);
}

void abnormal_free(struct whole *whole)
{
	free(whole->busy);
	whole->busy = NULL;
}

bool abnormal_overlap(const struct whole *whole, int64_t from, int64_t to, int32_t tid)
{
	size_t low = 0, high = whole->busy->count;

	/* low becomes the index behind the last signal of this tid that begins before `to` */
	while (low < high) {
		const struct busy *busy = &whole->busy->items[low + (high - low) / 2];

		if (busy->tid < tid || (busy->tid == tid && busy->start < to))
			low = (size_t)(busy - whole->busy->items) + 1;
		else
			high = (size_t)(busy - whole->busy->items);
	}
	return low > 0 && whole->busy->items[low - 1].tid == tid && whole->busy->items[low - 1].until >= from;
}
