#include "base/clean.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

/* The length of the character at `text`; 0: it is not safe to show. `length` is not 0. */
static size_t printable(const char *text, size_t length)
{
	uint32_t code;
	size_t character = utf8_decode(text, length, &code);

	if (character == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0))
		return 0;
	if (code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
	    (code >= 0x2060 && code <= 0x206f) || code == 0xfeff || (code & 0xfffe) == 0xfffe)
		return 0;
	return character;
}

char *clean_text(const char *text, size_t length)
{
	char *clean = memory_new(length * 4 + 1, 1), *out = clean;
	const char *end = text + length;

	while (text < end) {
		size_t character = printable(text, (size_t)(end - text));

		if (character > 0) {
			memcpy(out, text, character);
			out += character;
			text += character;
		} else {
			out += sprintf(out, "\\x%02x", (unsigned char)*text++);
		}
	}
	return clean;
}
