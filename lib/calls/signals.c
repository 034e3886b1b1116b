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

/* A wait that had not ended when a signal told of it. */
struct open_signal {
	struct wait {
		int64_t start;
		uint64_t disk, sector;
		int64_t tid;
	} wait;
	size_t at; /* in the list */
	UT_hash_handle hh;
};

static void forget_open(struct signals *signals)
{
	struct open_signal *open, *next;

	HASH_ITER(hh, signals->open, open, next) {
		HASH_DEL(signals->open, open);
		free(open);
	}
}

void signals_forget(struct signals *signals)
{
	struct first_center *center, *next;

	HASH_ITER(hh, signals->centers, center, next) {
		HASH_DEL(signals->centers, center);
		free(center->name);
		free(center);
	}
	forget_open(signals);
	signals->list.count = signals->taken = 0;
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

static struct wait wait_of(const struct graph_signal *signal)
{
	return (struct wait){.start = signal->start, .disk = signal->disk, .sector = signal->sector, .tid = signal->tid};
}

static struct open_signal *find_open(const struct signals *signals, const struct graph_signal *signal)
{
	struct wait wait = wait_of(signal);
	struct open_signal *open;

	HASH_FIND(hh, signals->open, &wait, sizeof(wait), open);
	return open;
}

static void add_open(struct signals *signals, const struct graph_signal *signal, size_t at)
{
	struct open_signal *open = NEW(struct open_signal);

	open->wait = wait_of(signal);
	open->at = at;
	HASH_ADD(hh, signals->open, wait, sizeof(open->wait), open);
}

static int by_badness(const struct graph_signal *a, const struct graph_signal *b)
{
	if (a->lost != b->lost)
		return a->lost > b->lost ? -1 : 1;
	if (a->excess != b->excess)
		return a->excess > b->excess ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static int worst_first(const void *left, const void *right)
{
	return by_badness(left, right);
}

/* Keeps the worse half. */
static void drop_least(struct signals *signals)
{
	struct graph_signal *list = signals->list.items;

	qsort(list, signals->list.count, sizeof(*list), worst_first);
	signals->list.count /= 2;
	forget_open(signals);
	for (size_t i = 0; i < signals->list.count; i++)
		if (list[i].open && !find_open(signals, &list[i]))
			add_open(signals, &list[i], i);
}

/* The signal replaces an earlier one of the same wait, from before it ended. */
static void keep(struct signals *signals, const struct graph_signal *signal)
{
	struct open_signal *open = find_open(signals, signal);
	size_t at = open ? open->at : signals->list.count;

	*(open ? &signals->list.items[at] : ARRAY_ADD(&signals->list)) = *signal;
	if (open && !signal->open) {
		HASH_DEL(signals->open, open);
		free(open);
	}
	if (!open && signal->open)
		add_open(signals, signal, at);
	if (signals->list.count >= SIGNALS_MAX)
		drop_least(signals);
}

int signals_take(struct signals *signals, struct events *events, const struct fields *fields)
{
	struct graph_signal signal = {.order = signals->taken};

	if (fields_is(fields, "unit", "share") || fields_is(fields, "unit", "per_second") || fields_is(fields, "mean", "yes"))
		return 0;
	if (read_signal(signals, events, fields, &signal) < 0)
		return -1;
	signals->taken++;
	keep(signals, &signal);
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
	return by_badness(a, b);
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
