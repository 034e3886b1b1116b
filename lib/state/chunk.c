#include "state/chunk.h"

#define LARGE (UINT64_C(1) << 62)

static size_t put_varint(unsigned char *data, uint64_t number)
{
	size_t length = 0;

	for (; number >= 0x80; number >>= 7)
		data[length++] = (unsigned char)(number | 0x80);
	data[length++] = (unsigned char)number;
	return length;
}

static bool get_varint(const unsigned char **at, const unsigned char *end, uint64_t *number)
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
