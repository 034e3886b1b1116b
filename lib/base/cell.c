#include "base/cell.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"

/* Tells whether a terminal may obey the character. Tabs and the ends of lines are a part of tables. */
static bool is_control(uint32_t code)
{
	return (code < 0x20 && code != '\t' && code != '\r' && code != '\n') || (code >= 0x7f && code < 0xa0);
}

/*
 * The length of text that can be written as it is: up to a quote, a control character, or a byte that is no part of UTF-8, as where the kernel cut
 * a name.
 */
static size_t plain(const char *text, size_t length)
{
	size_t at = 0, character;
	uint32_t code;

	for (; at < length && text[at] != '"'; at += character) {
		code = (unsigned char)text[at];
		character = code < 0x80 ? 1 : utf8_decode(text + at, length - at, &code);
		if (character == 0 || is_control(code))
			break;
	}
	return at;
}

/* Tells whether the text begins as formulas of spreadsheets do; East Asian ones also take = + - @ of full width. */
static bool begins_formula(const char *text, size_t length)
{
	static const char *const wide[] = {"\uff1d", "\uff0b", "\uff0d", "\uff20"};

	for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++)
		if (length >= strlen(wide[i]) && !memcmp(text, wide[i], strlen(wide[i])))
			return true;
	return length > 0 && memchr("=+-@\t\r\n", *text, 7);
}

static bool is_number(const char *text, size_t length)
{
	char copy[NUMBER_ROOM], *end;

	if (length >= sizeof(copy))
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	strtod(copy, &end);
	return end == copy + length && strspn(copy, "0123456789+-.eE") == length; /* not -inf */
}

/*
 * Tells whether a spreadsheet would compute the text: anybody may choose the name of a thread. Numbers are harmless. Skips spaces in front, as
 * some spreadsheets do, and apostrophes, so that the one that cell_write() adds can be taken off again whatever the text was.
 */
static bool is_formula(const char *text, size_t length)
{
	while (length > 0 && (*text == '\'' || *text == ' ')) {
		text++;
		length--;
	}
	return begins_formula(text, length) && !is_number(text, length);
}

/* Some spreadsheets end a cell at these characters, even in quotes, so that a formula may begin after them. */
static bool separates(char c)
{
	return c == ';' || c == '\t' || c == '\r' || c == '\n';
}

static void write_plain(FILE *out, const char *text, size_t length)
{
	size_t at = plain(text, length), next;

	fwrite(text, 1, at, out);
	while (at < length) {
		if (text[at] == '"')
			fputs("\"\"", out);
		else
			fprintf(out, "\\x%02x", (unsigned char)text[at]);
		at++;
		next = at + plain(text + at, length - at);
		fwrite(text + at, 1, next - at, out);
		at = next;
	}
}

void cell_write(FILE *out, const char *text, size_t length)
{
	bool quote = is_formula(text, length) || memchr(text, '"', length);
	size_t next;

	for (size_t i = 0; i < length && !quote; i++)
		quote = text[i] == ',' || separates(text[i]);
	fputs(quote ? "\"" : "", out);
	for (size_t at = 0; at < length; at = next) {
		for (next = at; next < length && !separates(text[next]); next++) {
		}
		fputs(is_formula(text + at, at == 0 ? length : next - at) ? "'" : "", out);
		next += next < length;
		write_plain(out, text + at, next - at);
	}
	fputs(quote ? "\"" : "", out);
}
