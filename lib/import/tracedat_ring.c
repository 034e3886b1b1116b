/* The pages of one CPU in a trace.dat file, as a ring. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fail.h"
#include "import/tracedat.h"
#include "import/unpack.h"

/* So much is mapped ahead of the page at hand, and let go behind it. */
enum { WINDOW = 256 << 10, CHUNK_MAX = 64 << 20 };

enum { COUNT_SIZE = 4 }; /* of chunks; trace-cmd leaves it out of the size of a CPU's part */

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* since Linux 5.14; older ones map page by page */
#endif

struct page_source {
	struct tracedat *file;
	const struct tracedat_buffer *buffer;
	struct cursor pages;	/* what is left of the CPU's part of the file */
	const char *kept, *ready; /* the part that is mapped */
	struct cursor chunk;	/* compressed: what is left of the pages that were unpacked */
	char *bytes;
	size_t room;
	uint64_t chunks;	/* compressed: how many follow */
	uint64_t overrun;	/* events lost, by the kernel's statistics */
};

static char *page_aligned(const char *at)
{
	return (char *)((uintptr_t)at & ~((uintptr_t)getpagesize() - 1));
}

/* Lets go of what was read and maps what comes next; the kernel would do both later and more slowly. */
static void move_window(struct page_source *source)
{
	char *from = page_aligned(source->kept), *here = page_aligned(source->pages.at);
	size_t left = cursor_left(&source->pages), ahead = left < WINDOW ? left : WINDOW;

	if (here > from)
		madvise(from, (size_t)(here - from), MADV_DONTNEED);
	madvise(here, ahead + (size_t)(source->pages.at - here), MADV_POPULATE_READ);
	source->kept = here;
	source->ready = source->pages.at + ahead;
}

static void note_damage(struct page_source *source, const char *at)
{
	struct tracedat *file = source->file;

	if (file->damaged++ == 0)
		file->damaged_first = (uint64_t)(at - (file->map.end - file->map_size));
}

/* 1: a chunk was unpacked; 0: there is none left, or it is damaged. */
static int next_chunk(struct page_source *source)
{
	const char *begin = source->pages.at;
	uint64_t size, room;
	struct cursor packed;
	long length;

	if (source->chunks == 0)
		return 0;
	source->chunks--;
	size = cursor_number(&source->pages, 4);
	room = cursor_number(&source->pages, 4);
	packed = cursor_part(&source->pages, size);
	if (packed.cut || room > CHUNK_MAX) {
		source->chunks = 0; /* where the next one begins cannot be known */
		note_damage(source, begin);
		return 0;
	}
	if (room > source->room) {
		source->bytes = memory_grow(source->bytes, (size_t)room, 1);
		source->room = (size_t)room;
	}
	length = unpack(source->file->compression, packed.at, (size_t)size, source->bytes, (size_t)room);
	if (length < 0)
		note_damage(source, begin);
	source->chunk = (struct cursor){.at = source->bytes, .end = source->bytes + (length < 0 ? 0 : length)};
	return 1;
}

/* The next page; NULL: there is none. */
static const char *next_page(struct page_source *source, size_t *size)
{
	struct cursor *pages = source->buffer->compressed ? &source->chunk : &source->pages;

	if (source->pages.at >= source->ready && cursor_left(&source->pages))
		move_window(source);
	while (source->buffer->compressed && cursor_left(pages) == 0)
		if (!next_chunk(source))
			return NULL;
	*size = cursor_left(pages) < source->buffer->page_size ? cursor_left(pages) : source->buffer->page_size;
	return *size ? cursor_bytes(pages, *size) : NULL;
}

static uint64_t count_missed(const struct ring *ring, int64_t missed)
{
	const struct page_source *source = ring->source;

	if (missed >= 0)
		return (uint64_t)missed;
	return source->overrun > ring->lost ? source->overrun - ring->lost : 1;
}

static int refill(struct ring *ring)
{
	struct page_source *source = ring->source;
	const char *page;
	uint64_t missed;
	size_t size;

	if (ring->page.damaged) { /* what else it held is lost, nobody knows how much */
		note_damage(source, ring->page.end);
		ring->missed++;
		ring->lost++;
	}
	page = next_page(source, &size);
	if (!page) {
		ring->page = (struct page){0};
		return 0;
	}
	missed = count_missed(ring, page_load_as(&ring->page, page, size, source->file->layout));
	ring->missed += missed;
	ring->lost += missed;
	return 1;
}

static int64_t shifted(const struct ring *ring, uint64_t ts)
{
	const struct page_source *source = ring->source;

	return timeshift_apply(&source->file->shift, ring->cpu, ts);
}

/* A line of the statistics, such as "overrun: 18". */
static uint64_t stat_value(const char *text, const char *key)
{
	const char *line = strstr(text, key);

	return line ? strtoull(line + strlen(key), NULL, 10) : 0;
}

/* The statistics of each CPU begin with "CPU: 3"; they are of the main buffer. */
static uint64_t overrun_of(const struct tracedat *file, int cpu)
{
	for (size_t i = 0; i < file->stats.count; i++) {
		const char *text = file->stats.items[i], *number = strstr(text, "CPU: ");

		if (number && atoi(number + 5) == cpu)
			return stat_value(text, "\noverrun: ") + stat_value(text, "\ncommit overrun: ") +
			       stat_value(text, "\ndropped events: ");
	}
	return 0;
}

/* The CPU's part of the file, or what there is of it. */
static struct cursor part_of(struct tracedat *file, const struct tracedat_cpu *cpu)
{
	struct cursor whole = file->map;

	if (cpu->at > cursor_left(&whole)) {
		file->cut += cpu->size;
		return (struct cursor){.at = whole.end, .end = whole.end};
	}
	cursor_bytes(&whole, cpu->at);
	if (cpu->size > cursor_left(&whole))
		file->cut += cpu->size - cursor_left(&whole);
	return cursor_part(&whole, cpu->size < cursor_left(&whole) ? cpu->size : cursor_left(&whole));
}

int tracedat_rings(struct tracedat *file, const struct tracedat_buffer *buffer, struct merge *merge)
{
	if (buffer->text)
		return fail("%s: it was recorded by a latency tracer, which writes text, not events", file->name);
	if (buffer->page_size < 64)
		return fail("%s: its size of a page cannot be", file->name);
	for (size_t i = 0; i < buffer->cpus.count; i++) {
		struct tracedat_cpu *cpu = &buffer->cpus.items[i];
		struct ring ring = {.cpu = cpu->cpu, .fd = -1, .last = INT64_MIN, .refill = refill, .stats = -1};
		struct page_source *source;

		if (cpu->size == 0)
			continue;
		source = NEW(struct page_source);
		source->file = file;
		source->buffer = buffer;
		if (buffer->compressed)
			cpu->size += COUNT_SIZE;
		source->pages = part_of(file, cpu);
		source->pages.swapped = file->map.swapped;
		source->kept = source->ready = source->pages.at;
		if (buffer->compressed)
			source->chunks = cursor_number(&source->pages, 4);
		source->overrun = *buffer->name ? 0 : overrun_of(file, cpu->cpu);
		ring.source = source;
		ring.time = timeshift_is_needed(&file->shift) ? shifted : NULL;
		merge_add(merge, &ring);
	}
	return 0;
}

uint64_t tracedat_lost_at_end(const struct ring *ring)
{
	const struct page_source *source = ring->source;

	return source->overrun > ring->lost ? source->overrun - ring->lost : 0;
}

void tracedat_rings_free(struct merge *merge)
{
	for (int i = 0; i < merge->count; i++) {
		struct page_source *source = merge->rings[i].source;

		free(source->bytes);
		free(source);
	}
	merge_close(merge);
}
