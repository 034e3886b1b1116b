#include "program/sampler_ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fail.h"

/* What follows every record that is no sample (sample_id_all), for SAMPLER_TYPE. */
struct trailer {
	uint32_t process, thread;
	uint64_t ts;
	uint32_t cpu, reserved;
	uint64_t identifier;
};

int sampler_ring_map(struct sampler_ring *ring)
{
	size_t page = (size_t)getpagesize();
	void *memory = mmap(NULL, page + ring->size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fds[SAMPLER_MOMENTS], 0);

	if (memory == MAP_FAILED)
		return fail_errno("cannot map the ring for the stacks of CPU %u", ring->cpu);
	ring->page = memory;
	ring->data = (const unsigned char *)memory + page;
	return 0;
}

void sampler_ring_close(struct sampler_ring *ring)
{
	int error = errno;

	if (ring->page)
		munmap(ring->page, (size_t)getpagesize() + ring->size);
	for (int i = 0; i <= SAMPLER_MOMENTS; i++)
		if (ring->fds[i] >= 0)
			close(ring->fds[i]);
	errno = error;
}

void sampler_ring_count_lost(struct sampler_ring *ring)
{
	struct {
		uint64_t value, lost; /* PERF_FORMAT_LOST alone */
	} count;

	for (int i = 0; i <= SAMPLER_MOMENTS; i++)
		if (read(ring->fds[i], &count, sizeof(count)) == sizeof(count))
			ring->lost_counted += count.lost;
}

/* Bytes of the ring, which may lie around its end. */
static void copy_out(const struct sampler_ring *ring, uint64_t at, void *to, size_t length)
{
	size_t offset = (size_t)at & (ring->size - 1), first = ring->size - offset < length ? ring->size - offset : length;

	memcpy(to, ring->data + offset, first);
	memcpy((char *)to + first, ring->data, length - first);
}

static struct perf_event_header header_at(const struct sampler_ring *ring)
{
	struct perf_event_header header;

	copy_out(ring, ring->at, &header, sizeof(header));
	return header;
}

/* Where a record has its time: a sample behind its identifier, process and thread; others in the trailer. */
static int64_t time_at(const struct sampler_ring *ring, const struct perf_event_header *header)
{
	uint64_t at = header->type == PERF_RECORD_SAMPLE ? sizeof(*header) + 16
							  : header->size - sizeof(struct trailer) + offsetof(struct trailer, ts);
	uint64_t ts;

	copy_out(ring, ring->at + at, &ts, sizeof(ts));
	return (int64_t)ts;
}

static void stand(struct sampler_ring *ring)
{
	struct perf_event_header header;

	if (ring->standing)
		return;
	if (ring->at == ring->head)
		ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	if (ring->at == ring->head)
		return;
	header = header_at(ring);
	ring->ts = time_at(ring, &header);
	ring->standing = true;
}

static void step(struct sampler_ring *ring)
{
	ring->at += header_at(ring).size;
	ring->standing = false;
	__atomic_store_n(&ring->page->data_tail, ring->at, __ATOMIC_RELEASE);
}

/* A record as the kernel wrote it, read part by part; `ok` becomes false where it ends too early. */
struct cursor {
	const unsigned char *at, *end;
	bool ok;
};

static const void *take(struct cursor *cursor, size_t length)
{
	const void *taken = cursor->at;

	cursor->ok = cursor->ok && (size_t)(cursor->end - cursor->at) >= length;
	if (!cursor->ok)
		return NULL;
	cursor->at += length;
	return taken;
}

static uint64_t take_number(struct cursor *cursor)
{
	const void *from = take(cursor, sizeof(uint64_t));
	uint64_t number = 0;

	if (from)
		memcpy(&number, from, sizeof(number));
	return number;
}

static uint32_t take_short(struct cursor *cursor)
{
	const void *from = take(cursor, sizeof(uint32_t));
	uint32_t number = 0;

	if (from)
		memcpy(&number, from, sizeof(number));
	return number;
}

/* DWARF numbers of the registers in a sample, in the order of the kernel's own numbers: rbx, rbp, rsp, ip, r12 to r15. */
static const uint8_t in_sample[] = {3, 6, 7, 16, 12, 13, 14, 15};

static void read_user(struct cursor *cursor, struct sampled_record *record)
{
	uint64_t abi = take_number(cursor), size;

	record->user = abi == PERF_SAMPLE_REGS_ABI_64;
	for (size_t i = 0; abi != PERF_SAMPLE_REGS_ABI_NONE && i < sizeof(in_sample); i++)
		record->registers[in_sample[i]] = take_number(cursor);
	size = take_number(cursor);
	if (size == 0)
		return;
	record->stack = take(cursor, size);
	record->stack_size = take_number(cursor);
	if (record->stack_size > size)
		record->stack_size = size;
}

static bool read_sample(const struct sampler *sampler, const struct sampler_ring *ring, struct cursor *cursor,
			struct sampled_record *record)
{
	uint64_t id = take_number(cursor);
	uint32_t raw_size;
	const unsigned char *raw;

	record->kind = id == ring->ids[SAMPLED_WAKE] ? SAMPLED_WAKE : SAMPLED_SLEEP;
	record->process = (int32_t)take_short(cursor);
	record->thread = (int32_t)take_short(cursor);
	take_number(cursor); /* the time */
	take_number(cursor); /* the CPU */
	record->kernel_count = take_number(cursor);
	record->kernel = take(cursor, record->kernel_count * sizeof(uint64_t));
	raw_size = take_short(cursor);
	raw = take(cursor, raw_size);
	if (cursor->ok && record->kind == SAMPLED_WAKE && sampler->woken_at + sizeof(int32_t) <= raw_size)
		memcpy(&record->woken, raw + sampler->woken_at, sizeof(int32_t));
	read_user(cursor, record);
	return cursor->ok;
}

static bool read_map(struct cursor *cursor, struct sampled_record *record, bool with_build_id)
{
	const unsigned char *identity;

	record->kind = SAMPLED_MAP;
	record->process = (int32_t)take_short(cursor);
	record->thread = (int32_t)take_short(cursor);
	record->start = take_number(cursor);
	record->length = take_number(cursor);
	record->offset = take_number(cursor);
	identity = take(cursor, 24); /* device, inode and its generation; or a size and a build id */
	take_number(cursor);	     /* protection, flags */
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
static bool read_task(struct cursor *cursor, struct sampled_record *record, enum sampled kind)
{
	record->kind = kind;
	record->process = (int32_t)take_short(cursor);
	record->parent = (int32_t)take_short(cursor);
	record->thread = (int32_t)take_short(cursor);
	if (!cursor->ok)
		return false;
	return kind == SAMPLED_FORK ? record->process != record->parent : record->process == record->thread;
}

static bool read_exec(struct cursor *cursor, struct sampled_record *record, uint16_t misc)
{
	record->kind = SAMPLED_EXEC;
	record->process = (int32_t)take_short(cursor);
	return cursor->ok && misc & PERF_RECORD_MISC_COMM_EXEC;
}

/* Whether the record at hand is one of those that matter. */
static bool read_record(struct sampler *sampler, struct sampler_ring *ring, struct sampled_record *record)
{
	struct perf_event_header header = header_at(ring);
	struct cursor cursor = {.at = sampler->copy + sizeof(header), .end = sampler->copy + header.size, .ok = true};

	*record = (struct sampled_record){.ts = ring->ts, .cpu = ring->cpu};
	copy_out(ring, ring->at, sampler->copy, header.size);
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
		take_number(&cursor); /* the event's identifier */
		ring->lost_told += take_number(&cursor);
		record->kind = SAMPLED_LOST;
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

			stand(ring);
			if (ring->standing && ring->ts < bound && (!first || ring->ts < first->ts))
				first = ring;
		}
		if (!first)
			return 0;
		matters = read_record(sampler, first, record);
		step(first);
		if (matters)
			return 1;
	}
}
