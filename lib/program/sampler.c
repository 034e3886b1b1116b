#include "program/sampler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <event-parse.h>
#include <linux/perf_event.h>
#include <tracefs.h>

#include "base/fail.h"
#include "base/memory.h"
#include "program/sampler_ring.h"

enum {
	RINGS = 64 << 20, /* bytes over all CPUs, where that is more than */
	RING_MIN = 1 << 20,
	RING_MAX = 16 << 20,
	RECORD_MAX = 1 << 16,
};

/*
 * A thread that stays runnable does not sleep, nor does one that ends, and idle kernel workers (0x80) tell nothing.
 * Whom an interrupt wakes was not woken by the thread that it hit (TRACE_FLAG_HARDIRQ, SOFTIRQ).
 */
static const struct moment {
	const char *system, *event, *filter;
} moments[SAMPLER_MOMENTS] = {
	[SAMPLED_SLEEP] = {"sched", "sched_switch", "prev_state & 0x4f"},
	[SAMPLED_WAKE] = {"sched", "sched_waking", "!(common_flags & 0x18)"},
};

#if defined(__x86_64__)
/* The kernel's numbers (asm/perf_regs.h) of the registers, by their DWARF numbers. */
static const uint8_t kernel_registers[SAMPLE_REGISTERS] = {0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8};
#define HAS_REGISTERS true
#else
static const uint8_t kernel_registers[SAMPLE_REGISTERS];
#define HAS_REGISTERS false
#endif

/* Only those that a function must leave as they were, and so those that stacks are walked by. */
static const uint8_t walked[] = {3, 6, 7, 12, 13, 14, 15, 16};

static uint64_t register_mask(void)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < sizeof(walked); i++)
		mask |= UINT64_C(1) << kernel_registers[walked[i]];
	return mask;
}

/* The event's number for the kernel, and the place of its field `pid`. */
static int find_event(const struct moment *moment, uint64_t *id, uint16_t *pid_at)
{
	struct tep_handle *tep = tep_alloc();
	int length, status = -1;
	char *format = tracefs_event_file_read(NULL, moment->system, moment->event, "format", &length);
	struct tep_format_field *field;
	struct tep_event *event;

	if (format && tep_parse_event(tep, format, (unsigned long)length, moment->system) == 0 &&
	    (event = tep_find_event_by_name(tep, moment->system, moment->event))) {
		field = tep_find_field(event, "pid");
		*pid_at = field ? (uint16_t)field->offset : 0;
		*id = (uint64_t)event->id;
		status = 0;
	}
	free(format);
	tep_free(tep);
	return status < 0 ? fail("cannot read the format of event '%s:%s'", moment->system, moment->event) : 0;
}

static struct perf_event_attr common_attributes(int clock)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.sample_type = SAMPLER_TYPE,
		.read_format = PERF_FORMAT_LOST,
		.sample_regs_user = register_mask(),
		.sample_stack_user = SAMPLE_STACK,
		.sample_id_all = 1,
		.exclude_callchain_user = 1,
		.sample_max_stack = SAMPLE_KERNEL,
		.disabled = 1,
		.use_clockid = 1,
		.clockid = clock,
		.watermark = 1,
	};
}

/* -1 after fail(), with errno as it was. */
static int open_event(const struct perf_event_attr *attributes, uint32_t cpu)
{
	int fd = (int)syscall(SYS_perf_event_open, attributes, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC), error = errno;

	if (fd < 0 && error == EINVAL && attributes->read_format) { /* kernels before 6.0 */
		struct perf_event_attr older = *attributes;

		older.read_format = 0;
		return open_event(&older, cpu);
	}
	if (fd < 0 && (error == EACCES || error == EPERM))
		fail_errno("the kernel does not permit to see stacks (perf_event_open)");
	else if (fd < 0)
		fail_errno("cannot see stacks on CPU %u (perf_event_open)", cpu);
	errno = error;
	return fd;
}

/* The event that tells of address spaces has the ring; the others write into it too. */
static int open_spaces(struct sampler_ring *ring, int clock)
{
	struct perf_event_attr attributes = common_attributes(clock);
	int fd;

	attributes.type = PERF_TYPE_SOFTWARE;
	attributes.config = PERF_COUNT_SW_DUMMY;
	attributes.mmap = attributes.mmap2 = attributes.comm = attributes.comm_exec = attributes.task = 1;
	attributes.build_id = 1;
	attributes.wakeup_watermark = (uint32_t)ring->size / 2;
	fd = open_event(&attributes, ring->cpu);
	if (fd < 0 && errno == EINVAL) { /* kernels before 5.12 */
		attributes.build_id = 0;
		fd = open_event(&attributes, ring->cpu);
	}
	return ring->fds[SAMPLER_MOMENTS] = fd;
}

static int open_moment(struct sampler_ring *ring, int clock, int moment, uint64_t event)
{
	struct perf_event_attr attributes = common_attributes(clock);
	int fd;

	attributes.type = PERF_TYPE_TRACEPOINT;
	attributes.config = event;
	attributes.sample_period = 1;
	fd = ring->fds[moment] = open_event(&attributes, ring->cpu);
	if (fd < 0)
		return -1;
	if (ioctl(fd, PERF_EVENT_IOC_SET_FILTER, moments[moment].filter) < 0 ||
	    ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fds[SAMPLER_MOMENTS]) < 0 ||
	    ioctl(fd, PERF_EVENT_IOC_ID, &ring->ids[moment]) < 0)
		return fail_errno("cannot see stacks on CPU %u", ring->cpu);
	return 0;
}

static int open_cpu(struct sampler_ring *ring, int clock, const uint64_t events[SAMPLER_MOMENTS])
{
	if (open_spaces(ring, clock) < 0)
		return -1;
	if (sampler_ring_map(ring) < 0)
		return -1;
	for (int moment = 0; moment < SAMPLER_MOMENTS; moment++)
		if (open_moment(ring, clock, moment, events[moment]) < 0)
			return -1;
	return 0;
}

static size_t ring_size(long cpus)
{
	size_t size = RING_MIN;

	while (size < RING_MAX && size * 2 * (size_t)cpus <= RINGS)
		size *= 2;
	return size;
}

int sampler_open(struct sampler *sampler, int clock)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t events[SAMPLER_MOMENTS];
	uint16_t none;

	*sampler = (struct sampler){.rings = memory_new((size_t)cpus, sizeof(*sampler->rings)), .copy = memory_new(1, RECORD_MAX)};
	if (!HAS_REGISTERS)
		return fail("stacks are known of x86-64 only");
	if (find_event(&moments[SAMPLED_SLEEP], &events[SAMPLED_SLEEP], &none) < 0 ||
	    find_event(&moments[SAMPLED_WAKE], &events[SAMPLED_WAKE], &sampler->woken_at) < 0)
		return -1;
	for (uint32_t cpu = 0; cpu < (uint32_t)cpus; cpu++) {
		struct sampler_ring *ring = &sampler->rings[sampler->count];

		*ring = (struct sampler_ring){.cpu = cpu, .size = ring_size(cpus), .fds = {-1, -1, -1}};
		if (open_cpu(ring, clock, events) == 0)
			sampler->count++;
		else if (sampler_ring_close(ring), errno != ENODEV) /* a CPU that is not there */
			return -1;
	}
	return 0;
}

static int switch_all(struct sampler *sampler, unsigned long request)
{
	for (int i = 0; i < sampler->count; i++)
		for (int event = SAMPLER_MOMENTS; event >= 0; event--)
			if (ioctl(sampler->rings[i].fds[event], request, 0) < 0)
				return fail_errno("cannot see stacks on CPU %u", sampler->rings[i].cpu);
	return 0;
}

int sampler_start(struct sampler *sampler)
{
	return switch_all(sampler, PERF_EVENT_IOC_ENABLE);
}

int sampler_stop(struct sampler *sampler)
{
	if (switch_all(sampler, PERF_EVENT_IOC_DISABLE) < 0)
		return -1;
	for (int i = 0; i < sampler->count; i++)
		sampler_ring_count_lost(&sampler->rings[i]);
	return 0;
}

uint64_t sampler_lost(const struct sampler *sampler)
{
	uint64_t lost = 0;

	for (int i = 0; i < sampler->count; i++) {
		const struct sampler_ring *ring = &sampler->rings[i];

		lost += ring->lost_counted > ring->lost_told ? ring->lost_counted : ring->lost_told;
	}
	return lost;
}

int sampler_descriptor(const struct sampler *sampler, int i)
{
	return sampler->rings[i].fds[SAMPLER_MOMENTS];
}

void sampler_close(struct sampler *sampler)
{
	for (int i = 0; i < sampler->count; i++)
		sampler_ring_close(&sampler->rings[i]);
	free(sampler->rings);
	free(sampler->copy);
	*sampler = (struct sampler){0};
}
