#include "export/proto.h"

#include <string.h>

#include "base/utf8.h"

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_LENGTH = 2 };
enum { VARINT_MAX = 10 };

static size_t spell_varint(char text[VARINT_MAX], uint64_t value)
{
	size_t length = 0;

	do {
		text[length++] = (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		value >>= 7;
	} while (value);
	return length;
}

void proto_varint(struct bytes *bytes, uint64_t value)
{
	char text[VARINT_MAX];

	bytes_add(bytes, text, spell_varint(text, value));
}

static void add_tag(struct bytes *bytes, uint32_t field, uint32_t wire)
{
	proto_varint(bytes, (uint64_t)field << 3 | wire);
}

void proto_unsigned(struct bytes *bytes, uint32_t field, uint64_t value)
{
	add_tag(bytes, field, WIRE_VARINT);
	proto_varint(bytes, value);
}

void proto_signed(struct bytes *bytes, uint32_t field, int64_t value)
{
	proto_unsigned(bytes, field, (uint64_t)value);
}

void proto_fixed64(struct bytes *bytes, uint32_t field, uint64_t value)
{
	char text[8];

	add_tag(bytes, field, WIRE_FIXED64);
	for (int i = 0; i < 8; i++)
		text[i] = (char)(value >> 8 * i);
	bytes_add(bytes, text, sizeof(text));
}

void proto_double(struct bytes *bytes, uint32_t field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	proto_fixed64(bytes, field, bits);
}

void proto_text(struct bytes *bytes, uint32_t field, const char *text)
{
	size_t mark = proto_begin(bytes, field);
	const char *plain = text, *end = text + strlen(text);

	while (text < end) {
		uint32_t code;
		size_t length = utf8_decode(text, (size_t)(end - text), &code);

		if (length == 0) {
			bytes_add(bytes, plain, (size_t)(text - plain));
			bytes_add(bytes, "?", 1);
			plain = text + 1;
			length = 1;
		}
		text += length;
	}
	bytes_add(bytes, plain, (size_t)(text - plain));
	proto_end(bytes, mark);
}

void proto_message(struct bytes *bytes, uint32_t field, const struct bytes *message)
{
	add_tag(bytes, field, WIRE_LENGTH);
	proto_varint(bytes, message->length);
	bytes_add(bytes, message->data, message->length);
}

size_t proto_begin(struct bytes *bytes, uint32_t field)
{
	add_tag(bytes, field, WIRE_LENGTH);
	bytes_add(bytes, "", 1); /* room for the length, which seldom needs more than a byte */
	return bytes->length;
}

void proto_end(struct bytes *bytes, size_t mark)
{
	char text[VARINT_MAX];
	size_t length = bytes->length - mark, size = spell_varint(text, length);

	if (size > 1) {
		bytes_fill(bytes, bytes->length + size - 1);
		memmove(bytes->data + mark + size - 1, bytes->data + mark, length);
	}
	memcpy(bytes->data + mark - 1, text, size);
}
