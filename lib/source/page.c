#include "source/page.h"

#include <string.h>

/* The kernel's struct buffer_data_page, kernel/trace/ring_buffer.c */
struct page_head {
	uint64_t ts;
	unsigned long commit;
};

enum { HEAD_SIZE = 8 + sizeof(long), ENTRY = 4 };

#define MISSED_EVENTS (1UL << 31)
#define MISSED_STORED (1UL << 30)
#define COMMIT_MASK (MISSED_STORED - 1)

/* What the five bits say if not a length in words. */
enum { LENGTH_FOLLOWS = 0, PADDING = 29, TIME_EXTEND = 30, TIME_STAMP = 31 };
enum { TIME_BITS = 27 };

/* An absolute time has 59 bits; the rest is as in the page's own time. */
#define TIME_HIGH_BITS (UINT64_C(0xf8) << 56)

int64_t page_load(struct page *page, const char *bytes, size_t length)
{
	struct page_head head = {0};
	size_t size;
	long missed;

	*page = (struct page){0};
	if (length < HEAD_SIZE)
		return 0;
	memcpy(&head, bytes, HEAD_SIZE);
	size = head.commit & COMMIT_MASK;
	if (size > length - HEAD_SIZE)
		size = length - HEAD_SIZE;
	page->ts = head.ts;
	page->at = bytes + HEAD_SIZE;
	page->end = page->at + size;
	if (!(head.commit & MISSED_EVENTS))
		return 0;
	if (!(head.commit & MISSED_STORED) || size + sizeof(missed) > length - HEAD_SIZE)
		return PAGE_MISSED_UNKNOWN;
	memcpy(&missed, page->end, sizeof(missed));
	return missed;
}

static uint32_t word_at(const char *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static uint32_t type_of(uint32_t head)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return head >> TIME_BITS;
#else
	return head & 0x1f;
#endif
}

static uint32_t delta_of(uint32_t head)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return head & ((1U << TIME_BITS) - 1);
#else
	return head >> 5;
#endif
}

static uint64_t absolute(uint64_t ts, uint64_t before)
{
	ts |= before & TIME_HIGH_BITS;
	return ts < before ? ts + (UINT64_C(1) << 59) : ts; /* the 59 bits wrapped */
}

/* Stands at the event whose payload begins `offset` behind the entry's head, if it lies within the page. */
static int stand_at(struct page *page, const char *entry, uint32_t offset, uint32_t size)
{
	uint32_t room = (uint32_t)(page->end - entry) - ENTRY;

	if (offset > room || size > room - offset)
		return 0;
	page->payload = entry + ENTRY + offset;
	page->size = size;
	page->at = page->payload + ((size + 3) & ~3U);
	return 1;
}

int page_next(struct page *page)
{
	while (page->end - page->at >= ENTRY + 4) { /* every entry has at least a word behind its head */
		const char *entry = page->at;
		uint32_t head = word_at(entry), word = word_at(entry + ENTRY);
		uint32_t type = type_of(head), delta = delta_of(head);

		switch (type) {
		case PADDING:
			if (delta == 0) /* the rest of the page is empty */
				return 0;
			page->at = entry + ENTRY + word;
			if (word > page->end - entry)
				return 0;
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
