#include "calls/signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"

/* The centre of a chart and key in the window's first signal. */
struct first_center {
	char *name; /* chart and key */
	double center;
	UT_hash_handle hh;
};

void signals_forget(struct signals *signals)
{
	struct first_center *center, *next;

	HASH_ITER(hh, signals->centers, center, next) {
		HASH_DEL(signals->centers, center);
		free(center->name);
		free(center);
	}
	signals->list.count = signals->open = 0;
}

void signals_free(struct signals *signals)
{
	signals_forget(signals);
	free(signals->list.items);
}

/* Identifies a block request by its place; its start may be that of a bio to a partition of the disk. */
static int read_place(struct events *events, const struct fields *fields, struct graph_signal *signal)
{
	const struct field *dev = fields_find(fields, "dev");

	if (!dev || !fields_find(fields, "sector"))
		return 0;
	if (device_parse(dev->value, dev->value_length, &signal->disk) < 0 ||
	    fields_unsigned(fields, "sector", &signal->sector) < 0)
		return -1;
	signal->disk = events_device_disk(events, signal->disk);
	signal->request = true;
	return 0;
}

/*
 * Limits move while a chart learns. Measured by its own centre, an early signal of an incident would seem worse than slower ones that
 * follow. So one centre serves for all signals of a chart and key.
 */
static double center_in_window(struct signals *signals, const struct fields *fields, double center)
{
	char name[256] = "", key[120] = "";
	struct first_center *first;

	fields_text(fields, "chart", name, sizeof(name) - sizeof(key));
	fields_text(fields, "key", key, sizeof(key));
	strcat(strcat(name, " "), key);
	HASH_FIND_STR(signals->centers, name, first);
	if (!first) {
		first = NEW(struct first_center);
		first->name = memory_text(name, strlen(name));
		first->center = center;
		HASH_ADD_KEYPTR(hh, signals->centers, first->name, strlen(first->name), first);
	}
	return first->center;
}

/* Plain numbers, and a change of level, are no waits: they lost no time. */
static int read_badness(struct signals *signals, const struct fields *fields, struct graph_signal *signal)
{
	double value = 0, center = 0, ucl = 0;

	if (fields_double(fields, "value", &value) < 0 || fields_double(fields, "center", &center) < 0 ||
	    fields_double(fields, "ucl", &ucl) < 0)
		return -1;
	signal->lost = -1;
	if (fields_find(fields, "start") && !fields_find(fields, "unit") && !fields_is(fields, "rules", "shift"))
		signal->lost = fmax(value - center_in_window(signals, fields, center), 0);
	signal->excess = ucl > 0 ? value / ucl : value;
	return 0;
}

static int read_signal(struct signals *signals, struct events *events, const struct fields *fields,
		       struct graph_signal *signal)
{
	int64_t tid = 0;

	if (fields_time(fields, "ts", &signal->ts) < 0 || fields_time(fields, "start", &signal->start) < 0 ||
	    fields_integer(fields, "tid", &tid) < 0 || read_badness(signals, fields, signal) < 0 ||
	    read_place(events, fields, signal) < 0)
		return -1;
	fields_text(fields, "id", signal->id, sizeof(signal->id));
	fields_text(fields, "comm", signal->comm, sizeof(signal->comm));
	if (!fields_find(fields, "ts"))
		return fail("a signal needs a ts");
	signal->start = wake_time(fields_find(fields, "start") ? signal->start : signal->ts);
	signal->ts = wake_time(signal->ts);
	if (signal->start > signal->ts)
		return fail("a signal ends before it starts");
	signal->tid = (int32_t)tid;
	signal->open = fields_is(fields, "open", "yes");
	return 0;
}

/* The earlier signal of the same wait, from before it ended; NULL: none. */
static struct graph_signal *earlier_of(const struct signals *signals, const struct graph_signal *signal)
{
	for (size_t i = 0; signals->open && i < signals->list.count; i++) {
		struct graph_signal *earlier = &signals->list.items[i];

		if (earlier->open && earlier->tid == signal->tid && earlier->start == signal->start && earlier->disk == signal->disk &&
		    earlier->sector == signal->sector)
			return earlier;
	}
	return NULL;
}

int signals_take(struct signals *signals, struct events *events, const struct fields *fields)
{
	struct graph_signal signal = {.order = signals->list.count}, *earlier;

	if (fields_is(fields, "unit", "share") || fields_is(fields, "unit", "per_second") || fields_is(fields, "mean", "yes"))
		return 0;
	if (read_signal(signals, events, fields, &signal) < 0)
		return -1;
	earlier = earlier_of(signals, &signal);
	signals->open -= earlier != NULL;
	signals->open += signal.open;
	*(earlier ? earlier : ARRAY_ADD(&signals->list)) = signal;
	return 0;
}

bool signal_has_end(const struct wake *wake, const struct graph_signal *signal)
{
	int64_t first, last;

	return wake_span(wake, &first, &last) && signal->ts > first && signal->ts <= last;
}

/* The worst first; among equals, the earlier. Signals whose end is not in the data come last. */
static int worse_first(const void *left, const void *right, void *context)
{
	const struct graph_signal *a = left, *b = right;
	bool a_ends = signal_has_end(context, a), b_ends = signal_has_end(context, b);

	if (a_ends != b_ends)
		return a_ends ? -1 : 1;
	if (a->lost != b->lost)
		return a->lost > b->lost ? -1 : 1;
	if (a->excess != b->excess)
		return a->excess > b->excess ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

size_t signals_choose(struct signals *signals, const struct wake *wake, size_t worst)
{
	struct graph_signal *list = signals->list.items;
	size_t count = signals->list.count, chosen = 0;

	if (count > 1)
		qsort_r(list, count, sizeof(*list), worse_first, (void *)wake);
	while (chosen < count && chosen < worst && signal_has_end(wake, &list[chosen]))
		chosen++;
	if (chosen == 0)
		return count < worst ? count : worst;
	return chosen;
}
