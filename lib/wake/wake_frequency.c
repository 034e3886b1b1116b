#include "wake/wake_frequency.h"

#include <stdlib.h>

enum { KHZ_MAX = 100000000 };

struct change { /* of frequency: kHz from then on; 0: not known */
	int64_t ts;
	uint32_t khz, limit;
};

struct pace { /* of a CPU */
	uint32_t highest; /* kHz; 0: never told */
	ARRAY(struct change) changes;
};

struct wake_frequencies {
	ARRAY(struct pace) cpus; /* by number */
};

struct wake_frequencies *wake_frequencies_new(void)
{
	return NEW(struct wake_frequencies);
}

void wake_frequencies_free(struct wake_frequencies *frequencies)
{
	for (size_t i = 0; i < frequencies->cpus.count; i++)
		free(frequencies->cpus.items[i].changes.items);
	free(frequencies->cpus.items);
	free(frequencies);
}

void wake_frequencies_forget(struct wake_frequencies *frequencies)
{
	for (size_t i = 0; i < frequencies->cpus.count; i++)
		frequencies->cpus.items[i].changes.count = 0;
}

static const struct change *last(const struct pace *pace)
{
	return pace->changes.count ? &pace->changes.items[pace->changes.count - 1] : NULL;
}

void wake_frequencies_lost(struct wake_frequencies *frequencies, int64_t from)
{
	for (size_t i = 0; i < frequencies->cpus.count; i++) {
		struct pace *pace = &frequencies->cpus.items[i];

		if (last(pace))
			*ARRAY_ADD(&pace->changes) = (struct change){from > last(pace)->ts ? from : last(pace)->ts, 0, 0};
	}
}

/* The event may happen on another CPU than it is about. NULL: it tells nothing. */
static struct pace *pace_of(struct happening *at, int64_t cpu, int64_t khz)
{
	struct wake_frequencies *frequencies = at->wake->frequencies;
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

static void add_change(struct happening *at, struct pace *pace, uint32_t khz, uint32_t limit)
{
	*ARRAY_ADD(&pace->changes) = (struct change){at->wake->now, khz, limit};
}

void on_frequency(struct happening *at)
{
	enum { KHZ, CPU };
	int64_t khz = happening_number(at, KHZ);
	struct pace *pace = pace_of(at, happening_number(at, CPU), khz);

	if (pace)
		add_change(at, pace, (uint32_t)khz, last(pace) ? last(pace)->limit : 0);
}

void on_frequency_limits(struct happening *at)
{
	enum { MAX, CPU };
	int64_t limit = happening_number(at, MAX);
	struct pace *pace = pace_of(at, happening_number(at, CPU), limit);

	if (pace)
		add_change(at, pace, last(pace) ? last(pace)->khz : 0, (uint32_t)limit);
}

/* The last change at or before this time, one more than its index; 0: none. */
static size_t change_at(const struct pace *pace, int64_t ts)
{
	return COUNT_UNTIL(pace->changes.items, pace->changes.count, ts, ts);
}

/* The mean in [start, end), in kHz, and the limit that held at its end (0: none was told); 0 where it is not known all the time. */
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
	const struct wake_frequencies *frequencies = wake->frequencies;

	*highest = *limit = 0;
	if (cpu >= frequencies->cpus.count)
		return 0;
	*highest = frequencies->cpus.items[cpu].highest;
	return mean(&frequencies->cpus.items[cpu], start, end, limit);
}

bool wake_frequency_low(const struct wake *wake, uint32_t cpu, int64_t start, int64_t end)
{
	uint32_t highest, limit;
	double khz = mean_of(wake, cpu, start, end, &highest, &limit);

	return khz > 0 && khz <= highest / 2.0;
}

char *wake_frequency_note(const struct wake *wake, uint32_t cpu, int64_t start, int64_t end)
{
	uint32_t highest, limit;
	double khz = mean_of(wake, cpu, start, end, &highest, &limit);
	char *limited, *note;

	if (khz <= 0 || khz >= 0.8 * highest)
		return memory_format("%s", "");
	limited = limit && limit < highest ? memory_format(", limited to %.0f MHz", limit / 1e3) : memory_format("%s", "");
	note = memory_format(", at %.0f of %.0f MHz%s", khz / 1e3, highest / 1e3, limited);
	free(limited);
	return note;
}
