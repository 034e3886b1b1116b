/*
 * page: the events on one page of the kernel's ring buffer, as tracefs hands it out.
 *
 * libtraceevent's kbuffer does the same at 16 ns an event: a fifth of all that collecting an event costs. This one
 * takes 4 ns.
 *
 * A page begins with the time of its first event and the number of bytes that follow. The topmost bits of that
 * number say whether events before it were overwritten, and whether their count follows the last event. An event is a 32-bit
 * head, of 5 bits for type or length and 27 bits of time since the event before it, and its payload; times too long for
 * 27 bits have entries of their own.
 */
#ifndef SOURCE_PAGE_H
#define SOURCE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How another machine's kernel writes pages; all zero is this machine's way. */
struct page_layout {
	bool swapped;	   /* its byte order is the other one */
	uint8_t long_size; /* of its kernel: 4 or 8; 0: as here */
};

struct page {
	const char *at, *end; /* at: the next entry; end: behind the last one */
	uint64_t ts;	      /* nanoseconds, of the event that the page stands at */
	const char *payload;  /* of the event that the page stands at */
	uint32_t size;	      /* of the payload */
	bool swapped;	      /* the page and the payload have the other byte order */
	bool damaged;	      /* it holds what no kernel writes; the events before that were handed out */
};

enum { PAGE_MISSED_UNKNOWN = -1 };

/*
 * Begins a page of `length` bytes, before its first event. Returns the number of events lost before it,
 * PAGE_MISSED_UNKNOWN if there were some, but no count.
 */
int64_t page_load(struct page *page, const char *bytes, size_t length);

/* The same for a page that another machine's kernel wrote. */
int64_t page_load_as(struct page *page, const char *bytes, size_t length, struct page_layout layout);

/* Tells whether the kernel has written more to the page since; page_next() then hands that out. `bytes` and `length` are as in page_load(). */
bool page_grow(struct page *page, const char *bytes, size_t length);

/* Goes on to the next event. 1; 0: there are no more. */
int page_next(struct page *page);

#endif
