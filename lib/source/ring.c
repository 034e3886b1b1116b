#include "source/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "source/instance.h"

static size_t page_size(struct tracefs_instance *instance)
{
	long long kilobytes;

	if (tracefs_instance_file_read_number(instance, "buffer_subbuf_size_kb", &kilobytes) == 0)
		return (size_t)kilobytes * 1024;
	return (size_t)getpagesize();
}

static int open_file(struct tracefs_instance *instance, int cpu, const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "per_cpu/cpu%d/%s", cpu, name);
	fd = tracefs_instance_file_open(instance, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		instance_fail_file(instance, "open", path);
	return fd;
}

/* One line of the stats file, such as "overrun: 18". */
static uint64_t stat_value(const char *text, const char *key)
{
	const char *line = strstr(text, key);

	return line ? strtoull(line + strlen(key), NULL, 10) : 0;
}

enum { STATS_ROOM = 1024 };

/* Reads the stats file; "" if it cannot be read. */
static void read_stats(const struct ring *ring, char text[STATS_ROOM])
{
	ssize_t length = pread(ring->stats, text, STATS_ROOM - 1, 0);

	text[length > 0 ? length : 0] = '\0';
}

uint64_t ring_traced(const struct ring *ring)
{
	char text[STATS_ROOM];

	read_stats(ring, text);
	return stat_value(text, "entries: ") + stat_value(text, "\noverrun: ") + stat_value(text, "\nread events: ");
}

uint64_t ring_lost_at_end(struct ring *ring)
{
	char text[STATS_ROOM];
	uint64_t lost;

	read_stats(ring, text);
	lost = stat_value(text, "\noverrun: ") + stat_value(text, "\ncommit overrun: ") +
	       stat_value(text, "\ndropped events: ");
	return lost > ring->lost ? lost - ring->lost : 0;
}

/* The number of events in a gap. If the page only says that there was one, the kernel's statistics tell more, but perhaps only later: then 1. */
static uint64_t count_missed(struct ring *ring, int64_t missed)
{
	uint64_t count;

	if (missed != PAGE_MISSED_UNKNOWN)
		return (uint64_t)missed;
	count = ring_lost_at_end(ring);
	return count ? count : 1;
}

/* For `refill`: begins a page of this machine's kernel, and counts the events lost before it. */
static void ring_load(struct ring *ring, const char *bytes, size_t length)
{
	uint64_t missed = count_missed(ring, page_load(&ring->page, bytes, length));

	ring->missed += missed;
	ring->lost += missed;
}

/* 1: a page was read; 0: there is none, or the CPU was never online; -1 after fail(). */
static int read_page(struct ring *ring)
{
	ssize_t length = read(ring->fd, ring->bytes, ring->page_size);

	if (length == 0 || (length < 0 && (errno == EAGAIN || errno == EINTR || errno == ENODEV)))
		return 0;
	if (length < 0)
		return fail_errno("cannot read the trace of CPU %d", ring->cpu);
	ring_load(ring, ring->bytes, (size_t)length);
	return 1;
}

/* --- read where the kernel writes it ----------------------------------------------------------------------------- */

/*
 * Documentation/trace/ring-buffer-map.rst, Linux 6.10: the kernel gives the ring's pages as memory, says on the first of them which one is
 * the reader's, and takes another one for that on demand.
 */

#define GET_READER _IO('R', 0x20)

/* struct trace_buffer_meta of linux/trace_mmap.h, which older systems lack. */
struct meta {
	uint32_t meta_page_size, meta_struct_length, page_size, pages;
	struct {
		uint64_t lost;
		uint32_t page, read;
	} reader;
};

struct ring_map {
	const volatile struct meta *meta;
	const char *pages, *page; /* all pages; the one at hand */
	size_t meta_size, page_size, size;
};

static const char *reader_page(const struct ring_map *map)
{
	return map->pages + map->meta->reader.page * map->page_size;
}

/* The kernel may still write to the page at hand. */
static bool has_grown(struct ring *ring)
{
	struct ring_map *map = ring->map;

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return map->page && page_grow(&ring->page, map->page, map->page_size);
}

/*
 * The first request after a read tells the kernel only that all there was has been read; a second one gets the next
 * page, if there is one.
 */
static int next_page(struct ring *ring)
{
	struct ring_map *map = ring->map;

	for (int i = 0; i < 2; i++) {
		if (has_grown(ring))
			return 1;
		if (ioctl(ring->fd, GET_READER) < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : fail_errno("cannot read the trace of CPU %d", ring->cpu);
		if (reader_page(map) != map->page) {
			map->page = reader_page(map);
			__atomic_thread_fence(__ATOMIC_ACQUIRE);
			ring_load(ring, map->page, map->page_size);
			return 1;
		}
	}
	return has_grown(ring);
}

bool ring_map(struct ring *ring)
{
	size_t meta_size = (size_t)getpagesize();
	void *meta = mmap(NULL, meta_size, PROT_READ, MAP_SHARED, ring->fd, 0), *pages = MAP_FAILED;
	struct ring_map map = {.meta = meta};

	if (meta == MAP_FAILED)
		return false;
	map.meta_size = map.meta->meta_page_size;
	map.page_size = map.meta->page_size;
	map.size = map.page_size * map.meta->pages;
	if (map.meta_size == meta_size && map.meta->reader.read == 0)
		pages = mmap(NULL, map.size, PROT_READ, MAP_SHARED, ring->fd, (off_t)meta_size);
	if (pages == MAP_FAILED) {
		munmap(meta, meta_size);
		return false;
	}
	map.pages = pages;
	ring->map = memory_new(1, sizeof(map));
	*ring->map = map;
	ring->refill = next_page;
	return true;
}

static void unmap_ring(struct ring *ring)
{
	struct ring_map *map = ring->map;

	if (!map)
		return;
	munmap((void *)(uintptr_t)map->pages, map->size);
	munmap((void *)(uintptr_t)map->meta, map->meta_size);
	free(map);
	ring->map = NULL;
}

int ring_open(struct ring *ring, struct tracefs_instance *instance, int cpu)
{
	*ring = (struct ring){.cpu = cpu, .last = INT64_MIN, .refill = read_page, .stats = -1};
	ring->page_size = page_size(instance);
	ring->bytes = memory_new(1, ring->page_size);
	ring->fd = open_file(instance, cpu, "trace_pipe_raw");
	if (ring->fd >= 0)
		ring->stats = open_file(instance, cpu, "stats");
	return ring->stats < 0 ? -1 : 0;
}

void ring_close(struct ring *ring)
{
	if (ring->fd >= 0)
		close(ring->fd);
	if (ring->stats >= 0)
		close(ring->stats);
	unmap_ring(ring);
	free(ring->bytes);
}

int ring_next(struct ring *ring)
{
	if (ring->standing) {
		ring->missed = 0;
		ring->announced = false;
		ring->last = ring_ts(ring);
	}
	while (!page_next(&ring->page)) {
		int status = ring->refill(ring);

		ring->standing = status > 0;
		if (status <= 0)
			return status;
	}
	ring->ts = ring->time ? ring->time(ring, ring->page.ts) : (int64_t)ring->page.ts;
	ring->standing = true;
	return 1;
}
