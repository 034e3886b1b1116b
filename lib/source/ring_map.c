/*
 * A ring read where the kernel writes it (Documentation/trace/ring-buffer-map.rst, Linux 6.10): the kernel gives its
 * pages as memory, says on the first of them which one is the reader's, and takes another one for that on demand.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "source/ring.h"

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
	const char *pages, *page; /* all of them; the one at hand */
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

void ring_unmap(struct ring *ring)
{
	struct ring_map *map = ring->map;

	if (!map)
		return;
	munmap((void *)(uintptr_t)map->pages, map->size);
	munmap((void *)(uintptr_t)map->meta, map->meta_size);
	free(map);
	ring->map = NULL;
}
