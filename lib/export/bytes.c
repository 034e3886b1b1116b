#include "export/bytes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void reserve(struct bytes *bytes, size_t more)
{
	if (bytes->length + more > bytes->room) {
		bytes->room = 2 * (bytes->length + more);
		bytes->data = memory_grow(bytes->data, bytes->room, 1);
	}
}

void bytes_add(struct bytes *bytes, const void *data, size_t length)
{
	if (length == 0)
		return;
	reserve(bytes, length);
	memcpy(bytes->data + bytes->length, data, length);
	bytes->length += length;
}

void bytes_fill(struct bytes *bytes, size_t length)
{
	if (length <= bytes->length)
		return;
	reserve(bytes, length - bytes->length);
	memset(bytes->data + bytes->length, 0, length - bytes->length);
	bytes->length = length;
}

void bytes_add16(struct bytes *bytes, uint16_t number)
{
	number = bytes->swapped ? __builtin_bswap16(number) : number;
	bytes_add(bytes, &number, sizeof(number));
}

void bytes_add32(struct bytes *bytes, uint32_t number)
{
	number = bytes->swapped ? __builtin_bswap32(number) : number;
	bytes_add(bytes, &number, sizeof(number));
}

void bytes_add64(struct bytes *bytes, uint64_t number)
{
	number = bytes->swapped ? __builtin_bswap64(number) : number;
	bytes_add(bytes, &number, sizeof(number));
}

void bytes_put64(struct bytes *bytes, size_t at, uint64_t number)
{
	number = bytes->swapped ? __builtin_bswap64(number) : number;
	memcpy(bytes->data + at, &number, sizeof(number));
}

void bytes_free(struct bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct bytes){0};
}
