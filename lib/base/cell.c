#include "base/cell.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"

/* How much of it stands as it is: all but quotes, and bytes that are no part of UTF-8, as where the kernel cut a name. */
static size_t plain(const char *text, size_t length)
{
	size_t at = 0, character;
	uint32_t code;

	for (; at < length && text[at] != '"' && text[at]; at += character) {
		character = (unsigned char)text[at] < 0x80 ? 1 : utf8_decode(text + at, length - at, &code);
		if (character == 0)
			break;
	}
	return at;
}

/* By such characters a spreadsheet begins a formula; those of full width are = + - @ for East Asian ones. */
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
 * A spreadsheet would compute it, and names of threads are anybody's to choose. Numbers are harmless. Spaces in front are passed over, as
 * some spreadsheets do, and apostrophes, so that one more can be taken off again whatever the text was.
 */
static bool is_formula(const char *text, size_t length)
{
	while (length > 0 && (*text == '\'' || *text == ' ')) {
		text++;
		length--;
	}
	return begins_formula(text, length) && !is_number(text, length);
}

/* Some spreadsheets take these for the end of a cell, even in quotes, so that a formula may begin behind them. */
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
