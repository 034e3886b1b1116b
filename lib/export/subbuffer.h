/*
 * subbuffer: events packed into pages of the kernel's ring buffer; the other way round is source/page.h.
 *
 * A page begins with the time of its first event and the number of bytes in use, above which stand whether events were
 * lost before it and whether their count follows the last event. (struct buffer_data_page and the MISSED flags in the
 * kernel's kernel/trace/ring_buffer.c; the entries' head in events/header_event of tracefs.)
 *
 *	subbuffer_begin(&page, size, swapped);
 *	while there are events:
 *		if (!subbuffer_add(&page, &event)) {
 *			write subbuffer_finish(&page), page.bytes.length bytes;
 *			subbuffer_add(&page, &event);
 *		}
 *	write subbuffer_finish(&page) if (!subbuffer_empty(&page))
 */
#ifndef EXPORT_SUBBUFFER_H
#define EXPORT_SUBBUFFER_H

#include "export/bytes.h"
#include "export/spool.h"

struct subbuffer {
	struct bytes bytes;
	size_t size;	 /* of a page */
	int64_t ts;	 /* of its last event */
	uint64_t missed; /* before its first */
	bool begun;
};

enum { SUBBUFFER_HEAD = 16, SUBBUFFER_USUAL = 4096 }; /* with a commit field of 64 bits */

/* The size of page that an event of this size fits on: a power of two, the usual one at least. */
size_t subbuffer_size(uint32_t largest);

void subbuffer_begin(struct subbuffer *page, size_t size, bool swapped);
bool subbuffer_add(struct subbuffer *page, const struct spooled *event); /* false: it must stand on the next page */
bool subbuffer_empty(const struct subbuffer *page);
const char *subbuffer_finish(struct subbuffer *page); /* the page; the next one is begun by the next event */
void subbuffer_free(struct subbuffer *page);

#endif
