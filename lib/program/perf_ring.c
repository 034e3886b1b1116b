#include "program/perf_ring.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The tail of every record that is no sample (sample_id_all), of events that sample no more than this; others have more in its midst. */
struct trailer {
	uint32_t process, thread;
	uint64_t ts;
	uint32_t cpu, reserved;
	uint64_t identifier;
};

int perf_ring_map(struct perf_ring *ring, int fd, size_t size)
{
	size_t page = (size_t)getpagesize();
	void *memory = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		return -1;
	ring->size = size;
	ring->page = memory;
	ring->data = (const unsigned char *)memory + page;
	return 0;
}

void perf_ring_unmap(struct perf_ring *ring)
{
	if (ring->page)
		munmap(ring->page, (size_t)getpagesize() + ring->size);
	ring->page = NULL;
}

/* Bytes of the ring, which may lie around its end. */
static void copy_out(const struct perf_ring *ring, uint64_t at, void *to, size_t length)
{
	size_t offset = (size_t)at & (ring->size - 1), first = ring->size - offset < length ? ring->size - offset : length;

	memcpy(to, ring->data + offset, first);
	memcpy((char *)to + first, ring->data, length - first);
}

struct perf_event_header perf_ring_header(const struct perf_ring *ring)
{
	struct perf_event_header header;

	copy_out(ring, ring->at, &header, sizeof(header));
	return header;
}

void perf_ring_copy(const struct perf_ring *ring, void *to, size_t length)
{
	copy_out(ring, ring->at, to, length);
}

/*
 * Where a record has its time. A sample, behind its identifier, process and thread. What any event of the ring may have written, behind
 * its own parts: of what was lost two numbers, process and thread; of a throttling nothing. Others, in their trailer.
 */
static size_t time_offset(const struct perf_event_header *header)
{
	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		return sizeof(*header) + 16;
	case PERF_RECORD_LOST:
		return sizeof(*header) + 24;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		return sizeof(*header);
	default:
		return header->size - sizeof(struct trailer) + offsetof(struct trailer, ts);
	}
}

void perf_ring_stand(struct perf_ring *ring)
{
	struct perf_event_header header;
	uint64_t ts;

	if (ring->standing)
		return;
	if (ring->at == ring->head)
		ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	if (ring->at == ring->head)
		return;
	header = perf_ring_header(ring);
	copy_out(ring, ring->at + time_offset(&header), &ts, sizeof(ts));
	ring->ts = (int64_t)ts;
	ring->standing = true;
}

bool perf_ring_ahead(const struct perf_ring *ring, struct perf_ring *ahead)
{
	*ahead = *ring;
	ahead->at += perf_ring_header(ring).size;
	ahead->standing = false;
	perf_ring_stand(ahead);
	return ahead->standing;
}

void perf_ring_step(struct perf_ring *ring)
{
	ring->at += perf_ring_header(ring).size;
	ring->standing = false;
	__atomic_store_n(&ring->page->data_tail, ring->at, __ATOMIC_RELEASE);
}

const void *perf_take(struct perf_cursor *cursor, size_t length)
{
	const void *taken = cursor->at;

	cursor->ok = cursor->ok && (size_t)(cursor->end - cursor->at) >= length;
	if (!cursor->ok)
		return NULL;
	cursor->at += length;
	return taken;
}

uint64_t perf_take_number(struct perf_cursor *cursor)
{
	const void *from = perf_take(cursor, sizeof(uint64_t));
	uint64_t number = 0;

	if (from)
		memcpy(&number, from, sizeof(number));
	return number;
}

uint32_t perf_take_short(struct perf_cursor *cursor)
{
	const void *from = perf_take(cursor, sizeof(uint32_t));
	uint32_t number = 0;

	if (from)
		memcpy(&number, from, sizeof(number));
	return number;
}

/* The event is of a CPU: one of a thread would have the kernel do more at each switch, on all CPUs. */
static uint64_t ask_lost_format(void)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attributes), .config = PERF_COUNT_SW_DUMMY, .read_format = PERF_FORMAT_LOST, .disabled = 1};
	int fd = (int)syscall(SYS_perf_event_open, &attributes, -1, sched_getcpu(), -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno == EINVAL ? 0 : PERF_FORMAT_LOST;
	close(fd);
	return PERF_FORMAT_LOST;
}

uint64_t perf_lost_format(void)
{
	enum { UNKNOWN = 1 };
	static uint64_t format = UNKNOWN;

	if (format == UNKNOWN)
		format = ask_lost_format();
	return format;
}

uint64_t perf_lost(int fd)
{
	struct {
		uint64_t value, lost;
	} count;

	return fd >= 0 && read(fd, &count, sizeof(count)) == sizeof(count) ? count.lost : 0;
}
