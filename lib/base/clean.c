#include "base/clean.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* The length of the valid UTF-8 character at text that is safe to show; 0: there is none. `length` is not 0. */
static size_t printable(const unsigned char *text, size_t length)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least;
	} forms[] = {{0x80, 0x00, 0x20}, {0xe0, 0xc0, 0xa0}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
	size_t form, i;
	uint32_t code;

	for (form = 0; form < 4; form++)
		if ((text[0] & forms[form].mask) == forms[form].lead)
			break;
	if (form == 4 || form >= length)
		return 0;
	code = text[0] & (unsigned char)~forms[form].mask;
	for (i = 1; i <= form; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (code < forms[form].least || code == 0x7f || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	if (code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
	    (code >= 0x2060 && code <= 0x206f) || code == 0xfeff || (code & 0xfffe) == 0xfffe)
		return 0;
	return form + 1;
}

char *clean_text(const char *text, size_t length)
{
	char *clean = memory_new(length * 4 + 1, 1), *out = clean;
	const char *end = text + length;

	while (text < end) {
		size_t character = printable((const unsigned char *)text, (size_t)(end - text));

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
