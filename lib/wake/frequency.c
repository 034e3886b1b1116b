#include <stdlib.h>

#include "wake/node.h"
#include "wake/part.h"

/*
 * How fast a CPU ran.
 *
 * An event tells when a CPU's frequency changes (power:cpu_frequency), so the frequency is known from the first change in the
 * window until events are lost. It is compared with the highest frequency that the CPU had in the stream, or was allowed to
 * have (power:cpu_frequency_limits): CPUs of one machine need not be alike.
 */

enum { KHZ_MAX = 100000000 };

struct change { /* of the frequency: kHz from `ts` on; 0: not known */
	int64_t ts;
	uint32_t khz, limit;
};

struct pace { /* of a CPU */
	uint32_t highest; /* kHz; 0: never told */
	ARRAY(struct change) changes;
};

struct frequencies {
	ARRAY(struct pace) cpus; /* by number */
};

static struct frequencies *of(const struct wake *wake)
{
	return wake->of[PART_FREQUENCY];
}

static void free_all(struct wake *wake)
{
	for (size_t i = 0; i < of(wake)->cpus.count; i++)
		free(of(wake)->cpus.items[i].changes.items);
	free(of(wake)->cpus.items);
}

/* The highest frequencies stay. */
static void forget(struct wake *wake)
{
	for (size_t i = 0; i < of(wake)->cpus.count; i++)
		of(wake)->cpus.items[i].changes.count = 0;
}

static const struct change *last(const struct pace *pace)
{
	return pace->changes.count ? &pace->changes.items[pace->changes.count - 1] : NULL;
}

static void lost(struct wake *wake, int64_t from)
{
	struct frequencies *frequencies = of(wake);

	for (size_t i = 0; i < frequencies->cpus.count; i++) {
		struct pace *pace = &frequencies->cpus.items[i];
		const struct change *before = last(pace);
		int64_t since = before && before->ts > from ? before->ts : from; /* read before the array grows */

		if (before)
			*ARRAY_ADD(&pace->changes) = (struct change){since, 0, 0};
	}
}

/* The pace of the CPU that an event is about, which need not be the CPU that it happens on. NULL: the event tells nothing. */
static struct pace *pace_of(struct at *at, int64_t cpu, int64_t khz)
{
	struct frequencies *frequencies = of(at->wake);
	struct pace *pace;

	if (cpu < 0 || cpu >= CPUS_MAX || khz <= 0 || khz > KHZ_MAX)
		return NULL;
	while (frequencies->cpus.count <= (size_t)cpu)
		*ARRAY_ADD(&frequencies->cpus) = (struct pace){0};
	pace = &frequencies->cpus.items[cpu];
	if (khz > pace->highest)
		pace->highest = (uint32_t)khz;
	return pace;
}

static void add_change(struct at *at, struct pace *pace, uint32_t khz, uint32_t limit)
{
	*ARRAY_ADD(&pace->changes) = (struct change){at->wake->now, khz, limit};
}

static void on_frequency(struct at *at)
{
	enum { KHZ, CPU };
	int64_t khz = at_number(at, KHZ);
	struct pace *pace = pace_of(at, at_number(at, CPU), khz);

	if (pace)
		add_change(at, pace, (uint32_t)khz, last(pace) ? last(pace)->limit : 0);
}

static void on_frequency_limits(struct at *at)
{
	enum { MAX, CPU };
	int64_t limit = at_number(at, MAX);
	struct pace *pace = pace_of(at, at_number(at, CPU), limit);

	if (pace)
		add_change(at, pace, last(pace) ? last(pace)->khz : 0, (uint32_t)limit);
}

/* One more than the index of the last change at or before this time; 0: none. */
static size_t change_at(const struct pace *pace, int64_t ts)
{
	return COUNT_UNTIL(pace->changes.items, pace->changes.count, ts, ts);
}

/* The mean in [start, end), in kHz; 0 if it is not known for all that time. *limit: the limit at the end; 0: no event tells it. */
static double mean(const struct pace *pace, int64_t start, int64_t end, uint32_t *limit)
{
	size_t at = change_at(pace, start);
	double sum = 0;

	if (at == 0 || start >= end)
		return 0;
	for (at--; at < pace->changes.count && pace->changes.items[at].ts < end; at++) {
		const struct change *change = &pace->changes.items[at];
		int64_t from = change->ts > start ? change->ts : start, to = end;

		if (at + 1 < pace->changes.count && change[1].ts < to)
			to = change[1].ts;
		if (change->khz == 0 && to > from)
			return 0;
		if (to > from)
			sum += (double)change->khz * (double)(to - from);
		*limit = change->limit;
	}
	return sum / (double)(end - start);
}

static double mean_of(const struct wake *wake, uint32_t cpu, int64_t start, int64_t end, uint32_t *highest, uint32_t *limit)
{
	const struct frequencies *frequencies = of(wake);

	*highest = *limit = 0;
	if (cpu >= frequencies->cpus.count)
		return 0;
	*highest = frequencies->cpus.items[cpu].highest;
	return mean(&frequencies->cpus.items[cpu], start, end, limit);
}

/*
 * Tells whether the CPU's mean frequency in [start, end) is known and at most half of the highest: everything took twice as long. If it is less
 * than four fifths, the detail gets it, with the limit if the CPU was not allowed to run at its highest.
 */
static bool is_slow(const struct wake *wake, uint32_t cpu, int64_t start, int64_t end, struct deed_detail *detail)
{
	uint32_t highest, limit;
	double khz = mean_of(wake, cpu, start, end, &highest, &limit);

	if (khz > 0 && khz < 0.8 * highest) {
		detail->khz = (uint32_t)(khz + 0.5);
		detail->khz_most = highest;
		detail->khz_limit = limit < highest ? limit : 0;
	}
	return khz > 0 && khz <= highest / 2.0;
}

static void tell(struct cut *cut, struct telling *telling)
{
	uint16_t cpu = telling->thread->pieces.items[telling->piece].cpu;

	if (telling->runs && is_slow(cut->wake, cpu, telling->start, telling->end, telling->detail) && telling->deed->kind == DEED_RUN)
		telling->deed->pace = "low";
}

static const struct part_event events[] = {
	{"power:cpu_frequency", on_frequency, {"state", "cpu_id"}},
	{"power:cpu_frequency_limits", on_frequency_limits, {"max_freq", "cpu_id"}},
	{0},
};

const struct part frequency_part = {
	.events = events,
	.window = sizeof(struct frequencies),
	.forget = forget,
	.free = free_all,
	.lost = lost,
	.tell = tell,
};
