#include "export/subbuffer.h"

enum {
	TYPE_BITS = 5,
	TIME_BITS = 27,
	TYPE_LENGTH_FOLLOWS = 0,
	TYPE_TIME_EXTEND = 30,
	SMALL_MAX = 28 * 4, /* the longest payload whose length stands in the type */
	EXTEND_SIZE = 8,
	COUNT_SIZE = 8, /* of missed events, behind the last one */
};

#define MISSED_EVENTS (UINT64_C(1) << 31)
#define MISSED_STORED (UINT64_C(1) << 30)
#define TIME_MAX (INT64_C(1) << 59) /* what a time extend holds */

static size_t padded(uint32_t size)
{
	return ((size_t)size + 3) & ~(size_t)3;
}

static size_t entry_size(uint32_t size)
{
	return 4 + (padded(size) > SMALL_MAX || size == 0 ? 4 : 0) + padded(size);
}

size_t subbuffer_size(uint32_t largest)
{
	size_t size = SUBBUFFER_USUAL;

	while (size < SUBBUFFER_HEAD + EXTEND_SIZE + entry_size(largest) + COUNT_SIZE)
		size *= 2;
	return size;
}

void subbuffer_begin(struct subbuffer *page, size_t size, bool swapped)
{
	*page = (struct subbuffer){.size = size, .bytes.swapped = swapped};
}

bool subbuffer_empty(const struct subbuffer *page)
{
	return !page->begun;
}

static void add_head(struct subbuffer *page, uint32_t type, uint32_t delta)
{
	bool big = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != page->bytes.swapped;

	bytes_add32(&page->bytes, big ? type << TIME_BITS | delta : delta << TYPE_BITS | type);
}

static void add_entry(struct subbuffer *page, uint32_t delta, const struct spooled *event)
{
	size_t length = padded(event->size), end = page->bytes.length + entry_size(event->size);

	if (entry_size(event->size) == 4 + length) {
		add_head(page, (uint32_t)length / 4, delta);
	} else {
		add_head(page, TYPE_LENGTH_FOLLOWS, delta);
		bytes_add32(&page->bytes, (uint32_t)length + 4);
	}
	bytes_add(&page->bytes, event->payload, event->size);
	bytes_fill(&page->bytes, end);
}

static void begin_page(struct subbuffer *page, const struct spooled *event)
{
	page->begun = true;
	page->ts = event->ts;
	page->missed = event->missed;
	page->bytes.length = 0;
	bytes_add64(&page->bytes, (uint64_t)event->ts);
	bytes_fill(&page->bytes, SUBBUFFER_HEAD);
}

bool subbuffer_add(struct subbuffer *page, const struct spooled *event)
{
	int64_t delta = page->begun ? event->ts - page->ts : 0;
	bool extend = delta >= INT64_C(1) << TIME_BITS;

	if (!page->begun)
		begin_page(page, event);
	else if (event->missed || delta < 0 || delta >= TIME_MAX ||
		 page->bytes.length + (extend ? EXTEND_SIZE : 0) + entry_size(event->size) + COUNT_SIZE > page->size)
		return false;
	if (extend) {
		add_head(page, TYPE_TIME_EXTEND, (uint32_t)(delta & ((1 << TIME_BITS) - 1)));
		bytes_add32(&page->bytes, (uint32_t)(delta >> TIME_BITS));
		delta = 0;
	}
	add_entry(page, (uint32_t)delta, event);
	page->ts = event->ts;
	return true;
}

const char *subbuffer_finish(struct subbuffer *page)
{
	uint64_t commit = page->bytes.length - SUBBUFFER_HEAD;

	if (page->missed) {
		commit |= MISSED_EVENTS | MISSED_STORED;
		bytes_add64(&page->bytes, page->missed);
	}
	bytes_put64(&page->bytes, 8, commit);
	bytes_fill(&page->bytes, page->size);
	page->begun = false;
	return page->bytes.data;
}

void subbuffer_free(struct subbuffer *page)
{
	bytes_free(&page->bytes);
}
