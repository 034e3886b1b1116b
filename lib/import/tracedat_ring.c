/* The pages of one CPU in a trace.dat file, as a ring. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "import/tracedat.h"
#include "import/unpack.h"

/* Bytes read at once for each CPU; fewer if there are many CPUs. */
enum { WINDOW = 256 << 10, WINDOW_OF_MANY = 32 << 10, MANY = 32 };

/* The most bytes of an unpacked chunk, and of those of all CPUs, which are in memory together; trace-cmd packs ten pages at a time. */
enum { CHUNK_MAX = 64 << 20, CHUNKS_MAX = 512 << 20 };

enum { COUNT_SIZE = 4, CHUNK_HEAD = 8 }; /* the count of chunks; trace-cmd leaves it out of the size of a CPU's part */

struct page_source {
	struct tracedat *file;
	const struct tracedat_buffer *buffer;
	uint64_t at, end;	/* the rest of the CPU's part of the file */
	uint64_t place;		/* of the current page or chunk in the file */
	struct cursor pages;	/* the rest of the pages that were read or unpacked */
	char *bytes, *packed;
	size_t room, packed_room;
	uint64_t chunks;	/* compressed chunks that follow */
	uint64_t overrun;	/* events lost, by the kernel's statistics */
};

static void note_damage(struct page_source *source)
{
	struct tracedat *file = source->file;

	if (file->damaged++ == 0)
		file->damaged_first = source->place;
}

/* Reads the next bytes of the CPU's part; fewer if somebody has cut the file. -1 after fail(). */
static int read_on(struct page_source *source, char *bytes, size_t size, size_t *length)
{
	if (tracedat_read(source->file, bytes, size, source->at, length) < 0)
		return -1;
	source->place = source->at;
	source->at += *length;
	if (*length < size) {
		source->file->cut += source->end - source->at;
		source->end = source->at;
	}
	return 0;
}

static char *grow_to(char *bytes, size_t *room, size_t size)
{
	if (size <= *room)
		return bytes;
	*room = size;
	return memory_grow(bytes, size, 1);
}

/* Reads the next window of pages. 1; 0: there are no more pages; -1 after fail(). */
static int next_window(struct page_source *source)
{
	uint64_t left = source->end - source->at;
	size_t length;

	if (left == 0)
		return 0;
	if (read_on(source, source->bytes, left < source->room ? (size_t)left : source->room, &length) < 0)
		return -1;
	source->pages = (struct cursor){.at = source->bytes, .end = source->bytes + length};
	return length > 0;
}

/* The same for compressed pages; a damaged chunk gives no pages. */
static int next_chunk(struct page_source *source)
{
	char head[CHUNK_HEAD];
	struct cursor numbers = {.at = head, .end = head, .swapped = source->file->layout.swapped};
	size_t size, room, more, length;
	long unpacked;

	if (source->chunks == 0 || source->end == source->at)
		return 0;
	source->chunks--;
	if (read_on(source, head, source->end - source->at < CHUNK_HEAD ? (size_t)(source->end - source->at) : CHUNK_HEAD, &length) < 0)
		return -1;
	numbers.end += length;
	size = (size_t)cursor_number(&numbers, 4);
	room = (size_t)cursor_number(&numbers, 4);
	more = room > source->room ? room - source->room : 0;
	if (numbers.cut || size > source->end - source->at || room > CHUNK_MAX || more > CHUNKS_MAX - source->file->chunk_room) {
		source->chunks = 0; /* the place of the next chunk is unknown */
		note_damage(source);
		return 0;
	}
	source->file->chunk_room += more;
	source->packed = grow_to(source->packed, &source->packed_room, size);
	source->bytes = grow_to(source->bytes, &source->room, room);
	if (read_on(source, source->packed, size, &length) < 0)
		return -1;
	unpacked = length < size ? -1 : unpack(source->file->compression, source->packed, size, source->bytes, room);
	if (unpacked < 0 && length == size)
		note_damage(source);
	source->pages = (struct cursor){.at = source->bytes, .end = source->bytes + (unpacked < 0 ? 0 : unpacked)};
	return 1;
}

/* Gives the next page. 1; 0: there is none; -1 after fail(). */
static int next_page(struct page_source *source, const char **page, size_t *size)
{
	int status;

	while (cursor_left(&source->pages) == 0)
		if ((status = source->buffer->compressed ? next_chunk(source) : next_window(source)) <= 0)
			return status;
	*size = cursor_left(&source->pages) < source->buffer->page_size ? cursor_left(&source->pages) : source->buffer->page_size;
	if (!source->buffer->compressed)
		source->place = source->at - cursor_left(&source->pages);
	*page = cursor_bytes(&source->pages, *size);
	return 1;
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
	int status;

	if (ring->page.damaged) { /* the rest of the page is lost: an unknown number of events, counted as 1 */
		note_damage(source);
		ring->missed++;
		ring->lost++;
	}
	status = next_page(source, &page, &size);
	if (status <= 0) {
		ring->page = (struct page){0};
		return status;
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

/* The number in a line of the statistics, such as "overrun: 18". */
static uint64_t stat_value(const char *text, const char *key)
{
	const char *line = strstr(text, key);

	return line ? strtoull(line + strlen(key), NULL, 10) : 0;
}

/* Events that a CPU lost, by its statistics, which begin with "CPU: 3" and are those of the main buffer. */
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

/* A source of the pages in a part of the file; bytes that the file lacks count as cut. */
static struct page_source *new_source(struct tracedat *file, const struct tracedat_buffer *buffer, uint64_t at, uint64_t size)
{
	struct page_source *source = NEW(struct page_source);
	uint64_t left = at < file->size ? file->size - at : 0;

	source->file = file;
	source->buffer = buffer;
	source->at = source->place = at;
	source->end = at + (size < left ? size : left);
	file->cut += size < left ? 0 : size - left;
	return source;
}

static void free_source(struct page_source *source)
{
	free(source->bytes);
	free(source->packed);
	free(source);
}

/* Reads the number of chunks, or makes room for a window of whole pages. -1 after fail(). */
static int prepare(struct page_source *source)
{
	size_t window = source->buffer->cpus.count > MANY ? WINDOW_OF_MANY : WINDOW, page = source->buffer->page_size, length;
	char count[COUNT_SIZE];
	struct cursor number = {.at = count, .end = count, .swapped = source->file->layout.swapped};

	if (!source->buffer->compressed) {
		source->bytes = grow_to(NULL, &source->room, window > page ? window / page * page : page);
		return 0;
	}
	if (read_on(source, count, source->end - source->at < COUNT_SIZE ? (size_t)(source->end - source->at) : COUNT_SIZE, &length) < 0)
		return -1;
	number.end += length;
	source->chunks = cursor_number(&number, COUNT_SIZE);
	return 0;
}

int tracedat_rings(struct tracedat *file, const struct tracedat_buffer *buffer, struct merge *merge)
{
	if (buffer->page_size < 64 || buffer->page_size > TRACEDAT_PAGE_MAX)
		return fail("%s: its size of a page cannot be", file->name);
	for (size_t i = 0; i < buffer->cpus.count; i++) {
		const struct tracedat_cpu *cpu = &buffer->cpus.items[i];
		struct ring ring = {.cpu = cpu->cpu, .fd = -1, .last = INT64_MIN, .refill = refill, .stats = -1};
		struct page_source *source;

		if (cpu->size == 0)
			continue;
		ring.source = source = new_source(file, buffer, cpu->at, cpu->size + (buffer->compressed ? COUNT_SIZE : 0));
		source->overrun = *buffer->name ? 0 : overrun_of(file, cpu->cpu);
		ring.time = timeshift_is_needed(&file->shift) ? shifted : NULL;
		merge_add(merge, &ring);
		file->claimed += source->end - source->at;
		if (file->claimed > file->size)
			return fail("%s: its parts lie one upon the other", file->name);
		if (prepare(source) < 0)
			return -1;
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
	for (int i = 0; i < merge->count; i++)
		free_source(merge->rings[i].source);
	merge_close(merge);
}

int tracedat_text(struct tracedat *file, const struct tracedat_buffer *buffer)
{
	struct page_source *source = new_source(file, buffer, buffer->text_at, buffer->text_size);
	FILE *copy = file_temporary(NULL);
	int fd = -1, status = copy ? prepare(source) : fail_prefix("cannot copy the text of '%s'", file->name);

	while (status >= 0 && (status = buffer->compressed ? next_chunk(source) : next_window(source)) > 0)
		fwrite(source->pages.at, 1, cursor_left(&source->pages), copy);
	if (status == 0 && file_settle(copy) == 0 && ((fd = dup(fileno(copy))) < 0 || lseek(fd, 0, SEEK_SET) < 0))
		fail_errno("cannot read a temporary file for '%s'", file->name);
	if (copy)
		fclose(copy);
	free_source(source);
	return fd;
}
