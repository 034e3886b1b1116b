#include "model/display.h"

#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/clean.h"
#include "base/memory.h"

enum { WORD_LEAST = 24 };

char *display_clean(const char *text)
{
	return clean_text(text, strlen(text));
}

char *display_cleaned(char *raw)
{
	char *clean = display_clean(raw);

	free(raw);
	return clean;
}

char *display_field(const struct fields *fields, const char *key)
{
	char *raw = fields_copy(fields, key), *clean = display_clean(raw ? raw : "");

	free(raw);
	return clean;
}

static bool goes_on(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

/*
 * The number of columns that a character takes: two in the scripts of East Asia, none for a combining mark. The C library knows that
 * in its UTF-8 locale; without that locale, every character counts as one.
 */
static size_t columns_of(const char *text, size_t length)
{
	static locale_t utf8;
	mbstate_t state = {0};
	locale_t before;
	wchar_t code;
	int columns = -1;

	if (length == 1)
		return 1;
	if (!utf8)
		utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	before = uselocale(utf8);
	if (mbrtowc(&code, text, length, &state) == length)
		columns = wcwidth(code);
	uselocale(before);
	return columns < 0 ? 1 : (size_t)columns;
}

/* The length of the first character in bytes; sets *columns to its columns. */
static size_t character(const char *text, size_t *columns)
{
	size_t length = 1;

	while (goes_on(text[length]))
		length++;
	*columns = columns_of(text, length);
	return length;
}

size_t display_columns(const char *text)
{
	size_t all = 0, columns;

	for (; *text; all += columns)
		text += character(text, &columns);
	return all;
}

/* The length in bytes of the longest prefix that fits into `room` columns. */
static size_t head_of(const char *text, size_t room)
{
	size_t bytes = 0, length, columns;

	for (; text[bytes]; bytes += length) {
		length = character(text + bytes, &columns);
		if (columns > room)
			break;
		room -= columns;
	}
	return bytes;
}

/* The longest suffix that fits into `room` columns. */
static const char *tail_of(const char *text, size_t room)
{
	size_t all = display_columns(text), length, columns;

	for (; *text; text += length) {
		length = character(text, &columns);
		if (all <= room && columns > 0)
			break;
		all -= columns;
	}
	return text;
}

char *display_shorten(const char *text, size_t columns)
{
	size_t head;

	if (display_columns(text) <= columns || columns < 5)
		return memory_text(text, head_of(text, columns));
	head = (columns - 3 + 1) / 2;
	return memory_format("%.*s...%s", (int)head_of(text, head), text, tail_of(text, columns - 3 - head));
}

char *display_abridge(const char *text, size_t columns)
{
	size_t room = columns > 5 ? columns - 5 : 0, head = (room + 1) / 2;
	const char *end, *begin;

	if (display_columns(text) <= columns || room == 0)
		return display_shorten(text, columns);
	end = text + head_of(text, head);
	begin = tail_of(text, room - head);
	while (end > text && *end != ' ')
		end--;
	if (begin > text && begin[-1] != ' ')
		begin += strcspn(begin, " ");
	begin += *begin == ' ';
	if (end == text || !*begin)
		return display_shorten(text, columns);
	return memory_format("%.*s ... %s", (int)(end - text), text, begin);
}

/* The length of the text that a line break must not split: a word, or a number with its unit. */
static size_t unbroken(const char *text)
{
	static const char *const units[] = {"s", "ms", "us", "ns", "%"};
	size_t length = strcspn(text, " "), next, i;
	const char *unit = text + length + 1;

	if (!text[length] || length == 0 || text[length - 1] < '0' || text[length - 1] > '9')
		return length;
	next = strcspn(unit, " ,;:)");
	for (i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strlen(units[i]) == next && !strncmp(unit, units[i], next))
			return length + 1 + strcspn(unit, " ");
	return length;
}

void display_wrap(FILE *out, size_t width, const char *lead, const char *text)
{
	size_t indent = display_columns(lead), column = indent, length, columns;
	size_t room = width > indent + WORD_LEAST ? width - indent : WORD_LEAST;
	char *word, *fitting;

	fputs(lead, out);
	while (*text) {
		length = unbroken(text);
		word = memory_text(text, length);
		fitting = display_shorten(word, room);
		columns = display_columns(fitting);
		if (column > indent && column + 1 + columns > indent + room) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (column > indent) {
			fputc(' ', out);
			column++;
		}
		fputs(fitting, out);
		column += columns;
		text += length + strspn(text + length, " ");
		free(word);
		free(fitting);
	}
	fputc('\n', out);
}
