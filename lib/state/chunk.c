#include "state/chunk.h"

#include <endian.h>
#include <string.h>

#define LARGE (UINT64_C(1) << 62)

static size_t put_varint(unsigned char *data, uint64_t number)
{
	size_t length = 0;

	for (; number >= 0x80; number >>= 7)
		data[length++] = (unsigned char)(number | 0x80);
	data[length++] = (unsigned char)number;
	return length;
}

static bool get_slowly(const unsigned char **at, const unsigned char *end, uint64_t *number)
{
	unsigned shift = 0;

	*number = 0;
	while (*at < end && shift < 64) {
		unsigned char byte = *(*at)++;

		if (shift == 63 && byte > 1)
			return false;
		*number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
		shift += 7;
	}
	return false;
}

/* Most varints are one byte. Otherwise reads eight bytes at once, up to the first without a high bit, and joins the seven low bits of each. */
static inline bool get_varint(const unsigned char **at, const unsigned char *end, uint64_t *number)
{
	uint64_t bytes, last;
	unsigned bits;

	if (*at < end && **at < 0x80) {
		*number = *(*at)++;
		return true;
	}
	if (end - *at < 8)
		return get_slowly(at, end, number);
	memcpy(&bytes, *at, sizeof(bytes));
	bytes = le64toh(bytes);
	last = ~bytes & UINT64_C(0x8080808080808080);
	if (!last)
		return get_slowly(at, end, number);
	bits = (unsigned)__builtin_ctzll(last) + 1;
	bytes &= UINT64_C(0x7f7f7f7f7f7f7f7f) >> (64 - bits);
	bytes = (bytes & UINT64_C(0x007f007f007f007f)) | (bytes & UINT64_C(0x7f007f007f007f00)) >> 1;
	bytes = (bytes & UINT64_C(0x00003fff00003fff)) | (bytes & UINT64_C(0x3fff00003fff0000)) >> 2;
	*number = (bytes & UINT64_C(0x000000000fffffff)) | (bytes & UINT64_C(0x0fffffff00000000)) >> 4;
	*at += bits / 8;
	return true;
}

static uint64_t zigzag(int64_t number)
{
	return (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
}

static int64_t unzigzag(uint64_t number)
{
	return (int64_t)(number >> 1 ^ -(number & 1));
}

size_t chunk_put(unsigned char *data, const struct chunk_interval *interval)
{
	size_t length = put_varint(data, (uint64_t)interval->duration);
	uint64_t number = zigzag(interval->value.number);

	switch (interval->value.kind) {
	case CHUNK_NULL:
		return length + put_varint(data + length, 0);
	case CHUNK_TEXT:
		return length + put_varint(data + length, 2 + 2 * (uint64_t)interval->value.number);
	default:
		if (number < LARGE)
			return length + put_varint(data + length, 3 + 2 * number);
		length += put_varint(data + length, 1);
		return length + put_varint(data + length, number);
	}
}

bool chunk_get(const unsigned char **at, const unsigned char *end, struct chunk_interval *interval)
{
	uint64_t duration, code, number;

	if (!get_varint(at, end, &duration) || duration == 0 || duration > INT64_MAX || !get_varint(at, end, &code))
		return false;
	interval->duration = (int64_t)duration;
	interval->value = (struct chunk_value){.kind = CHUNK_NULL};
	if (code == 0)
		return true;
	if (code == 1) {
		if (!get_varint(at, end, &number))
			return false;
		interval->value = (struct chunk_value){CHUNK_NUMBER, unzigzag(number)};
		return true;
	}
	interval->value.kind = code & 1 ? CHUNK_NUMBER : CHUNK_TEXT;
	interval->value.number = code & 1 ? unzigzag((code - 3) / 2) : (int64_t)((code - 2) / 2);
	return true;
}

bool chunk_seek(const unsigned char **at, const unsigned char *end, int64_t *from, int64_t until)
{
	const unsigned char *next = *at;
	uint64_t duration, code;
	int64_t to;

	while (next < end) {
		if (!get_varint(&next, end, &duration) || duration == 0 || duration > INT64_MAX || !get_varint(&next, end, &code) ||
		    (code == 1 && !get_varint(&next, end, &code)) || __builtin_add_overflow(*from, (int64_t)duration, &to))
			return false;
		if (to > until)
			break;
		*from = to;
		*at = next;
	}
	return true;
}
