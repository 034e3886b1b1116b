/*
 * cursor: reads numbers and texts from bytes that may be cut or lie about their sizes.
 *
 * A read beyond the end returns 0 or NULL and sets `cut`; check it once after several reads.
 */
#ifndef IMPORT_CURSOR_H
#define IMPORT_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
	const char *at, *end;
	bool swapped; /* numbers are in the other byte order */
	bool cut;
};

/* An unsigned number of 1, 2, 4 or 8 bytes. */
uint64_t cursor_number(struct cursor *cursor, unsigned size);

/* Returns the next `size` bytes and moves past them; NULL: there are fewer. */
const char *cursor_bytes(struct cursor *cursor, uint64_t size);

/* Returns the next text and moves past its NUL. NULL: there is no NUL. */
const char *cursor_text(struct cursor *cursor);

/* Returns a cursor over the next `size` bytes and moves past them; over none if there are fewer. */
struct cursor cursor_part(struct cursor *cursor, uint64_t size);

static inline size_t cursor_left(const struct cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

#endif
