/*
 * mutate: changes an input by its structure, so that most of what comes of it gets past the codec: in text the lines and their
 * values, in a binary stream the records. One time in four, and for what is neither, libFuzzer changes bytes as it likes.
 */
#include <string.h>

#include "fuzz.h"
#include "stream/record.h"

enum { PIECES_MAX = 4096 };

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *two, size_t two_size, uint8_t *out,
				 size_t room, unsigned seed);

struct piece { /* a line with its newline, or a record with its head */
	size_t at, length;
};

struct pieces {
	struct piece items[PIECES_MAX];
	size_t count;
	bool binary;
	size_t begin; /* of the first piece: behind the magic number */
};

static unsigned state;

static size_t draw(size_t count)
{
	state = state * 1103515245u + 12345u;
	return count ? (state >> 8) % count : 0;
}

static bool is_binary(const uint8_t *data, size_t size)
{
	return size >= sizeof(struct stream_head) && !memcmp(data, STREAM_MAGIC, STREAM_MAGIC_SIZE);
}

static uint32_t packed_size(const uint8_t *at)
{
	uint32_t size;

	memcpy(&size, at, sizeof(size));
	return size;
}

static void cut(struct pieces *pieces, const uint8_t *data, size_t size)
{
	size_t at;

	pieces->count = 0;
	pieces->binary = is_binary(data, size);
	at = pieces->begin = pieces->binary ? sizeof(struct stream_head) : 0;
	while (at < size && pieces->count < PIECES_MAX) {
		const uint8_t *newline = memchr(data + at, '\n', size - at);
		size_t length = newline ? (size_t)(newline - data) + 1 - at : size - at;

		if (pieces->binary) {
			if (size - at < sizeof(struct record_head))
				break;
			length = packed_size(data + at);
			if (length < sizeof(struct record_head) || length > size - at)
				break;
		}
		pieces->items[pieces->count++] = (struct piece){at, length};
		at += length;
	}
}

/* Puts `length` bytes in the place of others; the new size, or the old one where there is no room. */
static size_t replace(uint8_t *data, size_t size, size_t room, size_t at, size_t old, const void *with, size_t length)
{
	if (size - old + length > room)
		return size;
	memmove(data + at + length, data + at + old, size - at - old);
	memcpy(data + at, with, length);
	return size - old + length;
}

/* A copy of a piece before another; a piece less; or a piece moved: what a program that loses or repeats records does. */
static size_t shuffle(uint8_t *data, size_t size, size_t room, const struct pieces *pieces)
{
	static uint8_t copy[1 << 20];
	struct piece from = pieces->items[draw(pieces->count)], to = pieces->items[draw(pieces->count)];
	size_t what = draw(3);

	if (from.length > sizeof(copy))
		return size;
	memcpy(copy, data + from.at, from.length);
	if (what > 0) {
		size = replace(data, size, room, from.at, from.length, "", 0);
		if (to.at > from.at)
			to.at -= from.length;
	}
	return what == 1 ? size : replace(data, size, room, to.at, 0, copy, from.length);
}

static const char *const values[] = {
	"0", "1", "-1", "2", "100", "101", "65535", "65536", "2147483647", "2147483648", "-2147483648", "4294967295",
	"9223372036.854775807", "-9223372036.854775808", "9223372036.854775", "9223372036854775807", "-9223372036854775808",
	"18446744073709551615", "0.000000001", "1e308", "-1e308", "1e-308", "5e-324", "0.5", "1e15", "0x7fffffffffffffff",
	"7:0", "yes", "no", "all", "any", "sync", "async", "wake", "rag", "run", "wait", "queue", "irq", "timer", "", "\"\"",
	"\"<evil>\"", "\"\\x1b[31m\"", "\"\\x00\"", "\"\xff\xfe\"", "\"\xc2\x9b\"", "swapper", "kworker/0:1",
};

/* Where a value of a line is: behind a '=' up to a blank. */
static bool find_value(const uint8_t *data, struct piece line, struct piece *key, struct piece *value)
{
	const char *text = (const char *)data + line.at;
	size_t wanted = draw(16), at = 0, found = 0;

	for (size_t i = 0; i < line.length; i++) {
		if (text[i] == ' ')
			at = i + 1;
		if (text[i] != '=' || i < at)
			continue;
		*key = (struct piece){line.at + at, i - at};
		*value = (struct piece){line.at + i + 1, 0};
		for (size_t j = i + 1; j < line.length && !strchr(" \n", text[j]); j++)
			value->length++;
		if (found++ == wanted)
			break;
	}
	return found > 0;
}

/* A value from another line with the same key, so that times, threads and nodes of one line mean those of another. */
static size_t borrow(uint8_t *data, size_t size, size_t room, const struct pieces *pieces, struct piece key, struct piece value)
{
	size_t first = draw(pieces->count);
	char copy[256];

	for (size_t i = 0; i < pieces->count; i++) {
		struct piece line = pieces->items[(first + i) % pieces->count], other_key, other;

		if (find_value(data, line, &other_key, &other) && other.at != value.at && other_key.length == key.length &&
		    other.length <= sizeof(copy) && !memcmp(data + other_key.at, data + key.at, key.length)) {
			memcpy(copy, data + other.at, other.length);
			return replace(data, size, room, value.at, value.length, copy, other.length);
		}
	}
	return size;
}

static size_t nudge(uint8_t *data, size_t size, struct piece value)
{
	size_t at = value.at + draw(value.length);

	if (value.length && data[at] >= '0' && data[at] <= '9')
		data[at] = (uint8_t)('0' + draw(10));
	return size;
}

static size_t change_line(uint8_t *data, size_t size, size_t room, const struct pieces *pieces)
{
	struct piece line = pieces->items[draw(pieces->count)], key, value;
	const char *new = values[draw(sizeof(values) / sizeof(values[0]))];

	if (!find_value(data, line, &key, &value))
		return LLVMFuzzerMutate(data, size, room);
	switch (draw(5)) {
	case 0:
		return replace(data, size, room, value.at, value.length, new, strlen(new));
	case 1:
	case 2:
		return borrow(data, size, room, pieces, key, value);
	case 3:
		return nudge(data, size, value);
	default: /* the key and its value go */
		return replace(data, size, room, key.at, key.length + 1 + value.length, "", 0);
	}
}

/* What stands in a record is changed, and its head is kept true. */
static size_t change_record(uint8_t *data, size_t size, size_t room, const struct pieces *pieces)
{
	static uint8_t body[1 << 17];
	struct piece record = pieces->items[draw(pieces->count)];
	size_t head = sizeof(struct record_head), length = record.length - head, longest = length + 64;
	uint32_t whole;

	if (longest > sizeof(body) || size - length + longest > room)
		return size;
	memcpy(body, data + record.at + head, length);
	length = LLVMFuzzerMutate(body, length, longest);
	size = replace(data, size, room, record.at + head, record.length - head, body, length);
	whole = (uint32_t)(head + length);
	memcpy(data + record.at, &whole, sizeof(whole));
	return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
	static struct pieces pieces;

	state = seed;
	cut(&pieces, data, size);
	if (draw(4) == 0 || pieces.count < 2)
		return LLVMFuzzerMutate(data, size, room);
	for (size_t i = draw(4) + 1; i > 0 && pieces.count > 0; i--) {
		if (draw(2))
			size = shuffle(data, size, room, &pieces);
		else
			size = pieces.binary ? change_record(data, size, room, &pieces) : change_line(data, size, room, &pieces);
		cut(&pieces, data, size);
	}
	return size;
}

/* The beginning of one and the end of the other, or pieces of one between those of the other. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *two, size_t two_size, uint8_t *out,
				 size_t room, unsigned seed)
{
	static struct pieces first, second;
	size_t size = 0;

	state = seed;
	cut(&first, one, one_size);
	cut(&second, two, two_size);
	if (first.binary != second.binary || !first.count || !second.count || first.begin > room)
		return 0;
	memcpy(out, one, size = first.begin);
	for (size_t i = 0, j = 0, stay = draw(8) + 1; i < first.count || j < second.count;) {
		bool from_first = j >= second.count || (i < first.count && draw(stay) > 0);
		struct piece piece = from_first ? first.items[i++] : second.items[j++];

		if (size + piece.length > room)
			break;
		memcpy(out + size, (from_first ? one : two) + piece.at, piece.length);
		size += piece.length;
	}
	return size;
}
