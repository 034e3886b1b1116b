#include "program/counting.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fail.h"
#include "program/counter_program.h"

/* --- events of a CPU -------------------------------------------------------------------------------------------------- */

/* An event outside a group is read with the number of records that it lost. */
static struct perf_event_attr sampling(const struct counting *counting, int clock)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.sample_id_all = 1,
		.read_format = counting->tells_lost ? PERF_FORMAT_LOST : 0,
		.disabled = 1,
		.use_clockid = 1,
		.clockid = clock,
		.watermark = 1,
	};
}

static int open_event(const struct perf_event_attr *attributes, uint32_t cpu, int group)
{
	return (int)syscall(SYS_perf_event_open, attributes, -1, (int)cpu, group, PERF_FLAG_FD_CLOEXEC);
}

/* Opens one that writes into the CPU's ring. */
static int open_into(const struct perf_event_attr *attributes, uint32_t cpu, int group, int ring_fd, int *fd, uint64_t *id)
{
	*fd = open_event(attributes, cpu, group);
	if (*fd < 0 || ioctl(*fd, PERF_EVENT_IOC_SET_OUTPUT, ring_fd) < 0 || ioctl(*fd, PERF_EVENT_IOC_ID, id) < 0)
		return fail_errno("cannot count on CPU %u (perf_event_open)", cpu);
	return 0;
}

/* A counter alone, or one that is counted while the group's first event is. */
static int open_counter(const struct counting_wanted *wanted, size_t i, uint32_t cpu, int group)
{
	const struct counter *counter = &wanted->counters->list.items[i];
	struct perf_event_attr attributes = counter->attributes;
	int fd;

	attributes.disabled = group < 0;
	attributes.use_clockid = 1;
	attributes.clockid = wanted->clock;
	fd = open_event(&attributes, cpu, group);
	return fd < 0 ? fail_errno("cannot count '%s' together with the others", counter->name) : fd;
}

/* A counter that makes a sample by itself each time its period is full. */
static int open_periodic(const struct counting *counting, struct counting_cpu *cpu, const struct counting_wanted *wanted, size_t i, uint32_t number, int ring_fd)
{
	const struct counter *counter = &wanted->counters->list.items[i];
	const struct perf_event_attr common = sampling(counting, wanted->clock);
	struct perf_event_attr attributes = counter->attributes;

	attributes.read_format = common.read_format;
	attributes.sample_type = common.sample_type;
	attributes.sample_id_all = 1;
	attributes.sample_period = counter->period;
	attributes.disabled = 1;
	attributes.use_clockid = 1;
	attributes.clockid = wanted->clock;
	return open_into(&attributes, number, -1, ring_fd, &cpu->fds[i], &cpu->ids[i]);
}

static struct perf_event_attr tick_attributes(const struct perf_event_attr *common, uint32_t hz)
{
	struct perf_event_attr attributes = *common;

	attributes.type = PERF_TYPE_SOFTWARE;
	attributes.config = PERF_COUNT_SW_CPU_CLOCK;
	attributes.sample_period = 1000000000 / hz;
	attributes.exclude_idle = 1;
	return attributes;
}

/* --- a group ---------------------------------------------------------------------------------------------------------- */

/* Tells whether the machine can count them all the time: else it counts one after another. */
static int try_group(const struct counting_cpu *cpu, uint32_t number)
{
	struct { /* perf_event_open(2), PERF_FORMAT_GROUP */
		uint64_t count, enabled, running;
		uint64_t values[2 * (2 + COUNTERS_MAX)];
	} group;
	ssize_t size;

	if (ioctl(cpu->sampler, PERF_EVENT_IOC_ENABLE, 0) < 0)
		return fail_errno("cannot count on CPU %u", number);
	usleep(1000);
	size = read(cpu->sampler, &group, sizeof(group));
	ioctl(cpu->sampler, PERF_EVENT_IOC_DISABLE, 0);
	if (size < (ssize_t)offsetof(__typeof__(group), values))
		return fail_errno("cannot count on CPU %u", number);
	return group.running < group.enabled ? fail("this machine cannot count so much at once: ask for fewer counters") : 0;
}

static int open_group(const struct counting *counting, struct counting_cpu *cpu, const struct counting_wanted *wanted, uint32_t number, int ring_fd)
{
	struct perf_event_attr attributes = sampling(counting, wanted->clock), ticks;

	attributes.type = PERF_TYPE_TRACEPOINT;
	attributes.config = wanted->switches;
	attributes.sample_period = 1;
	attributes.sample_type |= PERF_SAMPLE_READ;
	attributes.read_format |= PERF_FORMAT_GROUP;
	if (counting->timed)
		attributes.read_format |= PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (open_into(&attributes, number, -1, ring_fd, &cpu->sampler, &cpu->sampler_id) < 0)
		return -1;
	attributes.disabled = 0; /* the group goes with its first event */
	if (wanted->hz) {
		ticks = tick_attributes(&attributes, wanted->hz);
		if (open_into(&ticks, number, cpu->sampler, ring_fd, &cpu->ticks, &cpu->ticks_id) < 0)
			return -1;
	}
	for (size_t i = 0; i < counting->count; i++)
		if (!counting->periods[i] && (cpu->fds[i] = open_counter(wanted, i, number, cpu->sampler)) < 0)
			return -1;
	return counting->timed ? try_group(cpu, number) : 0;
}

/* Takes an event's value, and skips the number of records that it lost. */
static uint64_t take_value(const struct counting *counting, struct perf_cursor *cursor)
{
	uint64_t value = perf_take_number(cursor);

	if (counting->tells_lost)
		perf_take_number(cursor);
	return value;
}

/* The counts since the last switch on the CPU, or tick. */
static bool read_group(const struct counting *counting, struct counting_cpu *cpu, struct perf_cursor *cursor, uint64_t counts[COUNTERS_MAX])
{
	bool known = cpu->known, all_the_time = true;

	perf_take_number(cursor); /* how many */
	if (counting->timed) {
		uint64_t enabled = perf_take_number(cursor), running = perf_take_number(cursor);

		all_the_time = enabled - cpu->enabled == running - cpu->running;
		cpu->enabled = enabled;
		cpu->running = running;
	}
	take_value(counting, cursor); /* of switches */
	if (cpu->ticks >= 0)
		take_value(counting, cursor);
	for (size_t i = 0; i < counting->count; i++) {
		uint64_t value;

		if (counting->periods[i])
			continue;
		value = take_value(counting, cursor);
		counts[i] = value - cpu->counts[i];
		cpu->counts[i] = value;
	}
	cpu->known = cursor->ok;
	cpu->lost += known && !all_the_time;
	return cursor->ok && known && all_the_time;
}

/* --- by a program ----------------------------------------------------------------------------------------------------- */

/* Place of a counter among those that are read at switches. */
static size_t place(const struct counting *counting, size_t i)
{
	size_t before = 0;

	for (size_t n = 0; n < i; n++)
		before += counting->periods[n] == 0;
	return before;
}

static int open_read(const struct counting *counting, struct counting_cpu *cpu, const struct counting_wanted *wanted, size_t i, uint32_t number)
{
	int fd = cpu->fds[i] = open_counter(wanted, i, number, -1);

	if (fd < 0)
		return -1;
	if (counter_program_reads(counting->program, number, place(counting, i), fd) < 0)
		return fail_errno("cannot count '%s' on CPU %u", wanted->counters->list.items[i].name, number);
	return 0;
}

static int open_program_ticks(const struct counting *counting, struct counting_cpu *cpu, const struct counting_wanted *wanted, uint32_t number)
{
	const struct perf_event_attr common = sampling(counting, wanted->clock), ticks = tick_attributes(&common, wanted->hz);

	cpu->ticks = open_event(&ticks, number, -1);
	return cpu->ticks < 0 || counter_program_ticks(counting->program, cpu->ticks) < 0 ? fail_errno("cannot count on CPU %u", number) : 0;
}

static int open_by_program(const struct counting *counting, struct counting_cpu *cpu, const struct counting_wanted *wanted, uint32_t number, int ring_fd)
{
	struct perf_event_attr attributes = sampling(counting, wanted->clock);

	attributes.type = PERF_TYPE_SOFTWARE;
	attributes.config = PERF_COUNT_SW_BPF_OUTPUT;
	attributes.sample_type |= PERF_SAMPLE_RAW;
	attributes.sample_period = 1;
	if (open_into(&attributes, number, -1, ring_fd, &cpu->sampler, &cpu->sampler_id) < 0)
		return -1;
	if (counter_program_writes(counting->program, number, cpu->sampler) < 0)
		return fail_errno("cannot count on CPU %u", number);
	for (size_t i = 0; i < counting->count; i++)
		if (!counting->periods[i] && open_read(counting, cpu, wanted, i, number) < 0)
			return -1;
	return wanted->hz ? open_program_ticks(counting, cpu, wanted, number) : 0;
}

/* The counts that the program wrote. */
static bool read_written(const struct counting *counting, struct perf_cursor *cursor, uint64_t counts[COUNTERS_MAX])
{
	perf_take_short(cursor); /* their size, with padding */
	for (size_t i = 0; i < counting->count; i++)
		if (!counting->periods[i])
			counts[i] = perf_take_number(cursor);
	return cursor->ok;
}

/* --- all -------------------------------------------------------------------------------------------------------------- */

void counting_open(struct counting *counting, const struct counters *counters, uint32_t hz)
{
	size_t at_switches = 0;

	*counting = (struct counting){.count = counters->list.count, .tells_lost = perf_lost_format() != 0};
	for (size_t i = 0; i < counting->count; i++) {
		const struct counter *counter = &counters->list.items[i];

		counting->periods[i] = counter->period;
		at_switches += counter->period == 0;
		counting->timed |= counter->period == 0 && counter->attributes.type != PERF_TYPE_SOFTWARE && counter->attributes.type != PERF_TYPE_TRACEPOINT;
	}
	counting->at_switches = at_switches > 0;
	if (counting->at_switches && !counting->timed)
		counting->program = counter_program_open(at_switches, hz > 0);
	counting->by_program = counting->program != NULL;
	counting->refused = counting->at_switches && !counting->timed && !counting->by_program ? errno : 0;
}

bool counting_give_up_program(struct counting *counting)
{
	bool had_program = counting->by_program;

	counting->refused = had_program ? errno : counting->refused;
	counting_close(counting);
	counting->by_program = false;
	return had_program;
}

void counting_close(struct counting *counting)
{
	counter_program_close(counting->program);
	counting->program = NULL;
}

void counting_begin_cpu(struct counting_cpu *cpu)
{
	*cpu = (struct counting_cpu){.sampler = -1, .ticks = -1};
	for (int i = 0; i < COUNTERS_MAX; i++)
		cpu->fds[i] = -1;
}

int counting_open_cpu(const struct counting *counting, struct counting_cpu *cpu, const struct counting_wanted *wanted, uint32_t number, int ring_fd)
{
	for (size_t i = 0; i < counting->count; i++)
		if (counting->periods[i] && open_periodic(counting, cpu, wanted, i, number, ring_fd) < 0)
			return -1;
	if (!counting->at_switches)
		return 0;
	return (counting->by_program ? open_by_program : open_group)(counting, cpu, wanted, number, ring_fd);
}

void counting_close_cpu(struct counting_cpu *cpu)
{
	for (int i = 0; i < COUNTERS_MAX; i++)
		if (cpu->fds[i] >= 0)
			close(cpu->fds[i]);
	if (cpu->ticks >= 0)
		close(cpu->ticks);
	if (cpu->sampler >= 0)
		close(cpu->sampler);
	counting_begin_cpu(cpu);
}

int counting_begin(const struct counting *counting)
{
	return counting->by_program && counter_program_begin(counting->program) < 0 ? fail_errno("cannot count at switches") : 0;
}

/* A group goes with its first event. Disabled, the program writes no more. */
int counting_switch(const struct counting *counting, const struct counting_cpu *cpu, unsigned long request)
{
	for (size_t i = 0; i < counting->count; i++)
		if ((counting->periods[i] || counting->by_program) && ioctl(cpu->fds[i], request, 0) < 0)
			return -1;
	if (cpu->sampler >= 0 && ioctl(cpu->sampler, request, 0) < 0)
		return -1;
	return counting->by_program && cpu->ticks >= 0 ? ioctl(cpu->ticks, request, 0) : 0;
}

/* A counter is full. */
static bool read_full(const struct counting *counting, const struct counting_cpu *cpu, uint64_t id, uint64_t counts[COUNTERS_MAX])
{
	for (size_t i = 0; i < counting->count; i++)
		if (counting->periods[i] && cpu->ids[i] == id) {
			counts[i] = counting->periods[i];
			return true;
		}
	return false;
}

bool counting_read(const struct counting *counting, struct counting_cpu *cpu, uint64_t id, int32_t thread, struct perf_cursor *cursor, uint64_t counts[COUNTERS_MAX])
{
	if (cpu->sampler < 0 || (id != cpu->sampler_id && (cpu->ticks < 0 || id != cpu->ticks_id)))
		return read_full(counting, cpu, id, counts);
	if (counting->by_program)
		return read_written(counting, cursor, counts);
	return read_group(counting, cpu, cursor, counts) && thread != 0;
}

static uint64_t group_lost(const struct counting *counting, const struct counting_cpu *cpu)
{
	struct {
		uint64_t count, rest[2 + 2 * (2 + COUNTERS_MAX)]; /* perhaps two times; of each event its value and what it lost */
	} group = {0};
	size_t times = counting->timed ? 2 : 0;
	uint64_t lost = 0;

	if (read(cpu->sampler, &group, sizeof(group)) < (ssize_t)sizeof(group.count) || group.count > 2 + COUNTERS_MAX)
		return 0;
	for (size_t i = 0; i < group.count; i++)
		lost += group.rest[times + 2 * i + 1];
	return lost;
}

uint64_t counting_lost(const struct counting *counting, const struct counting_cpu *cpu)
{
	uint64_t lost = 0;

	if (!counting->tells_lost)
		return 0;
	for (size_t i = 0; i < counting->count; i++)
		if (counting->periods[i])
			lost += perf_lost(cpu->fds[i]);
	if (cpu->sampler < 0)
		return lost;
	return lost + (counting->by_program ? perf_lost(cpu->sampler) : group_lost(counting, cpu));
}

void counting_gap(struct counting_cpu *cpu)
{
	cpu->known = false;
}
