#include "program/sampler.h"

#include <errno.h>
#include <event-parse.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <tracefs.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "program/perf_ring.h"

/* --- the records in the ring that perf_event_open(2) gives each CPU ------------------------------------------------------- */

enum { SAMPLER_TRACED = SAMPLED_WAKE + 1, SAMPLER_MOMENTS = SAMPLED_THROW + 1 };

/* The order of a sample's parts is that of perf_event_open(2), whatever the order here. */
#define SAMPLER_TYPE                                                                                                  \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN |      \
	 PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

struct sampled_call { /* of an event of calls */
	int fd; /* -1: it is forgotten */
	uint64_t id, event;
};

struct sampler_ring {
	uint32_t cpu;
	size_t size; /* of the ring */
	int fds[SAMPLER_MOMENTS + 1]; /* the last one has the ring; -1: not wanted */
	uint64_t ids[SAMPLER_MOMENTS];
	ARRAY(struct sampled_call) calls; /* the same events in all rings */
	struct counting_cpu counting;
	struct perf_ring ring;
	uint64_t lost_told, lost_counted; /* by records, which come with the next that fits; at the end, by the kernel */
};

static void sampler_ring_close(struct sampler_ring *ring)
{
	int error = errno;

	perf_ring_unmap(&ring->ring);
	counting_close_cpu(&ring->counting);
	for (int i = 0; i <= SAMPLER_MOMENTS; i++)
		if (ring->fds[i] >= 0)
			close(ring->fds[i]);
	for (size_t i = 0; i < ring->calls.count; i++)
		if (ring->calls.items[i].fd >= 0)
			close(ring->calls.items[i].fd);
	free(ring->calls.items);
	errno = error;
}

static void sampler_ring_count_lost(struct sampler_ring *ring, const struct counting *counting)
{
	for (int i = 0; i <= SAMPLER_MOMENTS; i++)
		ring->lost_counted += perf_lost(ring->fds[i]);
	ring->lost_counted += counting_lost(counting, &ring->counting);
	for (size_t i = 0; i < ring->calls.count; i++)
		ring->lost_counted += perf_lost(ring->calls.items[i].fd);
}

/* DWARF numbers of the registers in a sample, in the order of the kernel's own numbers: rbx, rbp, rsp, ip, r12 to r15. */
static const uint8_t in_sample[] = {3, 6, 7, 16, 12, 13, 14, 15};

static void read_registers(struct perf_cursor *cursor, struct sampled_record *record)
{
	uint64_t abi = perf_take_number(cursor);

	record->user = abi == PERF_SAMPLE_REGS_ABI_64;
	for (size_t i = 0; abi != PERF_SAMPLE_REGS_ABI_NONE && i < sizeof(in_sample); i++)
		record->registers[in_sample[i]] = perf_take_number(cursor);
}

static void read_user(struct perf_cursor *cursor, struct sampled_record *record)
{
	uint64_t size;

	read_registers(cursor, record);
	size = perf_take_number(cursor);
	if (size == 0)
		return;
	record->stack = perf_take(cursor, size);
	record->stack_size = perf_take_number(cursor);
	if (record->stack_size > size)
		record->stack_size = size;
}

static enum sampled kind_of(const struct sampler_ring *ring, uint64_t id)
{
	for (size_t i = 0; i < ring->calls.count; i++)
		if (ring->calls.items[i].id == id)
			return SAMPLED_CALL;
	for (int moment = 0; moment < SAMPLER_MOMENTS; moment++)
		if (ring->ids[moment] == id)
			return (enum sampled)moment;
	return SAMPLED_COUNT;
}

static bool read_sample(const struct sampler *sampler, struct sampler_ring *ring, struct perf_cursor *cursor, struct sampled_record *record)
{
	uint64_t id = perf_take_number(cursor);
	uint32_t raw_size;
	const unsigned char *raw;

	record->kind = kind_of(ring, id);
	record->process = (int32_t)perf_take_short(cursor);
	record->thread = (int32_t)perf_take_short(cursor);
	perf_take_number(cursor); /* the time */
	perf_take_number(cursor); /* the CPU */
	if (record->kind == SAMPLED_COUNT)
		return counting_read(&sampler->counting, &ring->counting, id, record->thread, cursor, record->counts);
	record->kernel_count = perf_take_number(cursor);
	record->kernel = perf_take(cursor, record->kernel_count * sizeof(uint64_t));
	raw_size = perf_take_short(cursor);
	raw = perf_take(cursor, raw_size);
	if (cursor->ok && record->kind == SAMPLED_WAKE && sampler->woken_at + sizeof(int32_t) <= raw_size)
		memcpy(&record->woken, raw + sampler->woken_at, sizeof(int32_t));
	read_user(cursor, record);
	return cursor->ok;
}

static void read_hit(struct flags_hit *hit, struct sampled_record *record)
{
	record->kind = SAMPLED_FLAG;
	record->process = hit->process;
	record->thread = hit->thread;
	record->flag = hit->flag;
	record->writes = hit->writes;
	record->off = hit->last;
	if (!hit->last)
		read_registers(&hit->user, record);
}

static bool read_map(struct perf_cursor *cursor, struct sampled_record *record, bool with_build_id)
{
	const unsigned char *identity;

	record->kind = SAMPLED_MAP;
	record->process = (int32_t)perf_take_short(cursor);
	record->thread = (int32_t)perf_take_short(cursor);
	record->start = perf_take_number(cursor);
	record->length = perf_take_number(cursor);
	record->offset = perf_take_number(cursor);
	identity = perf_take(cursor, 24); /* device, inode and its generation; or a size and a build id */
	perf_take_number(cursor);	     /* protection, flags */
	if (!cursor->ok)
		return false;
	if (with_build_id && identity[0] <= SAMPLE_BUILD_ID) {
		record->build_id_size = identity[0];
		memcpy(record->build_id, identity + 4, identity[0]);
	} else {
		uint32_t device[2];

		memcpy(device, identity, sizeof(device));
		record->device = makedev(device[0], device[1]);
		memcpy(&record->inode, identity + 8, sizeof(record->inode));
	}
	record->path = (const char *)cursor->at;
	return true;
}

/* Of forks and exits those count that begin and end an address space. */
static bool read_task(struct perf_cursor *cursor, struct sampled_record *record, enum sampled kind)
{
	record->kind = kind;
	record->process = (int32_t)perf_take_short(cursor);
	record->parent = (int32_t)perf_take_short(cursor);
	record->thread = (int32_t)perf_take_short(cursor);
	if (!cursor->ok)
		return false;
	return kind == SAMPLED_FORK ? record->process != record->parent : record->process == record->thread;
}

static bool read_exec(struct perf_cursor *cursor, struct sampled_record *record, uint16_t misc)
{
	record->kind = SAMPLED_EXEC;
	record->process = (int32_t)perf_take_short(cursor);
	return cursor->ok && misc & PERF_RECORD_MISC_COMM_EXEC;
}

/* Tells whether the record at hand is one of those that matter. */
static bool read_record(struct sampler *sampler, struct sampler_ring *ring, struct sampled_record *record)
{
	struct perf_event_header header = perf_ring_header(&ring->ring);
	struct perf_cursor cursor = {.at = sampler->copy + sizeof(header), .end = sampler->copy + header.size, .ok = true};
	enum flags_taken taken;
	struct flags_hit hit;

	*record = (struct sampled_record){.ts = ring->ring.ts, .cpu = ring->cpu};
	perf_ring_copy(&ring->ring, sampler->copy, header.size);
	taken = sampler->flags ? flags_take(sampler->flags, &ring->ring, sampler->copy, &hit) : FLAGS_NOT_THEIRS;
	if (taken == FLAGS_HIT)
		read_hit(&hit, record);
	if (taken != FLAGS_NOT_THEIRS)
		return taken == FLAGS_HIT;
	switch (header.type) {
	case PERF_RECORD_SAMPLE:
		return read_sample(sampler, ring, &cursor, record);
	case PERF_RECORD_MMAP2:
		return read_map(&cursor, record, header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID);
	case PERF_RECORD_FORK:
		return read_task(&cursor, record, SAMPLED_FORK);
	case PERF_RECORD_EXIT:
		return read_task(&cursor, record, SAMPLED_EXIT);
	case PERF_RECORD_COMM:
		return read_exec(&cursor, record, header.misc);
	case PERF_RECORD_LOST:
		perf_take_number(&cursor); /* the event's identifier */
		ring->lost_told += perf_take_number(&cursor);
		record->kind = SAMPLED_LOST;
		counting_gap(&ring->counting);
		return true;
	default:
		return false;
	}
}

int sampler_next(struct sampler *sampler, int64_t bound, struct sampled_record *record)
{
	for (;;) {
		struct sampler_ring *first = NULL;
		bool matters;

		for (int i = 0; i < sampler->count; i++) {
			struct sampler_ring *ring = &sampler->rings[i];

			perf_ring_stand(&ring->ring);
			if (ring->ring.standing && ring->ring.ts < bound && (!first || ring->ring.ts < first->ring.ts))
				first = ring;
		}
		if (!first)
			return 0;
		matters = read_record(sampler, first, record);
		perf_ring_step(&first->ring);
		if (matters)
			return 1;
	}
}

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
} moments[SAMPLER_TRACED] = {
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
		.read_format = perf_lost_format(),
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

/* Opens one that writes into the CPU's ring. */
static int open_into(const struct sampler_ring *ring, const struct perf_event_attr *attributes, const char *filter, int *fd, uint64_t *id)
{
	*fd = open_event(attributes, ring->cpu);
	if (*fd < 0)
		return -1;
	if ((filter && ioctl(*fd, PERF_EVENT_IOC_SET_FILTER, filter) < 0) ||
	    ioctl(*fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fds[SAMPLER_MOMENTS]) < 0 ||
	    ioctl(*fd, PERF_EVENT_IOC_ID, id) < 0)
		return fail_errno("cannot see stacks on CPU %u", ring->cpu);
	return 0;
}

static int open_moment(struct sampler_ring *ring, int moment, const struct perf_event_attr *attributes, const char *filter)
{
	return open_into(ring, attributes, filter, &ring->fds[moment], &ring->ids[moment]);
}

/* A sample each time that it happens. */
static struct perf_event_attr traced_attributes(int clock, uint64_t event)
{
	struct perf_event_attr attributes = common_attributes(clock);

	attributes.type = PERF_TYPE_TRACEPOINT;
	attributes.config = event;
	attributes.sample_period = 1;
	return attributes;
}

/* At probes of a program, whose callers are asked for: stacks are often deep. */
static struct perf_event_attr probe_attributes(int clock, uint64_t event)
{
	struct perf_event_attr attributes = traced_attributes(clock, event);

	attributes.sample_stack_user = SAMPLE_THROW_STACK;
	attributes.exclude_callchain_kernel = 1;
	return attributes;
}

static int open_calls(struct sampler_ring *ring, int clock, uint64_t event)
{
	const struct perf_event_attr attributes = probe_attributes(clock, event);
	struct sampled_call *call = ARRAY_ADD(&ring->calls);

	*call = (struct sampled_call){.fd = -1, .event = event};
	return open_into(ring, &attributes, NULL, &call->fd, &call->id);
}

/* A timer of its own tells when it is time for a sample of the thread that runs; none does on an idle CPU. */
static int open_running(struct sampler_ring *ring, int clock, uint32_t hz)
{
	struct perf_event_attr attributes = common_attributes(clock);

	attributes.type = PERF_TYPE_SOFTWARE;
	attributes.config = PERF_COUNT_SW_CPU_CLOCK;
	attributes.sample_period = 1000000000 / hz;
	attributes.exclude_idle = 1;
	return open_moment(ring, SAMPLED_RUN, &attributes, NULL);
}

static int open_cpu(const struct sampler *sampler, struct sampler_ring *ring, const struct sampler_wanted *wanted, const uint64_t events[SAMPLER_TRACED])
{
	int clock = wanted->clock;

	if (open_spaces(ring, clock) < 0)
		return -1;
	if (perf_ring_map(&ring->ring, ring->fds[SAMPLER_MOMENTS], ring->size) < 0)
		return fail_errno("cannot map the ring for the stacks of CPU %u", ring->cpu);
	for (int moment = 0; wanted->waits && moment < SAMPLER_TRACED; moment++) {
		const struct perf_event_attr attributes = traced_attributes(clock, events[moment]);

		if (open_moment(ring, moment, &attributes, moments[moment].filter) < 0)
			return -1;
	}
	if (wanted->hz && open_running(ring, clock, wanted->hz) < 0)
		return -1;
	return counting_open_cpu(&sampler->counting, &ring->counting,
				 &(struct counting_wanted){wanted->counters, clock, wanted->hz, events[SAMPLED_SLEEP]}, ring->cpu, ring->fds[SAMPLER_MOMENTS]);
}

/* Into the rings of all CPUs. */
static int open_flags(struct sampler *sampler, int clock)
{
	const struct perf_event_attr attributes = common_attributes(clock);
	struct flags_output *outputs = memory_new((size_t)sampler->count + 1, sizeof(*outputs));
	int status;

	for (int i = 0; i < sampler->count; i++)
		outputs[i] = (struct flags_output){sampler->rings[i].cpu, sampler->rings[i].fds[SAMPLER_MOMENTS]};
	status = flags_open(sampler->flags, &attributes, outputs, sampler->count);
	free(outputs);
	return status;
}

static size_t ring_size(long cpus)
{
	size_t size = RING_MIN;

	while (size < RING_MAX && size * 2 * (size_t)cpus <= RINGS)
		size *= 2;
	return size;
}

static void close_cpus(struct sampler *sampler)
{
	for (int i = 0; i < sampler->count; i++)
		sampler_ring_close(&sampler->rings[i]);
	sampler->count = 0;
}

static int open_cpus(struct sampler *sampler, const struct sampler_wanted *wanted, const uint64_t events[SAMPLER_TRACED])
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	for (uint32_t cpu = 0; cpu < (uint32_t)cpus; cpu++) {
		struct sampler_ring *ring = &sampler->rings[sampler->count];

		*ring = (struct sampler_ring){.cpu = cpu, .size = ring_size(cpus)};
		memset(ring->fds, -1, sizeof(ring->fds));
		counting_begin_cpu(&ring->counting);
		if (open_cpu(sampler, ring, wanted, events) == 0)
			sampler->count++;
		else if (sampler_ring_close(ring), errno != ENODEV) /* a CPU that is not there */
			return -1;
	}
	return counting_begin(&sampler->counting);
}

int sampler_open(struct sampler *sampler, const struct sampler_wanted *wanted)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t events[SAMPLER_TRACED];
	uint16_t none;
	int status;

	*sampler = (struct sampler){.rings = memory_new((size_t)cpus, sizeof(*sampler->rings)), .copy = memory_new(1, RECORD_MAX)};
	if (!HAS_REGISTERS)
		return fail("stacks are known of x86-64 only");
	if (find_event(&moments[SAMPLED_SLEEP], &events[SAMPLED_SLEEP], &none) < 0 ||
	    find_event(&moments[SAMPLED_WAKE], &events[SAMPLED_WAKE], &sampler->woken_at) < 0)
		return -1;
	counting_open(&sampler->counting, wanted->counters, wanted->hz);
	status = open_cpus(sampler, wanted, events);
	if (status < 0 && counting_give_up_program(&sampler->counting)) {
		close_cpus(sampler);
		status = open_cpus(sampler, wanted, events);
	}
	if (status < 0)
		return -1;
	if (sampler->counting.refused && wanted->say)
		wanted->say("the kernel refuses a BPF program for the counters (%s), so each switch between threads writes a sample and costs more",
			    strerror(sampler->counting.refused));
	sampler->flags = wanted->flags;
	return sampler->flags ? open_flags(sampler, wanted->clock) : 0;
}

static int switch_calls(const struct sampler_ring *ring, unsigned long request)
{
	for (size_t i = 0; i < ring->calls.count; i++)
		if (ring->calls.items[i].fd >= 0 && ioctl(ring->calls.items[i].fd, request, 0) < 0)
			return fail_errno("cannot see stacks on CPU %u", ring->cpu);
	return 0;
}

static int switch_all(struct sampler *sampler, unsigned long request)
{
	for (int i = 0; i < sampler->count; i++)
		if (counting_switch(&sampler->counting, &sampler->rings[i].counting, request) < 0)
			return fail_errno("cannot count on CPU %u", sampler->rings[i].cpu);
	for (int i = 0; i < sampler->count; i++)
		for (int event = SAMPLER_MOMENTS; event >= 0; event--)
			if (sampler->rings[i].fds[event] >= 0 && ioctl(sampler->rings[i].fds[event], request, 0) < 0)
				return fail_errno("cannot see stacks on CPU %u", sampler->rings[i].cpu);
	for (int i = 0; i < sampler->count; i++)
		if (switch_calls(&sampler->rings[i], request) < 0)
			return -1;
	return sampler->flags ? flags_switch(sampler->flags, request) : 0;
}

int sampler_see_throws(struct sampler *sampler, int clock, uint64_t event)
{
	const struct perf_event_attr attributes = probe_attributes(clock, event);
	int status = 0;

	for (int i = 0; i < sampler->count && status == 0; i++)
		status = open_moment(&sampler->rings[i], SAMPLED_THROW, &attributes, NULL);
	return status;
}

int sampler_see_calls(struct sampler *sampler, int clock, uint64_t event)
{
	int status = 0;

	for (int i = 0; i < sampler->count && status == 0; i++)
		status = open_calls(&sampler->rings[i], clock, event);
	return status;
}

static void close_call(struct sampler_ring *ring, struct sampled_call *call)
{
	if (call->fd < 0)
		return;
	ioctl(call->fd, PERF_EVENT_IOC_DISABLE, 0);
	ring->lost_counted += perf_lost(call->fd);
	close(call->fd);
	call->fd = -1;
}

/* The kernel takes the probes away with the last descriptor. What they have told already is still in the rings. */
void sampler_forget_calls(struct sampler *sampler, int number)
{
	for (int i = 0; i < sampler->count; i++)
		close_call(&sampler->rings[i], &sampler->rings[i].calls.items[number]);
}

static int renew_call(struct sampler *sampler, int clock, size_t number)
{
	uint64_t event = sampler->rings[0].calls.items[number].event;
	const struct perf_event_attr attributes = probe_attributes(clock, event);
	int status = 0;

	if (sampler->rings[0].calls.items[number].fd < 0)
		return 0;
	sampler_forget_calls(sampler, (int)number);
	for (int i = 0; i < sampler->count && status == 0; i++) {
		struct sampled_call *call = &sampler->rings[i].calls.items[number];

		status = open_into(&sampler->rings[i], &attributes, NULL, &call->fd, &call->id);
		if (status == 0 && ioctl(call->fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
			status = fail_errno("cannot see stacks on CPU %u", sampler->rings[i].cpu);
	}
	return status;
}

int sampler_renew_calls(struct sampler *sampler, int clock)
{
	int status = 0;

	for (size_t i = 0; sampler->count && i < sampler->rings[0].calls.count && status == 0; i++)
		status = renew_call(sampler, clock, i);
	return status;
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
		sampler_ring_count_lost(&sampler->rings[i], &sampler->counting);
	counting_close(&sampler->counting);
	return 0;
}

uint64_t sampler_lost(const struct sampler *sampler)
{
	uint64_t lost = 0;

	for (int i = 0; i < sampler->count; i++) {
		const struct sampler_ring *ring = &sampler->rings[i];

		lost += ring->lost_counted > ring->lost_told ? ring->lost_counted : ring->lost_told;
		lost += ring->counting.lost;
	}
	return lost;
}

int sampler_descriptor(const struct sampler *sampler, int i)
{
	return sampler->rings[i].fds[SAMPLER_MOMENTS];
}

void sampler_close(struct sampler *sampler)
{
	close_cpus(sampler);
	counting_close(&sampler->counting);
	free(sampler->rings);
	free(sampler->copy);
	*sampler = (struct sampler){0};
}
