#include "window/ring.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/timestamp.h"

struct entry {
	int64_t ts;
	uint32_t size; /* of the entry with this head; a multiple of the alignment */
	uint32_t length, cpu;
	uint8_t kind, packed, swapped, flags;
};

/*
 * Entries lie in [head, tail), or, once wrapped, in [head, wrap) and [0, tail). The memory has `limit` bytes, at most `size`.
 */
struct context_ring {
	char *memory;
	size_t size, limit;
	size_t head, tail, wrap;
	bool wrapped;
};

enum { FIRST_LIMIT = 1 << 20, AHEAD = 2048 };

/*
 * In a large ring, the next place to read or write is not in the processor's cache, and entries are too small for the processor to
 * prefetch by itself.
 */
#define FETCH(ring, at, write) __builtin_prefetch((ring)->memory + ((at) + AHEAD < (ring)->limit ? (at) + AHEAD : 0), write)

struct context_ring *ring_new(size_t bytes)
{
	struct context_ring *ring = NEW(struct context_ring);

	ring->size = (bytes < RING_LEAST ? RING_LEAST : bytes) / sizeof(struct entry) * sizeof(struct entry);
	ring->limit = ring->size < FIRST_LIMIT ? ring->size : FIRST_LIMIT;
	ring->memory = memory_new(1, ring->limit);
	return ring;
}

void ring_free(struct context_ring *ring)
{
	if (ring)
		free(ring->memory);
	free(ring);
}

static size_t entry_size(size_t length)
{
	size_t unit = _Alignof(struct entry);

	return (sizeof(struct entry) + length + unit - 1) / unit * unit;
}

static struct entry *entry_at(const struct context_ring *ring, size_t offset)
{
	return (struct entry *)(void *)(ring->memory + offset);
}

/* Doubles the memory. If entries have wrapped, those before the old end move to the new end. */
static void grow(struct context_ring *ring)
{
	size_t limit = ring->limit < ring->size / 2 ? ring->limit * 2 : ring->size, upper = ring->wrap - ring->head;

	ring->memory = memory_grow(ring->memory, 1, limit);
	if (ring->wrapped) {
		memmove(ring->memory + limit - upper, ring->memory + ring->head, upper);
		ring->head = limit - upper;
		ring->wrap = limit;
	}
	ring->limit = limit;
}

static bool fits(const struct context_ring *ring, size_t size)
{
	if (ring->wrapped)
		return ring->head - ring->tail >= size;
	return ring->limit - ring->tail >= size || ring->head >= size;
}

bool ring_has_room(struct context_ring *ring, size_t length)
{
	size_t size = entry_size(length);

	while (!fits(ring, size) && ring->limit < ring->size)
		grow(ring);
	return fits(ring, size);
}

void ring_push(struct context_ring *ring, const struct record *record, int64_t ts)
{
	size_t size = entry_size(record->length);
	struct entry *entry;

	if (!ring->wrapped && ring->limit - ring->tail < size) {
		ring->wrap = ring->tail;
		ring->tail = 0;
		ring->wrapped = true;
	}
	entry = entry_at(ring, ring->tail);
	*entry = (struct entry){
		.ts = ts,
		.size = (uint32_t)size,
		.length = (uint32_t)record->length,
		.cpu = record->cpu,
		.kind = (uint8_t)record->kind,
		.packed = record->packed,
		.swapped = record->swapped,
		.flags = record->flags,
	};
	memcpy(entry + 1, record->text, record->length);
	ring->tail += size;
	FETCH(ring, ring->tail, 1);
}

bool ring_is_empty(const struct context_ring *ring)
{
	return !ring->wrapped && ring->head == ring->tail;
}

int64_t ring_oldest_time(const struct context_ring *ring)
{
	return entry_at(ring, ring->head)->ts;
}

/* The offset of the entry after this one. */
static size_t entry_after(const struct context_ring *ring, size_t at)
{
	size_t next = at + entry_at(ring, at)->size;

	return ring->wrapped && next == ring->wrap ? 0 : next;
}

static size_t size_of(const struct entry *entry)
{
	const struct record record = {.kind = entry->kind, .packed = entry->packed, .length = entry->length};

	return record_is_of_events(&record) ? record_size(&record) : 0;
}

int64_t ring_reach(const struct context_ring *ring, int64_t to, uint64_t bytes)
{
	uint64_t sum = 0;
	size_t at;

	if (ring_is_empty(ring))
		return to;
	at = ring->head;
	do {
		if (entry_at(ring, at)->ts <= to)
			sum += size_of(entry_at(ring, at));
		at = entry_after(ring, at);
	} while (at != ring->tail);
	at = ring->head;
	do {
		const struct entry *entry = entry_at(ring, at);

		if (sum <= bytes || entry->ts > to)
			return entry->ts;
		sum -= size_of(entry);
		at = entry_after(ring, at);
	} while (at != ring->tail);
	return timestamp_add(to, 1);
}

void ring_oldest(const struct context_ring *ring, struct record *record)
{
	const struct entry *entry = entry_at(ring, ring->head);

	*record = (struct record){
		.kind = entry->kind,
		.packed = entry->packed,
		.swapped = entry->swapped,
		.flags = entry->flags,
		.text = (const char *)(entry + 1),
		.length = entry->length,
		.ts = entry->ts,
		.cpu = entry->cpu,
	};
}

void ring_drop(struct context_ring *ring)
{
	FETCH(ring, ring->head, 0);
	ring->head += entry_at(ring, ring->head)->size;
	if (ring->wrapped && ring->head == ring->wrap) {
		ring->head = 0;
		ring->wrapped = false;
	}
	if (ring_is_empty(ring))
		ring->head = ring->tail = 0;
}
