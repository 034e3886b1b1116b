#include "base/utf8.h"

size_t utf8_decode(const char *text, size_t length, uint32_t *code)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least; /* smallest code of this length: longer spellings of smaller codes are invalid */
	} forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
	const unsigned char *bytes = (const unsigned char *)text;
	size_t form;

	for (form = 0; form < 4; form++)
		if ((bytes[0] & forms[form].mask) == forms[form].lead)
			break;
	if (form == 4 || form >= length)
		return 0;
	*code = bytes[0] & (unsigned char)~forms[form].mask;
	for (size_t i = 1; i <= form; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (bytes[i] & 0x3f);
	}
	if (*code < forms[form].least || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000)) /* a surrogate is no character */
		return 0;
	return form + 1;
}

size_t utf8_cut(const char *text, size_t most)
{
	size_t length = most;

	while (length > 0 && most - length < 3 && ((unsigned char)text[length] & 0xc0) == 0x80)
		length--;
	return length;
}
