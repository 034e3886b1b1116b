#include "wake/counted.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wake/name.h"

/* Counters of one run; trace-collect has no more. */
enum { NAMES = 16 };

struct count {
	int64_t ts; /* shortly before the thread left the CPU, or while it had the CPU */
	uint64_t count;
	int16_t name; /* index of the counter's name in the name table */
};

struct counted {
	char *counters; /* "page_faults:12,syscalls_sys_enter_sched_yield:4000"; NULL: none */
	int64_t time;	/* for how long the thread had the CPU */
};

struct counts { /* of a thread */
	ARRAY(struct count) list;
	/* of the run that was asked for last */
	uint64_t cut; /* number of the graph; 0: none yet */
	int64_t from, to;
	struct counted told;
};

struct counting { /* of the window */
	uint64_t cuts; /* graphs so far */
};

static struct counts *of(const struct thread *thread)
{
	return thread->of[PART_COUNTED];
}

static struct counting *counting_of(const struct wake *wake)
{
	return wake->of[PART_COUNTED];
}

static void thread_free(struct thread *thread)
{
	free(of(thread)->list.items);
	free(of(thread)->told.counters);
}

static void begin_cut(struct wake *wake)
{
	counting_of(wake)->cuts++;
}

static int16_t counter_named(struct wake *wake, const char *name, bool *returns)
{
	*returns = false;
	return name_text(wake->names, name);
}

static void on_counter(struct at *at)
{
	enum { COUNT };
	struct thread *thread = core_thread(at->wake, at->event->tid);

	*ARRAY_ADD(&of(thread)->list) =
	    (struct count){.ts = at->wake->now, .count = (uint64_t)at_number(at, COUNT), .name = at_named(at)};
}

struct sum {
	const char *name;
	uint64_t count;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct sum *)a)->name, ((const struct sum *)b)->name);
}

static size_t add_up(struct sum *sums, size_t known, const char *name, uint64_t count)
{
	size_t i = 0;

	while (i < known && strcmp(sums[i].name, name) != 0)
		i++;
	if (i == NAMES)
		return known;
	if (i == known)
		sums[i] = (struct sum){name, 0};
	sums[i].count += count;
	return i == known ? known + 1 : known;
}

/* The counts in (from, to], as text; NULL: there are none. The caller frees it. */
static char *spell(const struct wake *wake, const struct thread *thread, int64_t from, int64_t to)
{
	const struct counts *counts = of(thread);
	size_t i = COUNT_UNTIL(counts->list.items, counts->list.count, ts, from), known = 0, size;
	struct sum sums[NAMES];
	char *text = NULL;
	FILE *out;

	for (; i < counts->list.count && counts->list.items[i].ts <= to; i++)
		known = add_up(sums, known, name_at(wake->names, counts->list.items[i].name, "?"), counts->list.items[i].count);
	if (known == 0)
		return NULL;
	qsort(sums, known, sizeof(*sums), compare_names);
	out = open_memstream(&text, &size);
	for (i = 0; i < known; i++)
		fprintf(out, "%s%s:%" PRIu64, i ? "," : "", sums[i].name, sums[i].count);
	fclose(out);
	return text;
}

/* Until when the piece was counted: to its end, if it is over; else to the last count. */
static int64_t counted_until(const struct thread *thread, size_t last, int64_t end)
{
	const struct counts *counts = of(thread);
	size_t at = COUNT_UNTIL(counts->list.items, counts->list.count, ts, end);

	return last + 1 < thread->pieces.count || at == 0 ? end : counts->list.items[at - 1].ts;
}

/* For how long the thread had the CPU in these pieces. */
static int64_t cpu_time(const struct wake *wake, const struct thread *thread, size_t first, size_t last)
{
	int64_t until = counted_until(thread, last, thread_piece_end(wake, thread, last)), time = 0;

	for (size_t i = first; i <= last; i++) {
		uint8_t what = thread->pieces.items[i].what;
		int64_t start = thread->pieces.items[i].start, end = sooner(thread_piece_end(wake, thread, i), until);

		if ((what == WHAT_RUN || what == WHAT_IRQ || what == WHAT_SOFTIRQ) && start < end)
			time += end - start;
	}
	return time;
}

/* The counts of the whole run between two waits that a piece belongs to, as far as it is over. The thread owns the text, until the next call. */
static struct counted count_run(const struct wake *wake, const struct thread *thread, size_t piece)
{
	int64_t start = thread->pieces.items[piece].start;
	struct counts *counts = of(thread);
	size_t first, last;

	if (counts->list.count == 0)
		return (struct counted){0};
	if (counts->cut == counting_of(wake)->cuts && counts->from <= start && start < counts->to)
		return counts->told;
	thread_run_around(thread, piece, &first, &last);
	counts->cut = counting_of(wake)->cuts;
	counts->from = thread->pieces.items[first].start;
	counts->to = thread_piece_end(wake, thread, last);
	free(counts->told.counters);
	counts->told.counters = spell(wake, thread, counts->from, counts->to);
	counts->told.time = cpu_time(wake, thread, first, last);
	return counts->told;
}

static void tell(struct cut *cut, struct telling *telling)
{
	struct counted counted = telling->runs ? count_run(cut->wake, telling->thread, telling->piece) : (struct counted){0};

	telling->detail->counters = counted.counters;
	telling->detail->counted = counted.counters ? counted.time : 0;
}

static void thread_trim(const struct thread *thread, int64_t before)
{
	struct counts *counts = of(thread);
	size_t drop = COUNT_UNTIL(counts->list.items, counts->list.count, ts, before - 1);

	if (drop)
		ARRAY_REMOVE(&counts->list, 0, drop);
}

static const struct part_event events[] = {
	{"counter:", on_counter, {"count"}, .aside = true, .named = counter_named},
	{0},
};

const struct part counted_part = {
	.events = events,
	.window = sizeof(struct counting),
	.thread = sizeof(struct counts),
	.cut = begin_cut,
	.tell = tell,
	.thread_trim = thread_trim,
	.thread_free = thread_free,
};
