#include "import/cursor.h"

#include <string.h>

const char *cursor_bytes(struct cursor *cursor, uint64_t size)
{
	const char *bytes = cursor->at;

	if (size > cursor_left(cursor)) {
		cursor->cut = true;
		cursor->at = cursor->end;
		return NULL;
	}
	cursor->at += size;
	return bytes;
}

uint64_t cursor_number(struct cursor *cursor, unsigned size)
{
	const char *bytes = cursor_bytes(cursor, size);
	uint64_t wide;
	uint32_t half;
	uint16_t quarter;

	if (!bytes)
		return 0;
	switch (size) {
	case 8:
		memcpy(&wide, bytes, 8);
		return cursor->swapped ? __builtin_bswap64(wide) : wide;
	case 4:
		memcpy(&half, bytes, 4);
		return cursor->swapped ? __builtin_bswap32(half) : half;
	case 2:
		memcpy(&quarter, bytes, 2);
		return cursor->swapped ? __builtin_bswap16(quarter) : quarter;
	default:
		return (uint8_t)*bytes;
	}
}

const char *cursor_text(struct cursor *cursor)
{
	const char *end = cursor_left(cursor) ? memchr(cursor->at, '\0', cursor_left(cursor)) : NULL;

	return cursor_bytes(cursor, end ? (uint64_t)(end - cursor->at) + 1 : UINT64_MAX);
}

struct cursor cursor_part(struct cursor *cursor, uint64_t size)
{
	const char *bytes = cursor_bytes(cursor, size);

	if (!bytes)
		return (struct cursor){.at = cursor->end, .end = cursor->end, .swapped = cursor->swapped, .cut = true};
	return (struct cursor){.at = bytes, .end = bytes + size, .swapped = cursor->swapped};
}
