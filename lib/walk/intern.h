/*
 * intern: pieces of memory by number. Equal pieces have equal numbers, so each is kept once, and numbers are compared instead.
 *
 * Starts as all zero; intern_free() frees everything. Numbers count from 0 in the order of first mention. A piece is aligned to four
 * bytes; a NUL that is not part of its length follows it. The next intern_number() may move it.
 */
#ifndef WALK_INTERN_H
#define WALK_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

struct interned {
	size_t at;
	uint32_t length, hash;
};

struct intern {
	ARRAY(struct interned) pieces;
	/* private */
	char *pool;
	size_t used, room;
	uint32_t *slots; /* number + 1 of a piece; 0: free */
	size_t slot_count;
};

uint32_t intern_number(struct intern *intern, const void *bytes, size_t length);
const void *intern_at(const struct intern *intern, uint32_t number, size_t *length); /* `length` may be NULL */
void intern_free(struct intern *intern);

#endif
