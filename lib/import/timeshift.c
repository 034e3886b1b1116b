#include "import/timeshift.h"

#include <stdlib.h>

#include "base/fail.h"

enum { INTERPOLATE = 1, SAMPLE = 24 }; /* flag of the option; bytes of a sample without its fraction */

static int by_time(const void *left, const void *right)
{
	const struct timeshift_sample *one = left, *other = right;

	return (one->time > other->time) - (one->time < other->time);
}

/* Sorts the samples by time, and keeps only the first of each time. */
static void arrange(struct timeshift_cpu *cpu)
{
	size_t kept = 0;

	if (cpu->samples.count == 0)
		return;
	qsort(cpu->samples.items, cpu->samples.count, sizeof(*cpu->samples.items), by_time);
	for (size_t i = 0; i < cpu->samples.count; i++)
		if (i == 0 || cpu->samples.items[i].time != cpu->samples.items[kept - 1].time)
			cpu->samples.items[kept++] = cpu->samples.items[i];
	cpu->samples.count = kept;
}

static void read_cpu(struct timeshift_cpu *cpu, struct cursor *data)
{
	uint64_t count = cursor_number(data, 4);

	if (count > cursor_left(data) / SAMPLE) {
		data->cut = true;
		return;
	}
	for (uint64_t i = 0; i < count; i++)
		*ARRAY_ADD(&cpu->samples) = (struct timeshift_sample){.time = (int64_t)cursor_number(data, 8)};
	for (uint64_t i = 0; i < count; i++)
		cpu->samples.items[i].offset = (int64_t)cursor_number(data, 8);
	for (uint64_t i = 0; i < count; i++)
		cpu->samples.items[i].scaling = cursor_number(data, 8);
}

int timeshift_read_samples(struct timeshift *shift, struct cursor data)
{
	uint64_t cpus;

	cursor_bytes(&data, 8); /* the peer's id */
	shift->interpolate = cursor_number(&data, 4) & INTERPOLATE;
	cpus = cursor_number(&data, 4);
	if (shift->cpus || cpus > cursor_left(&data) / 4)
		return fail("the option TIME_SHIFT is damaged");
	shift->cpus = memory_new((size_t)cpus + 1, sizeof(*shift->cpus));
	shift->cpu_count = (uint32_t)cpus;
	for (uint32_t i = 0; i < shift->cpu_count && !data.cut; i++)
		read_cpu(&shift->cpus[i], &data);
	for (uint32_t i = 0; i < shift->cpu_count && cursor_left(&data) > 0; i++) /* only newer files have fractions */
		for (size_t k = 0; k < shift->cpus[i].samples.count; k++)
			shift->cpus[i].samples.items[k].fraction = cursor_number(&data, 8);
	for (uint32_t i = 0; i < shift->cpu_count; i++)
		arrange(&shift->cpus[i]);
	return data.cut ? fail("the option TIME_SHIFT is damaged") : 0;
}

void timeshift_free(struct timeshift *shift)
{
	for (uint32_t i = 0; i < shift->cpu_count; i++)
		free(shift->cpus[i].samples.items);
	free(shift->cpus);
}

/* Shifts a time by a pair of samples. All arithmetic is unsigned, because damaged samples may overflow. */
static uint64_t correct(const struct timeshift *shift, const struct timeshift_sample *from, uint64_t ts)
{
	const struct timeshift_sample *to = from + 1;
	uint64_t offset = (uint64_t)from->offset;

	if (shift->interpolate) {
		int64_t span = (int64_t)((uint64_t)to->time - (uint64_t)from->time);
		int64_t way = (int64_t)((ts - (uint64_t)from->time) * ((uint64_t)to->offset - (uint64_t)from->offset));

		offset += (uint64_t)((int64_t)((uint64_t)way + (uint64_t)(span / 2)) / (span > 0 ? span : 1));
	}
	return (from->fraction < 64 ? (ts * from->scaling) >> from->fraction : 0) + offset;
}

static uint64_t as_of_host(const struct timeshift *shift, int cpu, uint64_t ts)
{
	const struct timeshift_sample *samples;
	size_t low = 0, high;

	if (cpu < 0 || (uint32_t)cpu >= shift->cpu_count || shift->cpus[cpu].samples.count == 0)
		return ts;
	samples = shift->cpus[cpu].samples.items;
	if (shift->cpus[cpu].samples.count == 1)
		return ts + (uint64_t)samples[0].offset;
	high = shift->cpus[cpu].samples.count - 2; /* the first sample of the last pair */
	while (low < high) {
		size_t middle = (low + high + 1) / 2;

		if ((int64_t)ts < samples[middle].time)
			high = middle - 1;
		else
			low = middle;
	}
	return correct(shift, &samples[low], ts);
}

/* The kernel's mul_u64_u32_shr(), in its form for machines without 128-bit numbers. */
static uint64_t scale(uint64_t ticks, uint32_t mult, uint32_t shift)
{
	uint64_t low = ticks & UINT32_MAX, high = ticks >> 32;

	if (shift > 32)
		return 0;
	return ((low * mult) >> shift) + ((high * mult) << (32 - shift));
}

int64_t timeshift_apply(const struct timeshift *shift, int cpu, uint64_t ts)
{
	if (shift->cpu_count)
		ts = as_of_host(shift, cpu, ts);
	if (shift->mult)
		ts = scale(ts, shift->mult, shift->shift);
	return (int64_t)(ts + (uint64_t)shift->offset);
}
