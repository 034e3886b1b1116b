/*
 * What samples say that was counted, as the kernel lays them out: a group of counters in hardware, with times; a group of the kernel's own,
 * without; what the program wrote; a counter with a period. Runs that are not known, or were not counted all the time, have no counts.
 */
#undef NDEBUG
#include <assert.h>
#include <string.h>

#include "program/counting.h"

enum { SAMPLER_ID = 70, TICKS_ID, PERIODIC_ID };

static const struct counting three = {.count = 3, .periods = {0, 100, 0}, .at_switches = true}; /* the second has a period */

static struct counting_cpu cpu_with_ticks(bool ticks)
{
	struct counting_cpu cpu;

	counting_begin_cpu(&cpu);
	cpu.sampler = 3;
	cpu.sampler_id = SAMPLER_ID;
	cpu.ticks = ticks ? 4 : -1;
	cpu.ticks_id = ticks ? TICKS_ID : 0;
	cpu.ids[1] = PERIODIC_ID;
	return cpu;
}

/* Of what lies in the sample behind its CPU; sets `counts`. */
static uint64_t counts[COUNTERS_MAX];

static bool read_bytes(const struct counting *counting, struct counting_cpu *cpu, uint64_t id, int32_t thread, const void *bytes, size_t size)
{
	struct perf_cursor cursor = {.at = bytes, .end = (const unsigned char *)bytes + size, .ok = true};

	memset(counts, 0, sizeof(counts));
	return counting_read(counting, cpu, id, thread, &cursor, counts);
}

#define READ(counting, cpu, id, thread, ...) \
	read_bytes(counting, cpu, id, thread, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}))

static void counted(uint64_t first, uint64_t second, uint64_t third)
{
	assert(counts[0] == first && counts[1] == second && counts[2] == third);
}

/* How many, enabled, running, switches, ticks, values. */
static void timed_group(void)
{
	struct counting counting = three;
	struct counting_cpu cpu = cpu_with_ticks(true);

	counting.timed = true;
	assert(!READ(&counting, &cpu, SAMPLER_ID, 9, 4, 1000, 1000, 1, 0, 500, 7)); /* since when is not known */
	assert(READ(&counting, &cpu, SAMPLER_ID, 9, 4, 2000, 2000, 2, 0, 510, 10));
	counted(10, 0, 3);
	assert(READ(&counting, &cpu, TICKS_ID, 9, 4, 3000, 3000, 2, 1000, 530, 10));
	counted(20, 0, 0);
	assert(!READ(&counting, &cpu, SAMPLER_ID, 0, 4, 4000, 4000, 3, 1000, 600, 11)); /* nobody */
	assert(READ(&counting, &cpu, SAMPLER_ID, 9, 4, 5000, 5000, 4, 1000, 601, 11));
	counted(1, 0, 0);
	assert(cpu.lost == 0);
	assert(!READ(&counting, &cpu, SAMPLER_ID, 9, 4, 6000, 5500, 5, 1000, 700, 12)); /* others had the hardware meanwhile */
	assert(cpu.lost == 1);
	assert(READ(&counting, &cpu, SAMPLER_ID, 9, 4, 7000, 6500, 6, 1000, 702, 12));
	counted(2, 0, 0);
	counting_gap(&cpu);
	assert(!READ(&counting, &cpu, SAMPLER_ID, 9, 4, 8000, 7500, 7, 1000, 800, 12)); /* of several runs */
	assert(READ(&counting, &cpu, SAMPLER_ID, 9, 4, 9000, 8500, 8, 1000, 803, 13));
	counted(3, 0, 1);
	assert(cpu.lost == 1);
}

/* How many, switches, perhaps ticks, values. */
static void group(bool ticks)
{
	struct counting_cpu cpu = cpu_with_ticks(ticks);
	bool first = ticks ? READ(&three, &cpu, SAMPLER_ID, 9, 4, 1, 0, 500, 7) : READ(&three, &cpu, SAMPLER_ID, 9, 3, 1, 500, 7);
	bool second = ticks ? READ(&three, &cpu, SAMPLER_ID, 9, 4, 2, 0, 510, 8) : READ(&three, &cpu, SAMPLER_ID, 9, 3, 2, 510, 8);

	assert(!first && second);
	counted(10, 0, 1);
	assert(!READ(&three, &cpu, SAMPLER_ID, 9, 4, 3)); /* cut */
	counting_gap(&cpu);
	assert(!(ticks ? READ(&three, &cpu, SAMPLER_ID, 9, 4, 4, 0, 600, 9) : READ(&three, &cpu, SAMPLER_ID, 9, 3, 4, 600, 9)));
	assert(READ(&three, &cpu, PERIODIC_ID, 9, 0));
	counted(0, 100, 0);
	assert(cpu.lost == 0);
}

/* As above, with what each event lost. */
static void groups_that_tell_lost(void)
{
	struct counting counting = three;
	struct counting_cpu cpu = cpu_with_ticks(false), timed = cpu_with_ticks(true);

	counting.tells_lost = true;
	assert(!READ(&counting, &cpu, SAMPLER_ID, 9, 3, 1, 0, 500, 0, 7, 0));
	assert(READ(&counting, &cpu, SAMPLER_ID, 9, 3, 2, 60, 510, 61, 8, 62));
	counted(10, 0, 1);
	counting.timed = true;
	assert(!READ(&counting, &timed, SAMPLER_ID, 9, 4, 1000, 1000, 1, 0, 0, 0, 500, 0, 7, 0));
	assert(READ(&counting, &timed, TICKS_ID, 9, 4, 2000, 2000, 1, 60, 1000, 61, 510, 62, 10, 63));
	counted(10, 0, 3);
}

/* The size of what follows, and values; then padding. */
static void written(void)
{
	struct {
		uint32_t size;
		uint64_t values[2];
		uint32_t padding;
	} __attribute__((packed)) raw = {.size = 20, .values = {10, 3}};
	struct counting counting = three;
	struct counting_cpu cpu = cpu_with_ticks(true);

	counting.by_program = true;
	assert(read_bytes(&counting, &cpu, SAMPLER_ID, 9, &raw, sizeof(raw))); /* the first, too */
	counted(10, 0, 3);
	counting_gap(&cpu);
	assert(read_bytes(&counting, &cpu, SAMPLER_ID, 9, &raw, sizeof(raw)));
	counted(10, 0, 3);
	assert(!read_bytes(&counting, &cpu, SAMPLER_ID, 9, &raw, 12)); /* cut */
	assert(READ(&counting, &cpu, PERIODIC_ID, 9, 0));
	counted(0, 100, 0);
	assert(!READ(&counting, &cpu, PERIODIC_ID + 1, 9, 0)); /* not known */
}

int main(void)
{
	timed_group();
	group(true);
	group(false);
	groups_that_tell_lost();
	written();
	return 0;
}
