#include "source/page.h"

#include <string.h>

/* The kernel's struct buffer_data_page, kernel/trace/ring_buffer.c: a time, a `long` of flags and length, the data. */
enum { COMMIT_AT = 8, ENTRY = 4 };

#define MISSED_EVENTS (1UL << 31)
#define MISSED_STORED (1UL << 30)
#define COMMIT_MASK (MISSED_STORED - 1)

/* The meanings of the five bits that are no length in words. */
enum { LENGTH_FOLLOWS = 0, PADDING = 29, TIME_EXTEND = 30, TIME_STAMP = 31 };
enum { TIME_BITS = 27 };

/* The delta of a discarded event in place of 0, which would mean the padding at a page's end; rb_event_discard(). */
enum { DELTA_NONE = 1 };

/* An absolute time has 59 bits; the rest is as in the page's own time. */
#define TIME_HIGH_BITS (UINT64_C(0xf8) << 56)
#define TIME_WRAP (UINT64_C(1) << 59)

static inline uint32_t word_at(const char *at, bool swapped)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return swapped ? __builtin_bswap32(word) : word;
}

static uint64_t wide_at(const char *at, bool swapped)
{
	uint64_t wide;

	memcpy(&wide, at, sizeof(wide));
	return swapped ? __builtin_bswap64(wide) : wide;
}

static uint64_t long_at(const char *at, struct page_layout layout)
{
	return layout.long_size == 4 ? word_at(at, layout.swapped) : wide_at(at, layout.swapped);
}

int64_t page_load_as(struct page *page, const char *bytes, size_t length, struct page_layout layout)
{
	size_t head, size;
	uint64_t commit;

	if (!layout.long_size)
		layout.long_size = sizeof(long);
	head = COMMIT_AT + layout.long_size;
	*page = (struct page){.swapped = layout.swapped};
	if (length < head)
		return 0;
	commit = long_at(bytes + COMMIT_AT, layout);
	size = commit & COMMIT_MASK;
	if (size > length - head) {
		page->damaged = true;
		size = length - head;
	}
	page->ts = wide_at(bytes, layout.swapped);
	page->at = bytes + head;
	page->end = page->at + size;
	if (!(commit & MISSED_EVENTS))
		return 0;
	if (!(commit & MISSED_STORED) || size + layout.long_size > length - head)
		return PAGE_MISSED_UNKNOWN;
	return (int64_t)long_at(page->end, layout);
}

int64_t page_load(struct page *page, const char *bytes, size_t length)
{
	return page_load_as(page, bytes, length, (struct page_layout){0});
}

bool page_grow(struct page *page, const char *bytes, size_t length)
{
	size_t head = COMMIT_AT + sizeof(long), size = long_at(bytes + COMMIT_AT, (struct page_layout){.long_size = sizeof(long)}) & COMMIT_MASK;

	if (size > length - head || bytes + head + size <= page->end)
		return false;
	page->end = bytes + head + size;
	return true;
}

/* The two parts of an entry's head are a bit field, and so lie as the byte order says. */
static inline bool is_big(bool swapped)
{
	return (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != swapped;
}

static inline uint32_t type_of(uint32_t head, bool big)
{
	return big ? head >> TIME_BITS : head & 0x1f;
}

static inline uint32_t delta_of(uint32_t head, bool big)
{
	return big ? head & ((1U << TIME_BITS) - 1) : head >> 5;
}

static uint64_t absolute(uint64_t ts, uint64_t before)
{
	ts |= before & TIME_HIGH_BITS;
	return ts < before && before - ts > TIME_WRAP / 2 ? ts + TIME_WRAP : ts; /* a smaller step back is no wrap */
}

/* Stands at the event whose payload begins `offset` behind the entry's head, if it lies within the page. */
static int stand_at(struct page *page, const char *entry, uint32_t offset, uint32_t size)
{
	uint32_t room = (uint32_t)(page->end - entry) - ENTRY;

	if (offset > room || size > room - offset) {
		page->damaged = true;
		page->at = page->end;
		return 0;
	}
	page->payload = entry + ENTRY + offset;
	page->size = size;
	page->at = page->payload + ((size + 3) & ~3U);
	return 1;
}

static inline int next(struct page *page, const bool swapped)
{
	while (page->end - page->at >= ENTRY + 4) { /* every entry has at least a word behind its head */
		const char *entry = page->at;
		uint32_t head = word_at(entry, swapped), word = word_at(entry + ENTRY, swapped);
		uint32_t type = type_of(head, is_big(swapped)), delta = delta_of(head, is_big(swapped));

		switch (type) {
		case PADDING:
			if (delta == 0) /* the rest of the page is empty */
				return 0;
			if (word > page->end - entry) {
				page->damaged = true;
				page->at = page->end;
				return 0;
			}
			page->ts += delta == DELTA_NONE ? 0 : delta; /* a discarded event, which the next one's delta counts from */
			page->at = entry + ENTRY + word;
			continue;
		case TIME_EXTEND:
			page->ts += ((uint64_t)word << TIME_BITS) + delta;
			page->at = entry + ENTRY + 4;
			continue;
		case TIME_STAMP:
			page->ts = absolute(((uint64_t)word << TIME_BITS) + delta, page->ts);
			page->at = entry + ENTRY + 4;
			continue;
		case LENGTH_FOLLOWS:
			page->ts += delta;
			return stand_at(page, entry, 4, word < 4 ? 0 : word - 4);
		default:
			page->ts += delta;
			return stand_at(page, entry, 0, type * 4);
		}
	}
	return 0;
}

int page_next(struct page *page)
{
	return __builtin_expect(page->swapped, false) ? next(page, true) : next(page, false);
}
