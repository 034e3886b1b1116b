/*
 * cursor: numbers and texts out of bytes that may be cut or lie about their sizes.
 *
 * What is asked for beyond the end reads as 0 or NULL, and sets `cut`, which may be looked at once, after several reads.
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

/* The next `size` bytes, which are then behind; NULL: there are not that many. */
const char *cursor_bytes(struct cursor *cursor, uint64_t size);

/* The next bytes up to a NUL, which are then behind. NULL: there is none. */
const char *cursor_text(struct cursor *cursor);

/* A cursor over the next `size` bytes, which are then behind; over none if there are not that many. */
struct cursor cursor_part(struct cursor *cursor, uint64_t size);

static inline size_t cursor_left(const struct cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

#endif
